//! Counts and logs requests and pages.

use std::{sync::Arc, time::Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode};
use percent_encoding::percent_decode_str;

use crate::service::{
    answer::Refusal, app::App, connection::ByUnixSocket, linger::LingeringBody, request_id::REQUEST_ID,
};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_utf_8() {
        assert!(is_utf8(None) && is_utf8(Some("url=%C3%A9&x=é")));
        assert!(!is_utf8(Some("url=%ff")));
    }
}
