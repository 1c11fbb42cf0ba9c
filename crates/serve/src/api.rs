//! The OpenAPI document. It is generated from the code.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde_json::{Value, json};
use trommel::{Kind, fields};
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::answer;
use crate::app::App;
use crate::batch::OF_BATCH;
use crate::choices::{ParameterKind, RouteParameter};
use crate::hints::OF_PAGE;
use crate::inspect::OF_INSPECT;

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
    components(schemas(crate::Problem)),
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

type Refusals = &'static [(u16, &'static str)];

/// Refusals of everything behind the bearer token.
const REFUSALS: Refusals = &[
    (401, "The bearer token is missing or wrong"),
    (403, "Without a token: another host is asked for, or a page of another site asks"),
];
/// Further refusals of requests with a page.
const PAGE_REFUSALS: Refusals = &[
    (408, "The body came too slowly"),
    (413, "The page is too long, or needs too much memory"),
    (415, "The body has a Content-Encoding, or is no page by its bytes (PDF, images ...)"),
    NO_ROOM,
    (500, "A fault of the program"),
];
const UNREADABLE: (u16, &str) = (400, "The query cannot be read");
const NO_ROOM: (u16, &str) = (429, "No room; ask again after Retry-After");

/// A path behind the bearer token: its parameters if it takes settings besides, and its own refusals.
type Operation = (&'static str, Option<&'static [RouteParameter]>, &'static [Refusals]);

const OPERATIONS: [Operation; 8] = [
    (
        "/extract",
        Some(&OF_PAGE),
        &[&[(400, "Query or headers cannot be read"), (406, "No form that the client accepts")], PAGE_REFUSALS],
    ),
    (
        "/extract/batch",
        Some(&OF_BATCH),
        &[&[
            (400, "The query cannot be read, or the body is no archive"),
            (408, "The archive did not begin in time"),
            (415, "The body has a Content-Encoding"),
            NO_ROOM,
        ]],
    ),
    (
        "/inspect",
        Some(&OF_INSPECT),
        &[&[UNREADABLE, (404, "No such document, or its page is not at hand")], PAGE_REFUSALS],
    ),
    ("/search", None, &[&[UNREADABLE, (404, "This service has no index"), NO_ROOM]]),
    ("/stored", None, &[&[UNREADABLE, (404, "There is no such document"), NO_ROOM]]),
    ("/about", None, &[]),
    ("/metrics", None, &[]),
    ("/openapi.json", None, &[]),
];

/// The OpenAPI document of a service with these models, the first of which is the default.
pub fn openapi(models: &[&str]) -> Value {
    #[allow(unused_mut)]
    let mut document = Api::openapi();
    #[cfg(feature = "index")]
    document.merge(SearchApi::openapi());
    let mut document = serde_json::to_value(&document).unwrap_or_default();
    for (path, own_parameters, refusals) in OPERATIONS {
        let methods = document["paths"].get_mut(path).and_then(Value::as_object_mut);
        for operation in methods.into_iter().flat_map(|methods| methods.values_mut()) {
            if let Some(own_parameters) = own_parameters {
                operation["parameters"] = parameters(own_parameters, models);
                take_any_bytes(operation);
            }
            for (status, description) in REFUSALS.iter().chain(refusals.iter().copied().flatten()) {
                let problem = json!({"schema": {"$ref": "#/components/schemas/Problem"}});
                operation["responses"][status.to_string()] =
                    json!({"description": description, "content": {"application/problem+json": problem}});
            }
        }
    }
    document
}

/// The parameters of a request: its own, and the settings. `model` may name these models.
fn parameters(own_parameters: &[RouteParameter], models: &[&str]) -> Value {
    let described = |name: &str, doc: &str, schema: Value| json!({"name": name, "in": "query", "required": false, "description": doc, "schema": schema});
    let of_route = own_parameters.iter().map(|parameter| {
        let schema = match parameter.kind {
            ParameterKind::Text => json!({"type": "string"}),
            ParameterKind::Switch => json!({"type": "boolean"}),
            ParameterKind::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        };
        described(parameter.name, parameter.doc, schema)
    });
    let settings = fields().iter().filter(|field| field.is_of_requests()).map(|field| {
        let schema = match field.name.as_str() {
            "model" => json!({"type": "string", "enum": models, "default": models.first()}),
            _ => schema(&field.kind),
        };
        described(&field.name, &field.doc, schema)
    });
    of_route.chain(settings).collect()
}

fn schema(kind: &Kind) -> Value {
    let one_of = |values: &[trommel::Value]| {
        let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
        json!({"type": "string", "enum": names})
    };
    match kind {
        Kind::Switch => json!({"type": "boolean"}),
        Kind::OneOf(values) => one_of(values),
        Kind::Integer => json!({"type": "integer", "minimum": 0}),
        Kind::Number => json!({"type": "number"}),
        // Divided by commas.
        Kind::ListOf(values) => json!({"type": "array", "items": one_of(values)}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        _ => json!({"type": "string"}),
    }
}

/// The body is bytes, of which any are taken, and none at all.
fn take_any_bytes(operation: &mut Value) {
    let body = &mut operation["requestBody"];
    body["required"] = false.into();
    for content in body["content"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
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
