//! Answers: bodies, and refusals as problem documents (RFC 9457), which say why a request failed.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};

use crate::service::Foreign;

/// Seconds after which a client that was refused for lack of room may ask again.
const RETRY: &str = "1";

/// Reason why a request is not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0}")]
    BadRequest(String),
    #[error("a bearer token is needed")]
    Unauthorized,
    #[error("{0}")]
    Foreign(#[from] Foreign),
    #[error("{0}")]
    NotFound(String),
    #[error("this path does not know the method")]
    MethodNotAllowed,
    #[error("answers are application/json, text/plain or text/markdown")]
    NotAcceptable,
    #[error("the body did not come in {0} seconds")]
    TimedOut(u64),
    #[error("the body came too slowly, and others wait")]
    TooSlow,
    #[error("the body is longer than {0} bytes")]
    TooLarge(u64),
    #[error("the page needs more memory than there is for one")]
    TooHeavy,
    #[error("{0}")]
    Unsupported(String),
    #[error("nothing can be expected but 100-continue")]
    Expectation,
    #[error("the body is {0}, not a page")]
    NoPage(String),
    #[error("there are as many requests as there is room for")]
    Busy,
    #[error("the page met a fault of the program")]
    Fault,
}

impl Refusal {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Foreign(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::TimedOut(_) | Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge(_) | Self::TooHeavy => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unsupported(_) | Self::NoPage(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Expectation => StatusCode::EXPECTATION_FAILED,
            Self::Busy => StatusCode::TOO_MANY_REQUESTS,
            Self::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = self.status();
        let problem = Problem {
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            detail: self.to_string(),
        };
        let mut response = json(&problem);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match self {
            Self::Busy => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY));
            }
            Self::Unauthorized => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            // The rest of the body is not wanted.
            Self::TimedOut(_) | Self::TooSlow => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}

/// A body of this type.
pub(crate) fn body(media_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => body("application/json", bytes),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The same as bytes, for answers that are held in memory until they are sent.
pub(crate) fn json_bytes(value: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(value).map_err(|_| Refusal::Fault)
}

/// Reason why a request failed (RFC 9457).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Name of the status.
    pub title: String,
    /// The status.
    pub status: u16,
    /// The fault, in a sentence.
    pub detail: String,
}
