//! Follows redirects, no further than the user allows.

use http::header::{AUTHORIZATION, COOKIE, HOST, LOCATION, PROXY_AUTHORIZATION};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use object_store::client::{HttpClient, HttpError, HttpErrorKind, HttpRequest, HttpResponse};
use url::Url;

use crate::SourceError;

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
