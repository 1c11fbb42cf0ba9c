//! A page that arrives in parts.

use crate::{Document, DocumentOptions, Extractor, Hints};

/// Most bytes that a session keeps of a page, if it is not told otherwise.
pub const DEFAULT_MAX_PAGE: usize = 16 << 20;

/// Takes the parts of one page as a crawler gets them, and gives its document when it has ended.
///
/// The parts may be cut anywhere, within a character, a tag or an escape: the document is that of the
/// whole page. A session holds the bytes of its page and nothing else, at most
/// [`Session::with_max_page`] of them; it needs no thread and no lock, so a crawler can keep one for
/// each page on its way.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use trommel::{Extractor, Hints, Model, Session};
///
/// let extractor = Extractor::new(Arc::new(Model::builtin("fast").ok_or("no such model")?));
/// let hints = Hints { url: Some("https://example.org/mill"), ..Hints::default() };
/// let mut session = Session::new(&extractor, hints);
/// for part in ["<h1>The mi", "ll</h1><p>It stands by the river, and its wheel tur", "ns."] {
///     session.feed(part.as_bytes());
/// }
/// let document = session.finish();
/// assert_eq!(document.title.as_deref(), Some("The mill"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Session<'a> {
    extractor: &'a Extractor,
    hints: Hints<'a>,
    options: DocumentOptions,
    page: Vec<u8>,
    max_page: usize,
    passed: bool,
}

impl<'a> Session<'a> {
    /// A session for one page.
    pub fn new(extractor: &'a Extractor, hints: Hints<'a>) -> Self {
        Self {
            extractor,
            hints,
            options: DocumentOptions::default(),
            page: Vec::new(),
            max_page: DEFAULT_MAX_PAGE,
            passed: false,
        }
    }

    /// The same session, whose document has this form.
    #[must_use]
    pub fn with_options(mut self, options: DocumentOptions) -> Self {
        self.options = options;
        self
    }

    /// The same session, which keeps so many bytes of its page at most. What comes after them is left
    /// out, and the document says so: `max-page` is among [`Document::capped`].
    #[must_use]
    pub fn with_max_page(mut self, bytes: usize) -> Self {
        self.max_page = bytes;
        self
    }

    /// Takes the next bytes of the page. Whether there is room for more: after `false` a crawler may
    /// stop its download.
    pub fn feed(&mut self, part: &[u8]) -> bool {
        let room = self.max_page.saturating_sub(self.page.len());
        let taken = part.get(..room).unwrap_or(part);
        self.passed |= taken.len() < part.len();
        self.page.extend_from_slice(taken);
        self.page.len() < self.max_page
    }

    /// Bytes of the page that the session holds.
    pub fn len(&self) -> usize {
        self.page.len()
    }

    /// Whether nothing has come yet.
    pub fn is_empty(&self) -> bool {
        self.page.is_empty()
    }

    /// The document of the page, which has ended.
    pub fn finish(self) -> Document {
        let extraction = self.extractor.extract(&self.page, &self.hints);
        let mut document = extraction.document(&self.options);
        if self.passed {
            document.capped.push("max-page".to_owned());
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;

    use super::*;
    use crate::Model;

    static EXTRACTOR: LazyLock<Extractor> =
        LazyLock::new(|| Extractor::new(Arc::new(Model::builtin("fast").unwrap())));

    fn whole(page: &[u8]) -> Document {
        let options = DocumentOptions::default().with_blocks(true);
        EXTRACTOR
            .extract(page, &Hints::default())
            .document(&options)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn parts_make_no_difference(
            pieces in prop::collection::vec(
                prop_oneof![
                    "[a-z ]{1,40}",
                    "</?(p|h1|article|nav|a href=/x|script|li|table|td)>",
                    "(日本語|é|&amp;|&#x65e5;|<!--|-->|<meta charset=utf-8>|<title>T</title>)",
                ],
                0..60,
            ),
            raw in prop::collection::vec(any::<u8>(), 0..4),
            cuts in prop::collection::vec(0usize..2000, 0..12),
        ) {
            let mut page = pieces.concat().into_bytes();
            page.extend(raw);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(page.len())).collect();
            cuts.push(page.len());
            cuts.sort_unstable();
            let options = DocumentOptions::default().with_blocks(true);
            let mut session = Session::new(&EXTRACTOR, Hints::default()).with_options(options);
            let mut from = 0;
            for cut in cuts {
                session.feed(&page[from..cut]);
                from = cut;
            }
            prop_assert_eq!(session.finish(), whole(&page));
        }
    }

    #[test]
    fn no_more_is_kept_than_is_allowed() {
        let mut session = Session::new(&EXTRACTOR, Hints::default()).with_max_page(10);
        assert!(session.is_empty() && session.feed(b"<p>one "));
        assert!(!session.feed(b"two three"));
        assert!(!session.feed(b"four"));
        assert_eq!(session.len(), 10);
        let document = session.finish();
        assert_eq!(document.text, "one two");
        assert_eq!(document.capped, ["max-page"]);
        let mut session = Session::new(&EXTRACTOR, Hints::default()).with_max_page(6);
        assert!(!session.feed(b"<p>one"));
        assert!(session.finish().capped.is_empty(), "a page that fits");
    }
}
