//! Repeats failed requests with growing pauses, as long as the server asks for it.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant, SystemTime};

use http::header::{AUTHORIZATION, CONTENT_LENGTH, IF_MATCH, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};

use super::client::{UNKNOWN_LENGTH, client};
use super::redirect;
use crate::{NetworkOptions, SourceError, redacted};

/// First pause; each is up to three times the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Maximum pause unless the server requests a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Maximum `Retry-After` that is respected.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(300);
/// Bytes of one page of a list. Stores give a thousand names in one, of a kilobyte each at the most.
const MAX_LIST_PAGE: usize = 16 << 20;
/// Tries in a row of a server that does not answer, or with a fault: the object may not be there.
const MAX_UNANSWERED: u32 = 5;

/// Makes clients that repeat their requests.
#[derive(Clone, Debug)]
pub(super) struct RetryingConnector {
    pub(super) options: NetworkOptions,
    /// `Authorization` of every request.
    pub(super) authorization: Option<HeaderValue>,
    /// True if the server sends requests on to others by design. They are followed then, and what one of them says of
    /// an object's version is not asked of the others.
    pub(super) sends_on: bool,
}

impl HttpConnector for RetryingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Client { inner: client(options, &self.options)?, connector: self.clone() }))
    }
}

#[derive(Debug)]
struct Client {
    inner: HttpClient,
    connector: RetryingConnector,
}

#[async_trait::async_trait]
impl HttpService for Client {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if let Some(authorization) = &self.connector.authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        if self.connector.sends_on {
            request.headers_mut().remove(IF_MATCH);
        }
        let begin = Instant::now();
        let (mut tries, mut unanswered, mut last) = (0, 0, FIRST_PAUSE);
        loop {
            let follow_hosts = self.connector.options.follow_hosts || self.connector.sends_on;
            let answer = redirect::send(&self.inner, request.clone(), follow_hosts).await;
            let (reason, asked) = match &answer {
                Ok(response) if is_busy(response.status()) => {
                    unanswered = 0;
                    (response.status().to_string(), retry_after(response.headers()))
                }
                Ok(response) if is_fault(response.status()) && unanswered + 1 < MAX_UNANSWERED => {
                    unanswered += 1;
                    (response.status().to_string(), retry_after(response.headers()))
                }
                Err(error) if is_worth_another(error) && unanswered + 1 < MAX_UNANSWERED => {
                    unanswered += 1;
                    (innermost(error), None)
                }
                Ok(_) => return answer.map(|answer| bounded_list(request.uri(), with_length(answer))),
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

/// Returns whether the server asks for fewer requests.
fn is_busy(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE
}

/// Returns whether the server failed in a way that may pass.
fn is_fault(status: StatusCode) -> bool {
    status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED || status == StatusCode::REQUEST_TIMEOUT
}

/// Returns whether the same request may come through later. A certificate that is not trusted stays so.
fn is_worth_another(error: &HttpError) -> bool {
    let passing = matches!(
        error.kind(),
        HttpErrorKind::Connect | HttpErrorKind::Request | HttpErrorKind::Timeout | HttpErrorKind::Interrupted
    );
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if error.to_string().contains("certificate") {
            return false;
        }
        cause = error.source();
    }
    passing
}

pub(super) fn innermost(error: &HttpError) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// The time that `Retry-After` asks for, in seconds or as a date; at most five minutes.
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

/// A pause by chance between the first and three times the last, so that many readers that were refused
/// at once do not ask again at once ("decorrelated jitter").
fn next_pause(last: Duration) -> Duration {
    let most = last.saturating_mul(3).min(MAX_PAUSE);
    // The keys of hash maps are the random numbers of the standard library.
    let chance = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    FIRST_PAUSE + most.saturating_sub(FIRST_PAUSE).mul_f64(chance)
}

/// Says of an answer without a length that its length is not known, as the store wants one.
fn with_length(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    if !headers.contains_key(CONTENT_LENGTH) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(UNKNOWN_LENGTH));
    }
    response
}

/// Bounds the body of an answer that is a page of a list, which is read whole.
fn bounded_list(uri: &Uri, answer: HttpResponse) -> HttpResponse {
    let is_list = uri.query().is_some_and(|query| {
        // Of S3 and Google, of Azure, and of the hub.
        query.split('&').any(|pair| ["list-type=2", "comp=list", "recursive=true"].contains(&pair))
    });
    if !is_list {
        return answer;
    }
    let too_long = |_| {
        let what = format!("a list with a page of more than {} MiB", MAX_LIST_PAGE >> 20);
        HttpError::new(HttpErrorKind::Unknown, SourceError::Failed(what))
    };
    answer.map(|body| HttpResponseBody::new(Limited::new(body, MAX_LIST_PAGE).map_err(too_long)))
}

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
