//! Creates answers: bodies, and refusals as problem documents (RFC 9457), which say why a request failed.

use std::borrow::Cow;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

/// Number of seconds after which a client should try again if the service has no room (header `Retry-After`).
const RETRY: &str = "1";

/// Refusal of a request: the HTTP status, and a sentence about the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) Cow<'static, str>);

impl Refusal {
    pub(crate) const BUSY: Self =
        Self(StatusCode::TOO_MANY_REQUESTS, Cow::Borrowed("there are as many requests as there is room for"));
    pub(crate) const FAULT: Self =
        Self(StatusCode::INTERNAL_SERVER_ERROR, Cow::Borrowed("the page met a fault of the program"));

    /// Creates the refusal of an invalid request (status 400).
    pub(crate) fn bad(fault: impl ToString) -> Self {
        Self(StatusCode::BAD_REQUEST, fault.to_string().into())
    }

    /// Creates the refusal of a request for something that does not exist (status 404).
    pub(crate) fn missing(fault: &'static str) -> Self {
        Self(StatusCode::NOT_FOUND, fault.into())
    }

    /// Creates the refusal of a body of an unsupported kind (status 415).
    pub(crate) fn unsupported(fault: impl Into<Cow<'static, str>>) -> Self {
        Self(StatusCode::UNSUPPORTED_MEDIA_TYPE, fault.into())
    }

    /// Creates the refusal of a body that did not arrive within `seconds` (status 408).
    pub(crate) fn late(seconds: u64) -> Self {
        Self(StatusCode::REQUEST_TIMEOUT, format!("the body did not come in {seconds} seconds").into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, detail) = self;
        let mut response = json_answer(&problem(status, &detail));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        let header = match status {
            StatusCode::TOO_MANY_REQUESTS => Some((RETRY_AFTER, RETRY)),
            StatusCode::UNAUTHORIZED => Some((WWW_AUTHENTICATE, "Bearer")),
            // The rest of the body is not wanted.
            StatusCode::REQUEST_TIMEOUT => Some((CONNECTION, "close")),
            _ => None,
        };
        headers.extend(header.map(|(name, value)| (name, HeaderValue::from_static(value))));
        response
    }
}

/// Creates an HTTP answer with a body of this media type.
pub(crate) fn body(media_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Creates an HTTP answer whose body is a value as JSON.
pub(crate) fn json_answer(value: &impl Serialize) -> Response {
    json_bytes(value).map_or_else(Refusal::into_response, |bytes| body("application/json", bytes))
}

/// Encodes a value as JSON bytes, for answers that are held in memory until they are sent.
pub(crate) fn json_bytes(value: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(value).map_err(|_| Refusal::FAULT)
}

/// Returns the JSON that describes a failed request (RFC 9457): the name of the status, the status, and a sentence
/// about the fault.
pub(crate) fn problem(status: StatusCode, detail: &str) -> Value {
    json!({"title": status.canonical_reason().unwrap_or_default(), "status": status.as_u16(), "detail": detail})
}
