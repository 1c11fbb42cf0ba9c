//! Builds the answer about a page.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use trommel::output::RecordSource;
use utoipa::ToSchema;

/// The answer of `POST /extract` as JSON: the keys of a JSON line of `trommel run`, in their order. Keys
/// about the record of an archive are empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractedPage {
    /// Empty: the page is no record.
    pub id: String,
    /// URL of the page, as the request gave it.
    pub url: String,
    /// Empty: the page is no capture.
    pub date: String,
    /// Main text; empty if the page has none.
    pub text: String,
    /// Title, without the name of the site.
    pub title: String,
    /// Language of the text (ISO 639-1, or 639-3 where there is no shorter code).
    pub lang: String,
    /// Encoding the page was decoded with.
    pub charset: String,
    /// The source of the encoding.
    pub charset_source: String,
    /// Word F1 that the model expects of the text, 0 to 1; 0 of an empty text.
    #[schema(minimum = 0, maximum = 1)]
    pub confidence: f32,
    /// Place in an archive: empty names, and zeros.
    #[schema(value_type = Object)]
    pub source: RecordSource,
    /// Authors.
    pub author: Vec<String>,
    /// Date of publication (ISO 8601).
    pub published: String,
    /// Date of the last change (ISO 8601).
    pub modified: String,
    /// Name of the site.
    pub site: String,
    /// The page's description of itself.
    pub description: String,
    /// Canonical URL.
    pub canonical: String,
    /// URL at which the page goes on, where it is one of several.
    pub next: String,
    /// Language that the page declares (BCP 47).
    pub lang_declared: String,
    /// Headings among the lines of the text.
    pub headings: Vec<String>,
    /// Type that the model takes the page for.
    pub page_type: String,
    /// The reason why this is not the requested page (`captcha`, `denied` and others); empty if it is.
    pub blocked: String,
    /// Readers' comments, where they are kept apart from the text.
    pub comments: String,
    /// 0: the page is no response.
    pub status: u16,
    /// Empty: no crawler cut the page.
    pub truncated: String,
    /// Caps that the page passed, divided by commas.
    pub capped: String,
    /// Oddities, divided by semicolons.
    pub notes: String,
    /// Empty: this program made the text.
    pub by: String,
    /// All blocks of the page, where they are asked for.
    #[schema(value_type = Vec<Object>)]
    pub blocks: Vec<Value>,
    /// The place of each part of the text in the decoded page, on request.
    #[schema(value_type = Vec<Object>)]
    pub spans: Vec<Value>,
    /// The tables among the text as rows, where they are asked for.
    #[schema(value_type = Vec<Object>)]
    pub tables: Vec<Value>,
    /// The posts of several people on the page, on request.
    #[schema(value_type = Vec<Object>)]
    pub posts: Vec<Value>,
    /// The text in chunks for retrieval, where they are asked for.
    #[schema(value_type = Vec<Object>)]
    pub chunks: Vec<Value>,
}
