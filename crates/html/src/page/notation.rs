//! Formatting with a meaning: formulas, superscripts, subscripts, readings, deleted text, links to places on the page.

/// The kind of notation of a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotationKind {
    /// A formula within a line; the text is its TeX.
    Formula,
    /// A formula that is set apart; the text is its TeX.
    DisplayFormula,
    /// `sup`
    Superscript,
    /// `sub`
    Subscript,
    /// A link with a fragment, as marks of notes are.
    FragmentLink,
    /// The text of a note that stands where it is referred to (a sidenote).
    InlineNote,
    /// Text within a line that the page does not show.
    Hidden,
    /// The reading of a ruby, from its opening bracket on; a closing one of the page stands behind it.
    Reading,
    /// Text that is struck out: `del`, `s`, `strike`.
    Deleted,
    /// An `a` element with an image and no text; the place has no bytes, and text stands on both sides of it.
    LinkedImage,
}

/// A part of a block's text that says something by how it is set. Parts may nest, but not cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    /// First and one past the last byte in the block's text. White space before it may be its first byte.
    pub text: (u32, u32),
    /// The kind of notation.
    pub kind: NotationKind,
    /// Its element; for a formula the innermost one that is open.
    pub element: u32,
}
