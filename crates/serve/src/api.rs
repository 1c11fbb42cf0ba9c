//! The OpenAPI document. It is generated from the code.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde_json::{Value, json};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::{answer, app::App, problem};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "trommel",
        description = "Main text of web pages: pages and archives in, text and documents out.",
    ),
    paths(
        crate::extract::extract,
        crate::batch::batch,
        crate::inspect::inspect,
        crate::about::about,
        crate::about::healthz,
        crate::about::readyz,
        crate::about::metrics,
        self::document,
    ),
    modifiers(&Bearer),
    security((), ("bearer" = [])),
)]
struct Api;

#[cfg(feature = "index")]
#[derive(OpenApi)]
#[openapi(paths(crate::search::search, crate::search::stored))]
struct SearchApi;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut Document) {
        if let Some(components) = document.components.as_mut() {
            let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
            components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
        }
    }
}

/// The OpenAPI document of a service with these models, the first of which is the default.
pub fn openapi(models: &[&str]) -> Value {
    #[allow(unused_mut)]
    let mut document = Api::openapi();
    #[cfg(feature = "index")]
    document.merge(SearchApi::openapi());
    let mut value = serde_json::to_value(&document).unwrap_or_default();
    if let Some(paths) = value.get_mut("paths").and_then(Value::as_object_mut) {
        let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(|path| path.values_mut());
        for operation in operations {
            name_models(operation, models);
            take_any_bytes(operation);
        }
    }
    value
}

/// Says which models a parameter `model` may name.
fn name_models(operation: &mut Value, models: &[&str]) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        if parameter.get("name").is_some_and(|name| name == "model")
            && let Some(parameter) = parameter.as_object_mut()
        {
            let schema = json!({"type": "string", "enum": models, "default": models.first()});
            parameter.insert("schema".to_owned(), schema);
        }
    }
}

/// Bodies are bytes, of which any are taken, and none at all.
fn take_any_bytes(operation: &mut Value) {
    if let Some(required) = operation.pointer_mut("/requestBody/required") {
        *required = false.into();
    }
    let contents = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut);
    for content in contents.into_iter().flat_map(|all| all.values_mut()) {
        *content = json!({"schema": {"type": "string", "format": "binary"}});
    }
}

/// This description
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    responses(
        (status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json"),
        problem::CommonRefusals,
    ),
    tag = "service"
)]
pub(crate) async fn document(State(app): State<Arc<App>>) -> Response {
    let made = app.openapi.get_or_init(|| {
        let described = openapi(&app.models.names());
        described.to_string().into()
    });
    answer::body("application/json", made.clone())
}
