//! The rows of the element table.

use crate::markup::Tag;

/// An element of the page's body, `html` and `body` included; head elements and what is never text
/// (script, svg ...) have no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub tag: Tag,
    pub(crate) name: u16,
    /// Index of the enclosing element, or [`NONE`](crate::NONE).
    pub parent: u32,
    /// Number of enclosing elements.
    pub depth: u16,
    /// Whether the element or one around it is hidden by `hidden`, `aria-hidden="true"` or its style.
    pub hidden: bool,
    /// One past the index of its last descendant: descendants are `index + 1 .. end`.
    pub end: u32,
    /// First of its words in the table of words of attributes, and their number.
    pub(crate) words: (u32, u16),
    /// Hash of the name and the class attribute; equal for elements made by one template.
    pub signature: u64,
    /// Byte of the `<` of its start tag in the decoded page.
    pub start: u32,
}
