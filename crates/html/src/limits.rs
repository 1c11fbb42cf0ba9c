//! Caps that keep time and memory linear in the size of the page, and a record of the caps that a page
//! exceeded.

use bitflags::bitflags;

/// Caps on the tables of one page. The excess is left out or merged, and the page is marked; it is never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Open elements on the stack; deeper elements count as children of the deepest one.
    pub depth: usize,
    /// Rows of the element table.
    pub elements: usize,
    /// Separate blocks; the text of later ones is merged into larger blocks.
    pub blocks: usize,
    /// Bytes of text, as in the page, that are read into blocks.
    pub text: usize,
    /// Words of attributes of one element.
    pub element_words: usize,
    /// Words of attributes of the page.
    pub words: usize,
    /// Bytes of one tag's attributes that are read.
    pub attributes: usize,
    /// Bytes of head facts (title, meta, JSON-LD) kept.
    pub head: usize,
    /// Bytes of one formula, markup included, that are read.
    pub formula: usize,
    /// Bytes after unclosed elements, comments and quotes that are read again as markup.
    pub recovered: usize,
    /// Steps of work ([`Page::steps`](crate::Page::steps)) after which only the innermost few open elements are
    /// examined for each tag.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // As deep as browsers nest; all climbs along a path are bounded by it.
            depth: 512,
            elements: 1 << 20,
            blocks: 1 << 18,
            // Bounds the memory of a page, together with the caps on rows.
            text: 64 << 20,
            // Duplicates are searched for among the words of one element, so the cap keeps that from being quadratic.
            element_words: 64,
            words: 1 << 21,
            attributes: 64 << 10,
            head: 1 << 20,
            formula: 64 << 10,
            // Read again once at most, so a page costs at most twice its length.
            recovered: 64 << 20,
            // Far above the steps of real pages, so that only built pages meet it.
            steps: 1 << 30,
        }
    }
}

bitflags! {
    /// A set of the caps ([`Limits`]) that a page exceeded.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Caps: u16 {
        /// [`Limits::depth`].
        const DEPTH = 1;
        /// [`Limits::elements`].
        const ELEMENTS = 1 << 1;
        /// [`Limits::blocks`].
        const BLOCKS = 1 << 2;
        /// [`Limits::text`].
        const TEXT = 1 << 3;
        /// [`Limits::element_words`] or [`Limits::words`].
        const WORDS = 1 << 4;
        /// [`Limits::attributes`].
        const ATTRIBUTES = 1 << 5;
        /// [`Limits::head`].
        const HEAD = 1 << 6;
        /// The page is larger than spans can address (4 GiB); the rest is not read.
        const PAGE = 1 << 7;
        /// [`Limits::recovered`].
        const RECOVERED = 1 << 8;
        /// [`Limits::steps`].
        const STEPS = 1 << 9;
    }
}

impl Caps {
    /// Names in documents, in the order of the bits.
    const NAMES: [&str; 10] =
        ["depth", "elements", "blocks", "text", "attribute-words", "attributes", "head", "page", "recovered", "steps"];

    /// Iterates over the names of the caps in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().enumerate().filter(move |(bit, _)| self.bits() & 1 << bit != 0).map(|(_, name)| name)
    }
}

/// Returns the longest start of `text` that has at most `bytes` bytes.
pub(crate) fn up_to(text: &str, bytes: usize) -> &str {
    let mut len = bytes.min(text.len());
    // At most three steps: a character has at most four bytes.
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    text.get(..len).unwrap_or_default()
}
