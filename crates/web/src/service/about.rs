//! The service's description of itself.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde::Serialize;

use crate::service::{answer, app::App};

/// The properties of a service.
#[derive(Debug, Default, Serialize)]
pub(crate) struct About {
    /// Version of the program.
    version: &'static str,
    /// The models that requests may name; the first is the default.
    models: Vec<String>,
    /// Maximum bytes of a page.
    max_body: u64,
    /// Documents of the index; null if there is none.
    indexed: Option<u64>,
    /// True if pages of the index can be looked at.
    archives: bool,
}

/// The version, models and index of this service
pub(crate) async fn about(State(app): State<Arc<App>>) -> Response {
    #[cfg(feature = "index")]
    let indexed = app.settings.index.as_ref().map(trommel::index::Index::documents);
    #[cfg(not(feature = "index"))]
    let indexed = None;
    answer::json(&About {
        version: env!("CARGO_PKG_VERSION"),
        models: app.models.names().into_iter().map(str::to_owned).collect(),
        max_body: app.max_page,
        indexed,
        archives: app.settings.archives.is_some(),
    })
}

/// Answers 200 while the service runs
pub(crate) async fn healthz() -> Response {
    answer::body("text/plain; charset=utf-8", "ok\n")
}

/// Answers 200 while the service accepts requests, 503 otherwise
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Response {
    if app.is_ready() {
        return answer::body("text/plain; charset=utf-8", "ready\n");
    }
    let body = answer::body("text/plain; charset=utf-8", "not ready\n");
    (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
}

/// Counts and times, as Prometheus reads them
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    answer::body(trommel::metrics::CONTENT_TYPE, app.metrics.to_string())
}
