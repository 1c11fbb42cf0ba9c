//! Divides markup into its tags and the text between them.

use crate::markup::Tag;
use crate::markup::lex::{Attributes, Markup, RawTag, markup};

/// A piece of markup.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a> {
    /// Text without tags, character references not decoded, and its first byte. A `<` that begins no tag is a text.
    Text(&'a str, usize),
    Tag(TagPiece<'a>),
    /// The markup ends inside of a tag or comment, which starts at this byte.
    Cut(usize),
}

/// A tag and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagPiece<'a> {
    pub tag: Tag,
    pub name: &'a str,
    pub raw: RawTag,
    attributes: &'a [u8],
}

impl<'a> TagPiece<'a> {
    /// The tag at a byte; none if none stands there.
    pub fn at(html: &'a str, at: usize) -> Option<Self> {
        let bytes = html.as_bytes();
        if bytes.get(at) != Some(&b'<') {
            return None;
        }
        match markup(bytes, at) {
            Markup::Tag(raw) => Some(Self::new(html, raw)),
            _ => None,
        }
    }

    fn new(html: &'a str, raw: RawTag) -> Self {
        let name = html.get(raw.name.0..raw.name.1).unwrap_or_default();
        let attributes = html.as_bytes().get(raw.attributes.0..raw.attributes.1).unwrap_or_default();
        Self { tag: Tag::from_name(name.as_bytes()), name, raw, attributes }
    }

    /// Names and values of the attributes as they stand.
    pub fn attributes(&self) -> Attributes<'a> {
        Attributes::new(self.attributes)
    }

    /// Returns whether it has the name of another tag.
    pub fn is_like(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Walks over markup; comments and doctypes are no pieces.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<'a> {
    html: &'a str,
    /// The first byte that is not read.
    pub at: usize,
}

impl<'a> Pieces<'a> {
    /// The pieces from a byte on.
    pub fn new(html: &'a str, at: usize) -> Self {
        Self { html, at }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let (html, bytes) = (self.html, self.html.as_bytes());
        loop {
            let at = self.at;
            let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let text = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            if text > 0 {
                self.at += text;
                return Some(Piece::Text(html.get(at..at + text)?, at));
            }
            let comment = rest.starts_with(b"<!--").then(|| memchr::memmem::find(rest, b"-->"));
            let found = match comment {
                Some(end) => end.map_or(Markup::Cut { quoted: false }, |end| Markup::Skip(at + end + 3)),
                None => markup(bytes, at),
            };
            self.at = match found {
                Markup::Tag(raw) => {
                    self.at = raw.end;
                    return Some(Piece::Tag(TagPiece::new(html, raw)));
                }
                Markup::Cut { .. } => {
                    self.at = bytes.len();
                    return Some(Piece::Cut(at));
                }
                Markup::Skip(next) => next,
            };
            if self.at == at + 1 {
                return Some(Piece::Text("<", at));
            }
        }
    }
}

/// The first `max_bytes` bytes from a byte on, or what is left of the page.
pub(crate) fn part(html: &str, start: u32, max_bytes: usize) -> Option<&str> {
    let rest = html.get(start as usize..)?;
    rest.get(..rest.floor_char_boundary(max_bytes))
}
