//! The extractor: bytes of a page and hints about them in, a document out.

use std::sync::Arc;

use trommel_model::Model;

use crate::document::Document;

/// What is known about a page from outside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// URL of the page.
    pub url: Option<&'a str>,
    /// `charset` parameter of the HTTP Content-Type header.
    pub http_charset: Option<&'a str>,
    /// `charset-detected` of the crawl's metadata record.
    pub crawl_charset: Option<&'a str>,
}

/// Extracts main text with one model. Cheap to clone; has no state between pages, so the same bytes,
/// hints and model give the same document on any thread and in any order.
#[derive(Clone, Debug)]
pub struct Extractor {
    model: Arc<Model>,
}

impl Extractor {
    /// An extractor that scores blocks with `model`.
    pub fn new(model: Arc<Model>) -> Self {
        Self { model }
    }

    /// The document of one page. Any bytes are accepted: a page without text gives an empty document.
    pub fn extract(&self, bytes: &[u8], hints: &Hints) -> Document {
        let _ = (bytes, hints, &self.model);
        Document::default()
    }
}
