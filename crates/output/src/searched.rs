//! What the formats for search engines have in common.

use std::borrow::Cow;

use crate::{Entry, record_id};

/// The id of a document in formats whose ids stand between white space or in markup: the entry's own
/// if it has neither, else one made from it.
pub(crate) fn document_id<'a>(entry: &Entry<'a>) -> Cow<'a, str> {
    let is_safe = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '&' | '"');
    if !entry.id.is_empty() && entry.id.chars().all(is_safe) {
        Cow::Borrowed(entry.id)
    } else {
        Cow::Owned(record_id(&["document", entry.id]))
    }
}

/// The title in one line, if there is one.
pub(crate) fn title(entry: &Entry<'_>) -> Option<String> {
    let title = entry.document.title.as_deref()?;
    (!title.is_empty()).then(|| one_line(title))
}

/// The title on the first line if there is one, then the text.
pub(crate) fn titled_text(entry: &Entry<'_>) -> String {
    let text = &entry.document.text;
    let mut all = String::with_capacity(text.len() + 128);
    if let Some(title) = title(entry) {
        all.push_str(&title);
        all.push('\n');
    }
    all.push_str(text);
    all
}

/// A value that cannot end its line early.
pub(crate) fn one_line(value: &str) -> String {
    value.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonl::tests::{document, entry, source};

    #[test]
    fn ids_have_no_white_space_and_no_markup() {
        let (source, document) = (source(0), document());
        let mut entry = entry(&source, &document);
        assert_eq!(document_id(&entry), entry.id);
        for id in ["a b", "<urn:x>", "a\u{a0}b", ""] {
            entry.id = id;
            let made = document_id(&entry);
            assert_eq!(made, record_id(&["document", id]), "{id:?}");
        }
    }
}
