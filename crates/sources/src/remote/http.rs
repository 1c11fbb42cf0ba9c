//! Requests with short bodies and answers, for programs that talk to a server.

use std::{error::Error, io, time::Duration};

use reqwest::{Client, Method, header::CONTENT_TYPE, redirect::Policy};
use tokio::runtime::{Builder, Runtime};

use super::retry::retry_after;

/// A client on a thread of its own; whoever asks waits. User and password in a URL are sent as basic
/// authorization.
#[derive(Debug)]
pub struct Http {
    runtime: Runtime,
    client: Client,
    longest: usize,
}

/// An answer, whatever its status is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpAnswer {
    /// HTTP status code.
    pub status: u16,
    /// The time that the server asks to wait, at most five minutes.
    pub retry_after: Option<Duration>,
    /// The body, as text.
    pub body: String,
}

/// Why there is no answer; addresses are not part of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The network or the server failed in a way that may pass.
    #[error("{0}")]
    Passing(String),
    /// The same request will fail again.
    #[error("{0}")]
    Final(String),
}

impl Http {
    /// A client that waits `timeout` for an answer and takes `longest` bytes of it.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn new(timeout: Duration, longest: usize, user_agent: &str) -> io::Result<Self> {
        // The first one stays: it does not matter whose it is.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("http").enable_all().build()?;
        // What is sent is for the server that the user named.
        let same_host = Policy::custom(|attempt| match attempt.previous().first() {
            Some(first) if first.host() != attempt.url().host() => {
                let host = attempt.url().host_str().unwrap_or_default();
                let error = RefusedRedirect(host.to_owned());
                attempt.error(error)
            }
            _ => Policy::default().redirect(attempt),
        });
        let client = Client::builder().timeout(timeout).user_agent(user_agent).redirect(same_host);
        Ok(Self { runtime, client: client.build().map_err(io::Error::other)?, longest })
    }

    /// Sends a request, with a body of some content type if there is one.
    ///
    /// # Errors
    /// If no answer comes, or one that is too long.
    pub fn call(&self, method: &str, url: &str, body: Option<(&str, Vec<u8>)>) -> Result<HttpAnswer, CallError> {
        let method = Method::from_bytes(method.as_bytes());
        let method = method.map_err(|error| CallError::Final(error.to_string()))?;
        let mut request = self.client.request(method, url);
        if let Some((content_type, bytes)) = body {
            request = request.header(CONTENT_TYPE, content_type).body(bytes);
        }
        let failed = |error: reqwest::Error| call_error(&error.without_url());
        self.runtime.block_on(async {
            let mut response = request.send().await.map_err(failed)?;
            let (status, asked) = (response.status().as_u16(), retry_after(response.headers()));
            let mut body = Vec::new();
            while let Some(piece) = response.chunk().await.map_err(failed)? {
                if body.len() + piece.len() > self.longest {
                    let what = format!("an answer of more than {} bytes", self.longest);
                    return Err(CallError::Final(what));
                }
                body.extend_from_slice(&piece);
            }
            Ok(HttpAnswer { status, retry_after: asked, body: String::from_utf8_lossy(&body).into_owned() })
        })
    }
}

/// A redirect that is not followed.
#[derive(Debug, thiserror::Error)]
#[error("redirects to another host ({0}), which is not asked")]
struct RefusedRedirect(String);

/// The error that the innermost cause describes. An untrusted certificate or an invalid address is
/// permanent.
fn call_error(error: &reqwest::Error) -> CallError {
    let mut is_final = error.is_builder() || error.is_redirect();
    let mut innermost: &dyn Error = error;
    loop {
        is_final |= innermost.to_string().contains("certificate");
        match innermost.source() {
            Some(source) => innermost = source,
            None => break,
        }
    }
    if is_final { CallError::Final(innermost.to_string()) } else { CallError::Passing(innermost.to_string()) }
}
