//! The OpenAPI document: a file, in which the version, the models and the settings of requests are filled in.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde_json::{Value, json};
use trommel::{Kind, fields};

use crate::service::answer;
use crate::service::app::App;

// Tests hold it to the routes, to the parameters and to the keys of answers.
const DOCUMENT: &str = include_str!("../../assets/service/openapi.json");
/// Paths whose query may name settings.
const WITH_SETTINGS: [&str; 3] = ["/extract", "/extract/batch", "/inspect"];
/// Paths of services that search, and the schemas of their answers.
const OF_INDEX: [(&str, &[&str]); 2] = [
    ("/paths", &["/search", "/stored"]),
    ("/components/schemas", &["FoundDocument", "SearchAnswer", "SnippetPiece", "StoredDocument"]),
];

/// The OpenAPI document of a service with these models, of which the first is the default.
pub fn openapi(models: &[&str]) -> Value {
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap_or_default();
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    let settings: Vec<Value> = settings(models).collect();
    for path in WITH_SETTINGS {
        if let Some(parameters) = document["paths"][path]["post"]["parameters"].as_array_mut() {
            parameters.extend_from_slice(&settings);
        }
    }
    if !cfg!(feature = "index") {
        for (place, names) in OF_INDEX {
            if let Some(all) = document.pointer_mut(place).and_then(Value::as_object_mut) {
                all.retain(|name, _| !names.contains(&name.as_str()));
            }
        }
    }
    document
}

/// The settings that a request may choose, as parameters.
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

/// `GET /openapi.json`
pub(crate) async fn document(State(app): State<Arc<App>>) -> Response {
    let made = app.openapi.get_or_init(|| {
        let described = openapi(&app.models.names());
        described.to_string().into()
    });
    answer::body("application/json", made.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check("About", json!(crate::service::about::About::default()));
        check("Inspected", json!(crate::service::inspect::Inspected::default()));
        check("Problem", json!(crate::service::Problem::default()));
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
            ("/extract", &crate::service::hints::OF_PAGE[..]),
            ("/extract/batch", &crate::service::batch::OF_BATCH),
            ("/inspect", &crate::service::inspect::OF_INSPECT),
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
