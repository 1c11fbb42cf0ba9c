//! Limits time and memory to be linear in the size of the page by caps, and records the caps that a page exceeded.

use bitflags::bitflags;

/// Caps on the tables of one page. The excess is left out or merged, and the page is marked; it is never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of nested open elements; deeper elements count as children of the deepest one.
    pub depth: usize,
    /// Maximum number of elements in the element table; later elements get no row.
    pub elements: usize,
    /// Maximum number of separate blocks; the text of later ones is merged into larger blocks.
    pub blocks: usize,
    /// Maximum number of bytes of text, counted as written in the page, that are read into blocks.
    pub text: usize,
    /// Maximum number of words kept from the attributes of one element (`class`, `id`, `role`, `itemprop`).
    pub element_words: usize,
    /// Maximum number of words kept from the attributes of all elements of the page.
    pub words: usize,
    /// Maximum number of bytes of one tag's attributes that are read.
    pub attributes: usize,
    /// Maximum number of bytes of head facts (title, `meta`, JSON-LD) that are kept.
    pub head: usize,
    /// Maximum number of bytes of one formula, with its markup, that are read.
    pub formula: usize,
    /// Maximum number of bytes of a page that are read again, because an element, comment or quote never closes.
    pub recovered: usize,
    /// Number of work steps ([`Page::steps`](crate::Page::steps)) after which only a few open elements are examined for
    /// each tag, so that reading stays fast.
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
    /// Set of the caps ([`Limits`]) that a page exceeded.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Caps: u16 {
        /// The page exceeded [`Limits::depth`]: its elements are nested too deeply.
        const DEPTH = 1;
        /// The page exceeded [`Limits::elements`]: it has too many elements.
        const ELEMENTS = 1 << 1;
        /// The page exceeded [`Limits::blocks`]: it has too many blocks.
        const BLOCKS = 1 << 2;
        /// The page exceeded [`Limits::text`]: it has too many bytes of text.
        const TEXT = 1 << 3;
        /// The page exceeded [`Limits::element_words`] or [`Limits::words`]: its attributes have too many words.
        const WORDS = 1 << 4;
        /// The page exceeded [`Limits::attributes`]: a tag has too many bytes of attributes.
        const ATTRIBUTES = 1 << 5;
        /// The page exceeded [`Limits::head`]: its head has too many bytes of facts.
        const HEAD = 1 << 6;
        /// The page is larger than 4 GiB, the maximum for 32-bit byte offsets; the rest is not read.
        const PAGE = 1 << 7;
        /// The page exceeded [`Limits::recovered`]: an unclosed part is too long to be read again.
        const RECOVERED = 1 << 8;
        /// The page exceeded [`Limits::steps`]: reading it took too much work.
        const STEPS = 1 << 9;
    }
}

impl Caps {
    /// Names of the caps as they are written in the output, in the order of their bits.
    const NAMES: [&str; 10] =
        ["depth", "elements", "blocks", "text", "attribute-words", "attributes", "head", "page", "recovered", "steps"];

    /// Iterates over the names of the caps in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().enumerate().filter(move |(bit, _)| self.bits() & 1 << bit != 0).map(|(_, name)| name)
    }
}

/// Returns the longest prefix of `text` that has at most `bytes` bytes.
pub(crate) fn up_to(text: &str, bytes: usize) -> &str {
    let mut len = bytes.min(text.len());
    // At most three steps: a character has at most four bytes.
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    text.get(..len).unwrap_or_default()
}
