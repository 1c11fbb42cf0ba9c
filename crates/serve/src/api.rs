//! The description of the service: what it answers, and the OpenAPI document, which is made of the
//! code.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{
    Modify, OpenApi, ToSchema,
    openapi::{
        OpenApi as Document,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

/// What `POST /extract` answers as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractedPage {
    /// URL of the page, as the request gave it.
    pub url: Option<String>,
    /// Main text; empty if the page has none.
    pub text: String,
    /// Title, without the name of the site.
    pub title: Option<String>,
    /// Language of the text (ISO 639-1, or 639-3 where there is no shorter code).
    pub lang: Option<String>,
    /// Authors.
    #[serde(default)]
    pub author: Vec<String>,
    /// Date of publication (ISO 8601).
    pub published: Option<String>,
    /// Date of the last change (ISO 8601).
    pub modified: Option<String>,
    /// Name of the site.
    pub site: Option<String>,
    /// What the page says it is about.
    pub description: Option<String>,
    /// Canonical URL.
    pub canonical: Option<String>,
    /// Language that the page declares (BCP 47).
    pub lang_declared: Option<String>,
    /// Type that the model takes the page for.
    pub page_type: Option<String>,
    /// Headings among the lines of the text.
    #[serde(default)]
    pub headings: Vec<String>,
    /// Readers' comments, where they are kept apart from the text.
    pub comments: Option<String>,
    /// Encoding the page was decoded with.
    pub charset: String,
    /// Where the encoding was learned from.
    pub charset_source: String,
    /// Word F1 that the model expects of the text, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub confidence: f32,
    /// Caps that the page passed.
    pub capped: Vec<String>,
}

/// Why a request was not done (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The status in words.
    pub title: String,
    /// The status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What is wrong, in a sentence.
    pub detail: String,
}

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
        crate::routes::about,
        crate::routes::healthz,
        crate::routes::readyz,
        crate::routes::metrics,
        crate::routes::openapi,
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
        let operations = paths
            .values_mut()
            .filter_map(Value::as_object_mut)
            .flat_map(|path| path.values_mut());
        for operation in operations {
            name_models(operation, models);
            take_any_bytes(operation);
        }
    }
    value
}

/// Says which models a parameter `model` may name.
fn name_models(operation: &mut Value, models: &[&str]) {
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
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
    let contents = operation
        .pointer_mut("/requestBody/content")
        .and_then(Value::as_object_mut);
    for content in contents.into_iter().flat_map(|all| all.values_mut()) {
        *content = json!({"schema": {"type": "string", "format": "binary"}});
    }
}
