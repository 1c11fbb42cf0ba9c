//! Reads the start tags of elements again, and finds the element around the whole of a block.

use super::{Piece, Pieces, TagPiece};
use crate::build::decode;
use crate::{Block, Element, Limits, Page};

/// Start tag of an element, read again from the page, with all of its attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartTag {
    /// Name of the tag in lower case.
    pub name: String,
    /// Attributes by their lower-case names, with character references decoded, sorted by name.
    /// The first of equal names counts.
    pub attributes: Vec<(String, String)>,
}

impl StartTag {
    /// Returns the value of the attribute with this (lower-case) name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.attributes.get(found).map(|(_, value)| value.as_str())
    }
}

impl Element {
    /// Reads the element's start tag from `html`, the element's decoded page; `None` if there is no tag at its offset.
    /// Attributes beyond [`Limits::attributes`] are not read.
    pub fn start_tag(&self, html: &str) -> Option<StartTag> {
        let tag = TagPiece::at(html, self.start as usize)?;
        let lower = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_ascii_lowercase();
        let attributes = tag
            .first_attributes(Limits::default().attributes)
            .map(|(name, value)| (lower(name), decode(value).into_owned()));
        let mut attributes: Vec<(String, String)> = attributes.collect();
        attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
        attributes.dedup_by(|(next, _), (first, _)| next == first);
        Some(StartTag { name: tag.name.to_ascii_lowercase(), attributes })
    }
}

impl Page {
    /// Returns the index of the innermost element that contains the whole block, or [`NONE`](crate::NONE). The element
    /// at its start ([`Block::element`]) may end inside of the block. `html` is the decoded page.
    pub fn element_around(&self, html: &str, block: &Block) -> u32 {
        if block.pieces <= 1 {
            return block.element;
        }
        let (start, end) = block.span;
        let text = html.get(start as usize..end as usize).unwrap_or_default();
        let (mut open, mut ended) = (0_usize, 0_usize);
        for piece in Pieces::new(text, 0) {
            match piece {
                Piece::Tag(tag) if tag.tag.is_void() => {}
                Piece::Tag(tag) if !tag.raw.is_end => open += 1,
                Piece::Tag(_) if open > 0 => open -= 1,
                Piece::Tag(_) => ended += 1,
                _ => {}
            }
        }
        let inline = self.path(block.element).take_while(|(at, _)| *at != block.container);
        inline.map(|(at, _)| at).nth(ended).unwrap_or(block.container)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, ScanEngine};

    #[test]
    fn start_tags_are_read_again() {
        let html = "é<P Class='a b' data-X=\"1&amp;2\" class=c hidden>t";
        let page = ScanEngine.read(html, &Limits::default());
        let tag = page.elements[0].start_tag(html).unwrap();
        assert_eq!(tag.name, "p");
        assert_eq!(tag.attribute("class"), Some("a b"));
        assert_eq!(tag.attribute("data-x"), Some("1&2"));
        assert_eq!(tag.attribute("hidden"), Some(""));
        assert_eq!(tag.attribute("id"), None);
        assert_eq!(page.elements[0].start_tag("é"), None);
    }

    #[test]
    fn attributes_of_a_tag_are_read_up_to_the_cap() {
        let html = format!("<p id=x class='{}' lang=en>t", "a ".repeat(1 << 20));
        let page = ScanEngine.read(&html, &Limits::default());
        let tag = page.elements[0].start_tag(&html).unwrap();
        assert_eq!(tag.attribute("id"), Some("x"));
        assert!(tag.attribute("class").unwrap().len() < Limits::default().attributes);
        assert_eq!(tag.attribute("lang"), None);
    }

    #[test]
    fn an_element_is_around_a_block_if_it_ends_behind_it() {
        for (html, name) in [
            ("<div><p>one two</p></div>", "p"),
            ("<p><b>one two</b></p>", "b"),
            ("<p><b>one</b> two</p>", "p"),
            ("<p><b>one <i>two</i></b></p>", "b"),
            ("<p><b><i>one</i> two</b></p>", "b"),
            ("<p><a><b><i>one</i></b> two <br>three</a></p>", "a"),
            ("<div>one <b>two</b><p>three</p></div>", "div"),
            ("<p><b>one</b></i></u> two</p>", "p"),
        ] {
            let page = ScanEngine.read(html, &Limits::default());
            let around = page.element(page.element_around(html, &page.blocks[0])).unwrap();
            assert_eq!(page.name(around), name, "{html}");
        }
    }
}
