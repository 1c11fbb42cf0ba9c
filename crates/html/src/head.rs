//! Facts of the page head, kept apart from the blocks.

/// What the page says about itself.
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
    /// `lang` (or `xml:lang`) of `<html>`.
    pub lang: Option<String>,
    /// Contents of `<script type="application/ld+json">`, as they stand.
    pub json_ld: Vec<String>,
    /// First and one past the last byte of each of them in the decoded page.
    pub json_ld_spans: Vec<(u32, u32)>,
}

impl Head {
    /// Content of the first `<meta>` of that name or property.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.meta
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, content)| content.as_str())
    }
}
