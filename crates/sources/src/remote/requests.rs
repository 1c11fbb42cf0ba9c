//! Sends HTTP requests to stores, retries failed requests, and limits redirects.
//!
//! Pauses between retries grow at random, or are as long as the server asks for.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant, SystemTime};
use std::{error::Error, iter};

use http::header::{AUTHORIZATION, CONTENT_LENGTH, IF_MATCH, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::{Client, redirect::Policy};

use crate::{NetworkOptions, SourceError, redacted};

/// Minimum pause before a retry; each pause is at most three times the last one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Maximum pause before a retry, unless the server requests a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Maximum pause that a `Retry-After` header can ask for; a longer one is cut to it.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(300);
/// Maximum number of bytes in one page of a list of objects. Stores send at most a thousand names of a kilobyte each.
const MAX_LIST_PAGE: usize = 16 << 20;
/// Maximum number of consecutive tries if the server does not answer or answers with a server error.
const MAX_UNANSWERED: u32 = 5;

/// Creator of HTTP clients that retry failed requests.
#[derive(Clone, Debug)]
pub(super) struct RetryingConnector {
    pub(super) options: NetworkOptions,
    /// Value of the `Authorization` header of every request, if any.
    pub(super) authorization: Option<HeaderValue>,
    /// Servers to which redirects may lead.
    pub(super) redirects: Redirects,
}

impl HttpConnector for RetryingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(RetryingClient { inner: client(options, self)?, connector: self.clone() }))
    }
}

#[derive(Debug)]
struct RetryingClient {
    inner: HttpClient,
    connector: RetryingConnector,
}

#[async_trait::async_trait]
impl HttpService for RetryingClient {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if self.connector.redirects == Redirects::Anywhere {
            request.headers_mut().remove(IF_MATCH);
        }
        let begin = Instant::now();
        let (mut tries, mut unanswered, mut last) = (0, 0, FIRST_PAUSE);
        loop {
            let answer = self.inner.execute(request.clone()).await;
            let has_more = unanswered + 1 < MAX_UNANSWERED;
            let (reason, asked) = match &answer {
                Ok(response) if is_busy(response.status()) || is_fault(response.status()) && has_more => {
                    // Who asks for fewer requests is asked again for as long as it may take.
                    unanswered = if is_busy(response.status()) { 0 } else { unanswered + 1 };
                    (response.status().to_string(), retry_after(response.headers()))
                }
                Err(error) if has_more && is_worth_another(error) => {
                    unanswered += 1;
                    (innermost(error), None)
                }
                Ok(_) => {
                    let answer = with_length(answer?);
                    return if is_list(request.uri()) { bounded(answer).await } else { Ok(answer) };
                }
                Err(_) => return answer,
            };
            last = next_pause(last);
            let pause = asked.unwrap_or(last);
            if begin.elapsed() + pause > self.connector.options.retry_for.max(asked.unwrap_or_default())
                || self.connector.options.stop.is_set()
            {
                return answer.map(with_length);
            }
            tries += 1;
            let url = redacted(&request.uri().to_string());
            tracing::warn!("{url}: {reason}; asking again in {:.1} s (try {})", pause.as_secs_f64(), tries + 1);
            self.connector.options.stop.sleep(pause).await;
        }
    }
}

/// Returns whether the status asks for fewer requests: 429 or 503.
fn is_busy(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE
}

/// Returns whether the status is a server error or timeout that may pass, so that a retry makes sense.
fn is_fault(status: StatusCode) -> bool {
    status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED || status == StatusCode::REQUEST_TIMEOUT
}

/// Returns whether a request that failed with this error may succeed later. An untrusted certificate is not retried.
fn is_worth_another(error: &HttpError) -> bool {
    use HttpErrorKind::{Connect, Interrupted, Request, Timeout};
    let passing = matches!(error.kind(), Connect | Request | Timeout | Interrupted);
    passing && !causes(error).any(|cause| cause.to_string().contains("certificate"))
}

/// Iterates over an error and its causes, from the outermost to the innermost.
pub(super) fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error| (*error).source())
}

/// Returns the message of the innermost cause of an error.
// The outer ones repeat it, with addresses that the caller names anyway.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map_or_else(String::new, ToString::to_string)
}

/// Returns the time that a `Retry-After` header asks for, in seconds or as a date; at most five minutes.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let asked = match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = jiff::fmt::rfc2822::parse(value).ok()?;
            SystemTime::from(date.timestamp()).duration_since(SystemTime::now()).unwrap_or_default()
        }
    };
    Some(asked.min(MAX_RETRY_AFTER))
}

/// Returns a random pause between [`FIRST_PAUSE`] and three times the last pause ("decorrelated jitter"), so that many
/// refused readers do not retry at the same moment.
fn next_pause(last: Duration) -> Duration {
    let most = last.saturating_mul(3).min(MAX_PAUSE);
    // The keys of hash maps are the random numbers of the standard library.
    let chance = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    FIRST_PAUSE + most.saturating_sub(FIRST_PAUSE).mul_f64(chance)
}

/// Sets the length of a response without `Content-Length` to [`UNKNOWN_LENGTH`], because the store requires a length.
fn with_length(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    if !headers.contains_key(CONTENT_LENGTH) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(UNKNOWN_LENGTH));
    }
    response
}

/// Returns whether a request is for a page of a list of objects, on S3, Google, Azure or the Hugging Face Hub.
fn is_list(uri: &Uri) -> bool {
    let is_one = |pair| ["list-type=2", "comp=list", "recursive=true"].contains(&pair);
    uri.query().is_some_and(|query| query.split('&').any(is_one))
}

/// Reads the whole body of a page of a list of objects; fails if it has more than [`MAX_LIST_PAGE`] bytes.
async fn bounded(answer: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (head, body) = answer.into_parts();
    let failed = |error: Box<dyn Error + Send + Sync>| match error.downcast::<HttpError>() {
        Ok(error) => *error,
        Err(_) => {
            let what = format!("a list with a page of more than {} MiB", MAX_LIST_PAGE >> 20);
            // Another attempt would not mend it.
            HttpError::new(HttpErrorKind::Unknown, SourceError::Failed(what))
        }
    };
    let body = Limited::new(body, MAX_LIST_PAGE).collect().await.map_err(failed)?.to_bytes();
    Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
}

/// Set of servers to which a redirect of a request may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redirects {
    /// Same server only, because the request may be signed, and another server could not check the signature.
    SameServer,
    /// Servers on the same host only.
    SameHost,
    /// Any server. Requests then do not demand the version (`ETag`) of an object that another server stated.
    Anywhere,
}

/// Maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 10;

impl Redirects {
    fn policy(self) -> Policy {
        Policy::custom(move |attempt| {
            let (next, here) = (attempt.url(), attempt.previous().last());
            let host = || next.host_str().unwrap_or_default().to_owned();
            let refused = if attempt.previous().len() > MAX_REDIRECTS {
                SourceError::Failed(format!("more than {MAX_REDIRECTS} redirects"))
            } else if self == Self::SameServer && here.is_some_and(|here| here.origin() != next.origin()) {
                SourceError::OtherServer(host())
            } else if self == Self::SameHost && here.is_some_and(|here| here.host() != next.host()) {
                SourceError::OtherHost(host())
            } else {
                return attempt.follow();
            };
            attempt.error(refused)
        })
    }
}

/// Length in bytes that marks an object whose server does not state the length.
pub(super) const UNKNOWN_LENGTH: u64 = 1 << 62;

/// Maximum time to wait until a server accepts a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Creates the HTTP client of a store, with the proxies that the environment names. The client of `object_store` is not
/// used, because it follows redirects to any host.
fn client(options: &ClientOptions, connector: &RetryingConnector) -> object_store::Result<HttpClient> {
    let network = &connector.options;
    let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
    // Not sent on to another server, nor is the URL, which may have secrets.
    let authorization = connector.authorization.iter().map(|value| (AUTHORIZATION, value.clone()));
    let builder = Client::builder().default_headers(authorization.collect()).referer(false);
    let builder = builder.redirect(connector.redirects.policy()).user_agent(USER_AGENT).https_only(!allows_http);
    // A reader that is slow must not look like a server that is: only silence counts.
    let builder = builder.http1_only().connect_timeout(CONNECT).read_timeout(network.idle);
    #[cfg(test)]
    let builder = network.addresses.iter().fold(builder, |builder, (host, address)| builder.resolve(host, *address));
    let client = builder.build();
    let client = client.map_err(|error| object_store::Error::Generic { store: "network", source: Box::new(error) })?;
    Ok(HttpClient::new(client))
}

/// Value of the `User-Agent` header of requests: name and version of this program.
const USER_AGENT: &str = concat!("trommel/", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound() {
        let mut pause = FIRST_PAUSE;
        let mut longest = pause;
        for _ in 0..2000 {
            pause = next_pause(pause);
            assert!((FIRST_PAUSE..=MAX_PAUSE).contains(&pause), "{pause:?}");
            longest = longest.max(pause);
        }
        assert!(longest > Duration::from_secs(20), "{longest:?}");
    }

    #[test]
    fn servers_may_ask_for_five_minutes_at_most() {
        let asked = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
            retry_after(&headers)
        };
        assert_eq!(asked("7"), Some(Duration::from_secs(7)));
        assert_eq!(asked("86400"), Some(MAX_RETRY_AFTER));
        assert_eq!(asked("Sat, 21 Nov 2015 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(asked("Fri, 21 Nov 2110 00:00:00 GMT"), Some(MAX_RETRY_AFTER));
        assert_eq!(asked("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
