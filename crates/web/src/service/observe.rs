//! Counts and logs requests and pages, and answers `GET /metrics` for a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io, sync::Arc, thread, thread::JoinHandle};

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, body::Body, middleware::Next, routing::get};
use http::{HeaderValue, StatusCode};
use percent_encoding::percent_decode_str;
use trommel::metrics::{CONTENT_TYPE, Metrics};

use crate::service::app::{App, REQUEST_ID};
use crate::service::{Listen, ListenError, ServiceLimits, Socket, answer, serve_router};
use crate::{service::answer::Refusal, service::body::LingeringBody, service::connection::ByUnixSocket};

/// Paths that are open to everyone: health, and the files of the page, which say nothing.
const OPEN_PATHS: [&str; 7] =
    ["/healthz", "/readyz", "/", "/assets/app.css", "/assets/app.js", "/assets/viewer.css", "/assets/viewer.js"];

/// Around every request: who asks, its name, its time, a line of the log.
pub(crate) async fn around(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let id = app.ids.of(request.headers());
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let (head, body) = request.into_parts();
    let body = LingeringBody::new(body, &head.headers, &app.settings.limits);
    let request = Request::from_parts(head, Body::new(body));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let is_open = OPEN_PATHS.contains(&path.as_str());
    let mut response = if let Err(refusal) = admitted(&app, &request, is_open) {
        refusal.into_response()
    } else if !is_utf8(request.uri().query()) {
        Refusal::BadRequest("the query is not UTF-8".to_owned()).into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id.clone());
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    let time = begin.elapsed();
    let status = response.status();
    app.metrics.request(name(status));
    app.metrics.stage("request", time);
    let id = id.to_str().unwrap_or_default();
    let milliseconds = time.as_secs_f64() * 1000.0;
    let status = status.as_u16();
    // Health and metrics are asked for all the time.
    if is_open || path == "/metrics" {
        tracing::debug!(request_id = id, %method, path, status, milliseconds, "request");
    } else {
        tracing::info!(request_id = id, %method, path, status, milliseconds, "request");
    }
    response
}

/// Checks that a request may be answered. It must bring the token. Without a token on the service, no page of another
/// site may have sent it. Browsers do not reach Unix sockets, and open routes reveal nothing about anybody.
fn admitted(app: &App, request: &Request, is_open: bool) -> Result<(), Refusal> {
    let headers = request.headers();
    match &app.settings.token {
        Some(token) if is_open || token.is_in(headers) => Ok(()),
        Some(_) => Err(Refusal::Unauthorized),
        None if request.extensions().get::<ByUnixSocket>().is_some() => Ok(()),
        None if is_open => Ok(app.settings.guard.host(request.uri(), headers)?),
        None => Ok(app.settings.guard.check(request.uri(), headers)?),
    }
}

fn is_utf8(query: Option<&str>) -> bool {
    query.is_none_or(|query| percent_decode_str(query).decode_utf8().is_ok())
}

/// Statuses that are counted by themselves.
const STATUSES: [&str; 15] =
    ["200", "204", "400", "401", "403", "404", "405", "406", "408", "413", "415", "417", "429", "500", "503"];

/// A status as a label.
fn name(status: StatusCode) -> &'static str {
    STATUSES.into_iter().find(|known| *known == status.as_str()).unwrap_or("other")
}

/// Connections at a time: Prometheus asks every few seconds.
const CONNECTIONS: usize = 16;
/// Time that a request may take, and that the run waits for one in flight when it ends.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Answers `GET /metrics` on a thread of its own until it is dropped.
#[derive(Debug)]
pub struct MetricsListener {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsListener {
    /// Begins to listen at an address.
    ///
    /// # Errors
    /// If the address cannot be listened at.
    pub fn bind(address: &Listen, metrics: Arc<Metrics>) -> Result<Self, ListenError> {
        let failed = |source: io::Error| ListenError::Bind { address: address.to_string(), source };
        let socket = Socket::bind(address)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || {
                if let Err(error) = serve_router(router(metrics), &limits(), vec![socket], &flag) {
                    tracing::warn!("--metrics: {error}");
                }
            })
            .map_err(failed)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for MetricsListener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn router(metrics: Arc<Metrics>) -> Router {
    let scrape = move || async move { answer::body(CONTENT_TYPE, metrics.to_string()) };
    Router::new().route("/metrics", get(scrape))
}

fn limits() -> ServiceLimits {
    ServiceLimits {
        jobs: std::num::NonZeroUsize::MIN,
        timeout: TIMEOUT,
        grace: TIMEOUT,
        connections: CONNECTIONS,
        ..ServiceLimits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener, TcpStream};

    #[test]
    fn queries_are_utf_8() {
        assert!(is_utf8(None) && is_utf8(Some("url=%C3%A9&x=é")));
        assert!(!is_utf8(Some("url=%ff")));
    }

    fn ask(address: SocketAddr, method: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn metrics_are_answered_and_nothing_else() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        let listen = Listen::Tcp(address.to_string());
        let metrics = Arc::new(Metrics::new());
        assert!(MetricsListener::bind(&listen, metrics.clone()).is_err(), "the address is taken");
        drop(free);
        let listener = MetricsListener::bind(&listen, metrics.clone()).unwrap();
        metrics.record();
        let answer = ask(address, "GET", "/metrics");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains(CONTENT_TYPE), "{answer}");
        assert!(answer.contains("\ntrommel_records_total 1\n"), "{answer}");
        let head = ask(address, "HEAD", "/metrics");
        assert!(head.ends_with("\r\n\r\n") && !head.contains("trommel_records"), "{head}");
        for (method, path, status) in
            [("GET", "/", "404"), ("GET", "/metrics/../x", "404"), ("POST", "/metrics", "405")]
        {
            let answer = ask(address, method, path);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        }
        drop(listener);
        assert!(TcpStream::connect(address).is_err(), "still listening");
    }
}
