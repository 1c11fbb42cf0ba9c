//! Defines the routes of the service, and answers about itself: its web page, its OpenAPI document, its description.
//!
//! The OpenAPI document is a file, in which the version, the models and the settings of requests are filled in.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use trommel::{Document, Kind, fields};
use trommel_text::keys::{Field, Keyed as _, Shape};

use crate::service::{answer, batch, extract_and_inspect, metrics};
use crate::{service::answer::Refusal, service::shared_state::App};

/// Creates the router with all paths of the service.
pub(crate) fn router(app: Arc<App>) -> Router {
    let router = Router::new()
        .route("/", get(index))
        .route("/assets/{name}", get(asset))
        .route("/extract", post(extract_and_inspect::extract))
        .route("/extract/batch", post(batch::batch))
        .route("/inspect", post(extract_and_inspect::inspect))
        .route("/about", get(about))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(document));
    #[cfg(feature = "index")]
    let router = router
        .route("/search", get(crate::service::search::search))
        .route("/stored", get(crate::service::search::stored));
    router
        .fallback(|| async { Refusal::missing("there is nothing at this path") })
        .method_not_allowed_fallback(|| async {
            Refusal(StatusCode::METHOD_NOT_ALLOWED, "this path does not know the method".into())
        })
        .layer(middleware::from_fn_with_state(app.clone(), metrics::around))
        .with_state(app)
}

const INDEX: &str = include_str!("../../assets/service/index.html");
const STYLE: &str = include_str!("../../assets/service/app.css");
const SCRIPT: &str = include_str!("../../assets/service/app.js");

/// Content security policy of the web page: it loads only files of this service and connects only to this service.
/// Style attributes are allowed for the viewer, which escapes the content of pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Answers `GET /` with the web page of the service.
pub(crate) async fn index() -> Response {
    file("text/html; charset=utf-8", INDEX)
}

/// Answers `GET /assets/NAME` with one of four files, all of which are part of the program.
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    match name.as_str() {
        "app.css" => Ok(file("text/css; charset=utf-8", STYLE)),
        "app.js" => Ok(file("text/javascript; charset=utf-8", SCRIPT)),
        "viewer.css" => Ok(file("text/css; charset=utf-8", crate::viewer::STYLE)),
        "viewer.js" => Ok(file("text/javascript; charset=utf-8", crate::viewer::SCRIPT)),
        _ => Err(Refusal::missing("there is no such file")),
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

// Tests hold it to the routes, to the parameters and to the keys of answers.
const DOCUMENT: &str = include_str!("../../assets/service/openapi.json");
/// Paths of the requests whose query may name settings.
const WITH_SETTINGS: [&str; 3] = ["/extract", "/extract/batch", "/inspect"];
/// Returns the OpenAPI document of a service with these models, the first of which is the default.
pub fn openapi(models: &[&str]) -> Value {
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap_or_default();
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    let settings: Vec<Value> = settings(models).collect();
    for path in WITH_SETTINGS {
        if let Some(parameters) = document["paths"][path]["post"]["parameters"].as_array_mut() {
            parameters.extend_from_slice(&settings);
        }
    }
    let page = &mut document["components"]["schemas"]["ExtractedPage"];
    page["properties"] = Document::KEYS.iter().map(|key| (key.field.name.to_owned(), property(&key.field))).collect();
    page["required"] = Document::KEYS.iter().map(|key| key.field.name).collect();
    document
}

/// Returns the settings that a request may choose, as parameters of an OpenAPI document.
fn settings(models: &[&str]) -> impl Iterator<Item = Value> {
    fields().iter().filter(|field| field.is_of_requests()).map(move |field| {
        let schema = match field.name.as_str() {
            "model" => json!({"type": "string", "enum": models, "default": models.first()}),
            _ => schema(&field.kind),
        };
        json!({"name": field.name, "in": "query", "required": false, "description": field.doc, "schema": schema})
    })
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

/// Returns the JSON schema for the value of one key of a document.
fn property(key: &Field) -> Value {
    let kind = match key.shape {
        Shape::Text | Shape::Word | Shape::Address | Shape::Date => "string",
        Shape::Int | Shape::Long | Shape::Time => "integer",
        Shape::Number => "number",
        Shape::Boolean => "boolean",
        Shape::Object => "object",
        Shape::Texts | Shape::Rows | Shape::Objects(_) => "array",
    };
    let mut schema = json!({"type": kind, "description": key.about.trim()});
    match key.shape {
        Shape::Texts => schema["items"] = json!({"type": "string"}),
        Shape::Rows | Shape::Objects(_) => schema["items"] = json!({}),
        _ => {}
    }
    schema
}

/// Answers `GET /openapi.json` with the OpenAPI document of the service.
pub(crate) async fn document(State(app): State<Arc<App>>) -> Response {
    let made = app.openapi.get_or_init(|| {
        let described = openapi(&app.model_names());
        described.to_string().into()
    });
    answer::body("application/json", made.clone())
}

/// Answers `GET /about` with the version, models and index of the service.
pub(crate) async fn about(State(app): State<Arc<App>>) -> Response {
    #[cfg(feature = "index")]
    let indexed = app.settings.index.as_ref().map(trommel::index::Index::documents);
    #[cfg(not(feature = "index"))]
    let indexed: Option<u64> = None;
    answer::json_answer(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "models": app.model_names(),
        "max_body": app.max_page,
        "indexed": indexed,
        "archives": app.settings.archives.is_some(),
    }))
}

/// Answers `GET /healthz` with status 200 while the service runs.
pub(crate) async fn healthz() -> Response {
    answer::body("text/plain; charset=utf-8", "ok\n")
}

/// Answers `GET /readyz` with status 200 while the service accepts requests, and with 503 otherwise.
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Response {
    if app.is_ready() {
        return answer::body("text/plain; charset=utf-8", "ready\n");
    }
    let body = answer::body("text/plain; charset=utf-8", "not ready\n");
    (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
}

/// Answers `GET /metrics` with counts and times, in the format of Prometheus.
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    app.metrics.queue(app.admission.inside());
    answer::body(trommel::metrics::CONTENT_TYPE, app.metrics.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::answer::problem;

    fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        names
    }

    fn keys(value: &Value) -> Vec<&str> {
        sorted(value.as_object().unwrap().keys().map(String::as_str))
    }

    #[test]
    fn schemas_have_the_keys_of_answers() {
        let document = openapi(&["fast"]);
        let check = |name: &str, answer: Value| {
            let schema = &document["components"]["schemas"][name];
            assert_eq!(keys(&schema["properties"]), keys(&answer), "{name}");
        };
        check("Inspected", json!(crate::service::extract_and_inspect::Inspected::default()));
        check("Problem", problem(StatusCode::NOT_FOUND, "why"));
        #[cfg(feature = "index")]
        {
            check("FoundDocument", json!(crate::service::search::FoundDocument::default()));
            check("SearchAnswer", json!(crate::service::search::SearchAnswer::default()));
            check("SnippetPiece", json!(crate::service::search::SnippetPiece::default()));
            check("StoredDocument", json!(crate::service::search::StoredDocument::default()));
        }
    }

    #[test]
    fn parameters_are_those_of_the_routes_and_settings() {
        let document = openapi(&["best", "fast"]);
        let known = fields().iter().filter(|field| field.is_of_requests()).map(|field| field.name.as_str());
        let known: Vec<&str> = known.collect();
        for (path, of_route) in [
            ("/extract", &crate::service::request_options::OF_PAGE[..]),
            ("/extract/batch", &crate::service::batch::OF_BATCH),
            ("/inspect", &crate::service::extract_and_inspect::OF_INSPECT),
        ] {
            let given = document["paths"][path]["post"]["parameters"].as_array().unwrap();
            let names = given.iter().map(|parameter| parameter["name"].as_str().unwrap());
            assert_eq!(sorted(names), sorted(of_route.iter().chain(&known).copied()), "{path}");
            let model = given.iter().find(|parameter| parameter["name"] == "model").unwrap();
            assert_eq!(model["schema"]["default"], "best");
        }
    }

    #[test]
    fn every_reference_has_a_schema() {
        let document = openapi(&["fast"]);
        let text = document.to_string();
        let references = text.split("\"#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap());
        let named: Vec<&str> = references.collect();
        let schemas = keys(&document["components"]["schemas"]);
        assert!(schemas.iter().all(|name| named.contains(name)), "{schemas:?}");
        assert!(named.iter().all(|name| schemas.contains(name)), "{named:?}");
    }
}
