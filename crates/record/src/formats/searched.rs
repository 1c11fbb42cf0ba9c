//! Code that the formats for search engines share.

use std::borrow::Cow;

use crate::{OutputRecord, record_id};

/// The id of a document in formats whose ids stand between white space or in markup: the record's own
/// if it has neither, else one made from it.
pub(crate) fn document_id(record: &OutputRecord) -> Cow<'_, str> {
    let is_safe = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '&' | '"');
    if !record.id.is_empty() && record.id.chars().all(is_safe) {
        Cow::Borrowed(&record.id)
    } else {
        Cow::Owned(record_id(&["document", &record.id]))
    }
}

/// The title in one line, if there is one.
pub(crate) fn title(record: &OutputRecord) -> Option<String> {
    let title = record.title.as_deref()?;
    (!title.is_empty()).then(|| one_line(title))
}

/// The title on the first line if there is one, then the text.
pub(crate) fn titled_text(record: &OutputRecord) -> String {
    let text = &record.text;
    let mut all = String::with_capacity(text.len() + 128);
    if let Some(title) = title(record) {
        all.push_str(&title);
        all.push('\n');
    }
    all.push_str(text);
    all
}

/// The field that says how many bytes a URL had that is cut.
pub(crate) const URL_LENGTH: &str = "X-URL-Length";
/// Maximum bytes of a URL: readers of these formats have fixed buffers for a line.
const MAX_URL: usize = 8192;

/// The URL in one line, and its length if it is cut.
pub(crate) fn url(record: &OutputRecord) -> Option<(String, Option<usize>)> {
    let url = record.url.as_deref()?;
    let cut = url.floor_char_boundary(MAX_URL);
    Some((one_line(url.get(..cut).unwrap_or_default()), (cut < url.len()).then_some(url.len())))
}

/// A value that cannot end its line early.
pub(crate) fn one_line(value: &str) -> String {
    value.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn long_urls_are_cut() {
        let mut record = record();
        assert_eq!(url(&record), Some(("http://example.com/".into(), None)));
        record.url = Some(format!("http://e/{}", "ß".repeat(5000)));
        let (cut, length) = url(&record).unwrap();
        assert_eq!((cut.len(), length), (8191, Some(10_009)));
        assert!(record.url.unwrap().starts_with(&cut));
    }

    #[test]
    fn ids_have_no_white_space_and_no_markup() {
        let mut record = record();
        assert_eq!(document_id(&record), record.id);
        for id in ["a b", "<urn:x>", "a\u{a0}b", ""] {
            record.id = id.into();
            assert_eq!(document_id(&record), record_id(&["document", id]), "{id:?}");
        }
    }
}
