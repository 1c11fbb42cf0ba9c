//! The kinds of elements around a block, a bit for each.

use trommel_html::Tag;

/// Elements whose presence anywhere around a block says something.
pub(crate) const AROUND_TAGS: [Tag; 25] = {
    use Tag::*;
    [
        Nav, Header, Footer, Aside, Article, Main, Form, Ul, Ol, Li, Table, Td, Figure, Section, P, Pre, Blockquote,
        Dl, Button, Label, Details, Noscript, A, Dialog, Fieldset,
    ]
};

// Headings of all levels share one bit: whether a block is in a heading matters, its level is a feature of the outline.
const HEADING_BIT: u32 = 1 << AROUND_TAGS.len();

/// The bit of each tag that is one of [`AROUND_TAGS`] or a heading.
// Made by the compiler: a tag is looked up for every element of every page.
const BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < AROUND_TAGS.len() {
        bits[AROUND_TAGS[at] as usize] = 1 << at;
        at += 1;
    }
    let headings = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];
    let mut at = 0;
    while at < headings.len() {
        bits[headings[at] as usize] = HEADING_BIT;
        at += 1;
    }
    bits
};

/// The bits of an element, given those of the element around it: one for each tag of [`AROUND_TAGS`] that it is or
/// stands in.
#[inline(always)]
pub(crate) fn around_with(above: u32, tag: Tag) -> u32 {
    above | BITS[tag as usize]
}
