//! The page's summary of itself.

use trommel_html::{fold_space, strip_markup};

use super::sources::Sources;

/// Bytes of a summary that are kept: a longer one is the text itself.
// Some sites put whole articles there.
const MAX_BYTES: usize = 2000;

/// The summary in one line: that for sharing, that for search engines, that of the JSON-LD.
pub(super) fn description(sources: &Sources) -> Option<String> {
    sources
        // Texts for sharing are written for people, those for search engines often for keywords.
        .metas(&[
            "og:description", "description", "twitter:description", "dc.description", "dcterms.abstract",
            "sailthru.description",
        ])
        .map(|text| fold_space(&strip_markup(text)))
        .find(|text| !text.is_empty())
        .or_else(|| sources.main?.description())
        .map(cut)
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_BYTES {
        let mut end = MAX_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_judged;
    use crate::Hints;

    fn of(html: &str) -> Option<String> {
        read_judged(html, &Hints::default()).1.description
    }

    #[test]
    fn a_summary_is_one_line() {
        let html = "<meta name=description content='One &lt;b&gt;two&lt;/b&gt;\nthree'>\
             <script type=application/ld+json>{\"@type\":\"Product\",\"description\":\"No\"}</script>";
        assert_eq!(of(html).as_deref(), Some("One two three"));
        let (_, script) = html.split_once('>').unwrap();
        assert_eq!(of(script).as_deref(), Some("No"));
        assert_eq!(of("<meta name=description content=' '>"), None);
        let long = format!("<meta name=description content='{}'>", "é".repeat(3000));
        assert_eq!(of(&long).map(|text| text.len()), Some(2000));
    }
}
