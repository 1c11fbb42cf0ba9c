//! Builds the answer about a page.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
    /// URL at which the page goes on, where it is one of several.
    pub next: Option<String>,
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
