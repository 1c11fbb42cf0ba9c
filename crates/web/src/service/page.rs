//! The web page. Its files are part of the program.

use axum::{extract::Path, response::Response};
use http::{HeaderValue, header};

use crate::service::answer::{self, Refusal};

const INDEX: &str = include_str!("../../assets/service/index.html");
const STYLE: &str = include_str!("../../assets/service/app.css");
const SCRIPT: &str = include_str!("../../assets/service/app.js");

/// Content security policy: the page loads only its own files and connects only to this service. Style attributes are
/// the viewer's, which escapes the content of pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /`
pub(crate) async fn index() -> Response {
    file("text/html; charset=utf-8", INDEX)
}

/// `GET /assets/NAME`: one of four files, none of which is read from the disk.
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    match name.as_str() {
        "app.css" => Ok(file("text/css; charset=utf-8", STYLE)),
        "app.js" => Ok(file("text/javascript; charset=utf-8", SCRIPT)),
        "viewer.css" => Ok(file("text/css; charset=utf-8", crate::viewer::STYLE)),
        "viewer.js" => Ok(file("text/javascript; charset=utf-8", crate::viewer::SCRIPT)),
        _ => Err(Refusal::NotFound("there is no such file".to_owned())),
    }
}

fn file(media_type: &'static str, text: &'static str) -> Response {
    let mut response = answer::body(media_type, text);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
