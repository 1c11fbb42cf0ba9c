//! The scan engine: the whole page in memory, one pass driven by `memchr`, text given to the builder
//! as slices of the page.

mod foreign;
mod raw;

use crate::builder::{Builder, TextKind};
use crate::engine::Engine;
use crate::lex::{Markup, RawTag, markup};
use crate::limits::{Cap, Limits};
use crate::lol::NOSCRIPT_DEPTH;
use crate::table::Page;
use crate::tag::Tag;

use foreign::Namespaces;
use raw::{end_of_comment, end_of_raw, end_of_script};

/// Reads whole pages with our own scanner.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanEngine;

impl ScanEngine {
    /// As [`Engine::read`], and notes the marks inside blocks ([`Page::pieces`]).
    pub fn read_marked(&self, html: &str, limits: &Limits) -> Page {
        let mut builder = Builder::new(*limits);
        builder.record_marks();
        read(html, builder)
    }
}

impl Engine for ScanEngine {
    fn read(&self, html: &str, limits: &Limits) -> Page {
        read(html, Builder::new(*limits))
    }
}

fn read(html: &str, mut builder: Builder) -> Page {
    let mut len = html.len().min(u32::MAX as usize);
    while !html.is_char_boundary(len) {
        len -= 1;
    }
    if len < html.len() {
        builder.cap(Cap::Page);
    }
    let html = html.get(..len).unwrap_or_default();
    Scanner::new(html, 0, 0, &mut builder).run();
    builder.finish(len)
}

/// What stands after a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Markup,
    /// Text in which character references are decoded, up to the end tag.
    Text,
    /// Text as it stands, up to the end tag.
    Raw,
    Script,
    /// Text as it stands, up to the end of the page.
    Plain,
}

impl Content {
    fn of(tag: Tag) -> Self {
        match tag {
            Tag::Textarea | Tag::Title => Content::Text,
            Tag::Plaintext => Content::Plain,
            Tag::Script => Content::Script,
            Tag::Style | Tag::Iframe | Tag::Xmp | Tag::Noembed | Tag::Noframes | Tag::Noscript => {
                Content::Raw
            }
            _ => Content::Markup,
        }
    }

    fn kind(self) -> TextKind {
        match self {
            Content::Markup | Content::Text => TextKind::Decoded,
            Content::Raw | Content::Script | Content::Plain => TextKind::Raw,
        }
    }
}

/// One run over a text: the page, or the content of a `noscript`.
struct Scanner<'a> {
    html: &'a str,
    /// Place of `html` in the page.
    offset: usize,
    depth: u32,
    builder: &'a mut Builder,
    namespaces: Namespaces,
    /// Kind of the text between tags.
    kind: TextKind,
}

impl<'a> Scanner<'a> {
    fn new(html: &'a str, offset: usize, depth: u32, builder: &'a mut Builder) -> Self {
        Self {
            html,
            offset,
            depth,
            builder,
            namespaces: Namespaces::default(),
            kind: TextKind::Decoded,
        }
    }

    fn run(mut self) {
        let bytes = self.html.as_bytes();
        // Text that has not been given yet begins at `from`.
        let (mut from, mut at) = (0, 0);
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'<', rest)) {
            let lt = at + found;
            let next = match (bytes.get(lt + 1), bytes.get(lt + 2)) {
                (Some(c), _) if c.is_ascii_alphabetic() => {
                    self.text(from, lt);
                    self.tag(lt)
                }
                (Some(b'/'), Some(c)) if c.is_ascii_alphabetic() => {
                    self.text(from, lt);
                    self.tag(lt)
                }
                (Some(b'/'), Some(b'>')) => {
                    self.text(from, lt);
                    Some(lt + 3)
                }
                (Some(b'/'), Some(_)) | (Some(b'?'), _) => {
                    self.text(from, lt);
                    self.bogus_comment(lt)
                }
                (Some(b'!'), _) => {
                    self.text(from, lt);
                    self.declaration(lt)
                }
                _ => {
                    at = lt + 1;
                    continue;
                }
            };
            let Some(next) = next else {
                return;
            };
            (from, at) = (next, next);
        }
        self.text(from, bytes.len());
    }

    /// Gives the text between two places.
    fn text(&mut self, from: usize, to: usize) {
        if from < to {
            let text = self.html.get(from..to).unwrap_or_default();
            self.builder.text(text, self.offset + from, self.kind);
        }
    }

    /// Reads the tag at `lt` and text that belongs to it; gives the place behind, none at the end.
    fn tag(&mut self, lt: usize) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let Markup::Tag(raw) = markup(bytes, lt) else {
            return None;
        };
        let part = |(start, end): (usize, usize)| bytes.get(start..end).unwrap_or_default();
        let (name, attributes) = (part(raw.name), part(raw.attributes));
        let tag = Tag::from_name(name);
        self.kind = TextKind::Decoded;
        if raw.is_end {
            self.namespaces.end(tag, name);
            self.builder.end_tag(name);
            return Some(raw.end);
        }
        let content = self
            .namespaces
            .start(tag, name, attributes, raw.self_closing);
        let place = self.offset + lt;
        self.builder
            .start_tag(name, attributes, raw.self_closing, place);
        if content == Content::Markup {
            return Some(raw.end);
        }
        if raw.value_missing {
            // As in lol_html, what follows is markup whose text is not decoded.
            self.kind = content.kind();
            return Some(raw.end);
        }
        self.content(tag, content, &raw)
    }

    /// Reads the text of an element that holds no markup; gives the place of its end tag.
    fn content(&mut self, tag: Tag, content: Content, raw: &RawTag) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let end = match content {
            Content::Plain => None,
            Content::Script => end_of_script(bytes, raw.end),
            _ => end_of_raw(bytes, raw.end, tag.name()),
        };
        let to = end.unwrap_or(bytes.len());
        if tag == Tag::Noscript {
            self.noscript(raw.end, to);
        } else {
            self.kind = content.kind();
            self.text(raw.end, to);
            self.kind = TextKind::Decoded;
        }
        end
    }

    /// Reads the content of a `noscript` as a text of its own.
    fn noscript(&mut self, from: usize, to: usize) {
        if self.depth < NOSCRIPT_DEPTH {
            let inner = self.html.get(from..to).unwrap_or_default();
            Scanner::new(inner, self.offset + from, self.depth + 1, self.builder).run();
        }
    }

    fn bogus_comment(&mut self, lt: usize) -> Option<usize> {
        let rest = self.html.as_bytes().get(lt..)?;
        let end = memchr::memchr(b'>', rest);
        self.builder.comment();
        end.map(|end| lt + end + 1)
    }

    /// Reads what begins with `<!`.
    fn declaration(&mut self, lt: usize) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let rest = bytes.get(lt + 2..)?;
        if rest.starts_with(b"--") {
            let end = end_of_comment(bytes, lt + 4);
            self.builder.comment();
            return end;
        }
        let is_doctype = rest
            .get(..7)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"doctype"));
        if is_doctype {
            return memchr::memchr(b'>', rest).map(|end| lt + 2 + end + 1);
        }
        if rest.starts_with(b"[CDATA[") && self.namespaces.allow_cdata() {
            let from = lt + 9;
            let text = bytes.get(from..)?;
            let end = memchr::memmem::find(text, b"]]>");
            self.kind = TextKind::Raw;
            self.text(from, end.map_or(bytes.len(), |end| from + end));
            self.kind = TextKind::Decoded;
            return end.map(|end| from + end + 3);
        }
        self.bogus_comment(lt)
    }
}
