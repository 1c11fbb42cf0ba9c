//! The routes of the service.

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Router, middleware};

use crate::service::{about, answer::Refusal, api, app::App, batch, extract, inspect, observe, page};

/// All paths.
pub(crate) fn router(app: Arc<App>) -> Router {
    let router = Router::new()
        .route("/", get(page::index))
        .route("/assets/{name}", get(page::asset))
        .route("/extract", post(extract::extract))
        .route("/extract/batch", post(batch::batch))
        .route("/inspect", post(inspect::inspect))
        .route("/about", get(about::about))
        .route("/healthz", get(about::healthz))
        .route("/readyz", get(about::readyz))
        .route("/metrics", get(about::metrics))
        .route("/openapi.json", get(api::document));
    #[cfg(feature = "index")]
    let router = router
        .route("/search", get(crate::service::search::search))
        .route("/stored", get(crate::service::search::stored));
    router
        .fallback(|| async { Refusal::NotFound("there is nothing at this path".to_owned()) })
        .method_not_allowed_fallback(|| async { Refusal::MethodNotAllowed })
        .layer(middleware::from_fn_with_state(app.clone(), observe::around))
        .with_state(app)
}
