//! The facts in the head of a page, and its charset.

pub mod charset;

use crate::hydration::PayloadScript;
use crate::json_ld::JsonLdScript;

/// The facts that the page states about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Text of the first `<title>`, entities decoded and white space folded.
    pub title: String,
    /// `<meta>` elements as (`name`, `property` or `itemprop` in lower case; content), in order.
    pub meta: Vec<(String, String)>,
    /// `href` of `<link rel="canonical">`.
    pub canonical: Option<String>,
    /// `href` of the first `<base>` that has one, as it stands: what relative addresses start from.
    pub base: Option<String>,
    /// `href` of the first `<link rel="next">` or `<a rel="next">` that has one: where the page goes on.
    pub next: Option<String>,
    /// `lang` (or `xml:lang`) of `<html>`.
    pub lang: Option<String>,
    /// The scripts of type `application/ld+json`, as they stand, in order;
    /// [`Page::json_ld`](crate::Page::json_ld) gives them parsed.
    pub json_ld: Vec<JsonLdScript>,
    /// The scripts that hold data to build the page from, in order.
    pub payloads: Vec<PayloadScript>,
}

impl Head {
    /// Content of the first `<meta>` of that name or property.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.meta.iter().find(|(known, _)| known == name).map(|(_, content)| content.as_str())
    }
}
