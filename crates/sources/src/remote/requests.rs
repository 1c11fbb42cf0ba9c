//! Requests to the stores: an HTTP client, redirects no further than the user allows, repeats of failed requests.
//!
//! Pauses between repeats grow, and are as long as the server asks for.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};
use std::{error::Error, str::FromStr};

use http::header::{AUTHORIZATION, CONTENT_LENGTH, COOKIE, HOST, IF_MATCH, LOCATION, PROXY_AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use jiff::{Span, SpanRelativeTo};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::{Certificate, Client, NoProxy, Proxy, redirect::Policy};
use url::Url;

use crate::{NetworkOptions, SourceError, redacted};

/// First pause; each is up to three times the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Maximum pause unless the server requests a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Maximum `Retry-After` that is respected.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(300);
/// Bytes of one page of a list. Stores give a thousand names in one, of a kilobyte each at the most.
const MAX_LIST_PAGE: usize = 16 << 20;
/// Pages of a list in a row that follow others and have no names. A store may pass over what was deleted in a few.
pub(super) const MAX_EMPTY_LIST_PAGES: usize = 1000;
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
        let inner = client(options, &self.options)?;
        Ok(HttpClient::new(RetryingClient { inner, connector: self.clone(), empty_pages: AtomicUsize::new(0) }))
    }
}

#[derive(Debug)]
struct RetryingClient {
    inner: HttpClient,
    connector: RetryingConnector,
    /// Pages of a list in a row without names.
    empty_pages: AtomicUsize,
}

#[async_trait::async_trait]
impl HttpService for RetryingClient {
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
            let answer = send(&self.inner, request.clone(), follow_hosts).await;
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
                Ok(_) => {
                    let answer = with_length(answer?);
                    return if is_list(request.uri()) {
                        self.page_of_list(request.uri(), answer).await
                    } else {
                        Ok(answer)
                    };
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

/// Returns whether a request is for a page of a list.
fn is_list(uri: &Uri) -> bool {
    // Of S3 and Google, of Azure, and of the hub.
    has_pair(uri, |pair| ["list-type=2", "comp=list", "recursive=true"].contains(&pair))
}

/// Returns whether a request is for a page of a list after another.
fn is_next_page(uri: &Uri) -> bool {
    has_pair(uri, |pair| ["continuation-token=", "marker=", "cursor="].iter().any(|name| pair.starts_with(name)))
}

fn has_pair(uri: &Uri, is_one: impl Fn(&str) -> bool) -> bool {
    uri.query().is_some_and(|query| query.split('&').any(is_one))
}

/// The beginning of each object in a list of S3 and Google, of Azure, or of the hub.
const OBJECTS: [&str; 3] = ["<Contents>", "<Blob>", "\"path\""];

impl RetryingClient {
    /// Bounds a page of a list, which is read whole, and the pages that go on without a name: their store may
    /// name a next one for ever.
    async fn page_of_list(&self, uri: &Uri, answer: HttpResponse) -> Result<HttpResponse, HttpError> {
        let (head, body) = answer.into_parts();
        let failed = |error: Box<dyn Error + Send + Sync>| match error.downcast::<HttpError>() {
            Ok(error) => *error,
            Err(_) => {
                refused(SourceError::Failed(format!("a list with a page of more than {} MiB", MAX_LIST_PAGE >> 20)))
            }
        };
        let body = Limited::new(body, MAX_LIST_PAGE).collect().await.map_err(failed)?.to_bytes();
        let text = String::from_utf8_lossy(&body);
        if !is_next_page(uri) || OBJECTS.iter().any(|object| text.contains(object)) {
            self.empty_pages.store(0, Ordering::Relaxed);
        } else if self.empty_pages.fetch_add(1, Ordering::Relaxed) >= MAX_EMPTY_LIST_PAGES {
            let what = format!("a list with more than {MAX_EMPTY_LIST_PAGES} pages in a row without a name");
            return Err(refused(SourceError::Failed(what)));
        }
        Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
    }
}

/// Maximum redirects of one request.
const MAX_REDIRECTS: usize = 10;

/// Sends a request and follows where it is redirected to: on the same host, or anywhere if the user asked
/// for that. What says who asks goes to the server that it is for only, and a request that is signed, which
/// another server could not take anyway, goes nowhere else.
pub(super) async fn send(
    client: &HttpClient,
    mut request: HttpRequest,
    follow_hosts: bool,
) -> Result<HttpResponse, HttpError> {
    let mut redirects = 0;
    loop {
        let response = client.execute(request.clone()).await?;
        let Some(next) = target(&request, &response) else { return Ok(response) };
        redirects += 1;
        if redirects > MAX_REDIRECTS {
            return Err(refused(SourceError::Redirects(MAX_REDIRECTS)));
        }
        let Ok(here) = Url::parse(&request.uri().to_string()) else { return Ok(response) };
        let host = || next.host_str().unwrap_or_default().to_owned();
        if !["http", "https"].contains(&next.scheme()) {
            return Err(refused(SourceError::Address(format!("{}:// after a redirect", next.scheme()))));
        }
        if next.origin() != here.origin() {
            if is_signed(request.headers()) {
                return Err(refused(SourceError::SignedRedirect(host())));
            }
            if next.host() != here.host() && !follow_hosts {
                return Err(refused(SourceError::OtherHost(host())));
            }
            forget_credentials(request.headers_mut());
        }
        let Ok(uri) = next.as_str().parse() else { return Ok(response) };
        *request.uri_mut() = uri;
        // Made anew for where it goes.
        request.headers_mut().remove(HOST);
    }
}

/// The target of a redirect to which the same request can be sent; none for other answers.
fn target(request: &HttpRequest, response: &HttpResponse) -> Option<Url> {
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let is_redirect = match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => reads,
        _ => false,
    };
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    let here = Url::parse(&request.uri().to_string()).ok()?;
    // User and password in it are a server's, not the user's, and fragments are for readers.
    let mut next = here.join(location.to_str().ok()?).ok()?;
    next.set_fragment(None);
    let _ = next.set_username("").and(next.set_password(None));
    Some(next)
}

/// Returns whether the headers hold a signature of AWS, or a token that goes with one.
fn is_signed(headers: &HeaderMap) -> bool {
    let by_aws = headers.get(AUTHORIZATION).is_some_and(|value| value.as_bytes().starts_with(b"AWS"));
    by_aws || headers.contains_key("x-amz-security-token")
}

fn forget_credentials(headers: &mut HeaderMap) {
    let of_aws: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().starts_with("x-amz-")).cloned().collect();
    for name in of_aws.into_iter().chain([AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION]) {
        headers.remove(name);
    }
}

/// Wraps an error that another attempt would not mend.
fn refused(error: SourceError) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, error)
}

/// Length of an object whose server does not say it.
pub(super) const UNKNOWN_LENGTH: u64 = 1 << 62;

/// Creates a client with the options of a store, which come from the environment as well. That of `object_store`
/// follows redirects, with all its headers, to any host that a server names.
pub(super) fn client(options: &ClientOptions, network: &NetworkOptions) -> object_store::Result<HttpClient> {
    let failed = |error: reqwest::Error| object_store::Error::Generic { store: "network", source: Box::new(error) };
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(text(options, ClientConfigKey::UserAgent).unwrap_or(USER_AGENT.to_owned()))
        .https_only(!is_set(options, ClientConfigKey::AllowHttp));
    if let Some(proxy) = text(options, ClientConfigKey::ProxyUrl) {
        let mut proxy = Proxy::all(proxy).map_err(failed)?;
        if let Some(hosts) = text(options, ClientConfigKey::ProxyExcludes) {
            proxy = proxy.no_proxy(NoProxy::from_string(&hosts));
        }
        if let Some(pem) = text(options, ClientConfigKey::ProxyCaCertificate) {
            let certificate = Certificate::from_pem(pem.as_bytes()).map_err(failed)?;
            builder = builder.tls_certs_merge([certificate]);
        }
        builder = builder.proxy(proxy);
    }
    if is_set(options, ClientConfigKey::AllowInvalidCertificates) {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    if is_set(options, ClientConfigKey::Http1Only) {
        builder = builder.http1_only();
    }
    if let Some(time) = time(options, ClientConfigKey::ConnectTimeout) {
        builder = builder.connect_timeout(time);
    }
    if let Some(time) = time(options, ClientConfigKey::Timeout) {
        builder = builder.timeout(time);
    }
    if let Some(time) = time(options, ClientConfigKey::PoolIdleTimeout) {
        builder = builder.pool_idle_timeout(time);
    }
    if let Some(most) = parsed(options, ClientConfigKey::PoolMaxIdlePerHost) {
        builder = builder.pool_max_idle_per_host(most);
    }
    // A reader that is slow must not look like a server that is: only silence counts.
    builder = builder.read_timeout(network.idle);
    #[cfg(test)]
    for (host, address) in &network.addresses {
        builder = builder.resolve(host, *address);
    }
    Ok(HttpClient::new(builder.build().map_err(failed)?))
}

/// The name of this program for servers.
const USER_AGENT: &str = concat!("trommel/", env!("CARGO_PKG_VERSION"));

fn text(options: &ClientOptions, key: ClientConfigKey) -> Option<String> {
    options.get_config_value(&key)
}

fn parsed<T: FromStr>(options: &ClientOptions, key: ClientConfigKey) -> Option<T> {
    text(options, key)?.parse().ok()
}

fn is_set(options: &ClientOptions, key: ClientConfigKey) -> bool {
    parsed(options, key).unwrap_or(false)
}

/// A time such as `30s`.
fn time(options: &ClientOptions, key: ClientConfigKey) -> Option<Duration> {
    let span: Span = parsed(options, key)?;
    span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?.try_into().ok()
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
