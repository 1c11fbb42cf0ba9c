//! Scans a text once, tag by tag, and passes its tags and texts to the builder.
//!
//! Most tags are read at once by the [`fast_lexer`](crate::markup::fast_lexer), the others by a step of the scanner.

use trommel_text::vectors::{ByteTask, Compare};

use super::content_model;
use super::content_model::{ContentModel, Namespaces};
use super::unclosed_text::{Recovery, UnclosedMarkup, end_of_comment, end_of_raw, end_of_script};
use crate::build::{Builder, TextKind};
use crate::limits::{Caps, up_to};
use crate::markup::lexer::{Key, Markup, NO_PLACE, TagLexer, TagText, TextRun};
use crate::markup::{Tag, fast_lexer};

/// Maximum depth to which `noscript` elements inside each other are read by a scanner of their own. Deeper ones are
/// read like other elements.
// A `noscript` cannot contain another in HTML. The bound keeps readers from nesting as deep as a hostile page.
pub(super) const MAX_NOSCRIPT_DEPTH: u32 = 2;

/// Scans a page, up to 4 GiB, and passes its tags and text to the builder. Returns the number of bytes that were read.
pub(super) fn scan(html: &str, builder: &mut Builder) -> usize {
    let text = up_to(html, u32::MAX as usize);
    if text.len() < html.len() {
        builder.cap(Caps::PAGE);
    }
    Scanner::new(text, 0, 0, builder).run(0);
    text.len()
}

/// Scanner of a page, or of the content of a `noscript`; it passes the tags and texts to the builder.
pub(super) struct Scanner<'a> {
    pub(super) html: &'a str,
    /// Byte offset of `html` in the page.
    pub(super) offset: usize,
    depth: u32,
    pub(super) builder: &'a mut Builder,
    pub(super) namespaces: Namespaces,
    /// Kind of the text between tags, which decides whether its character references are decoded.
    pub(super) kind: TextKind,
    /// State of reading the content of an unclosed element again as markup; `None` in the first reading.
    recovery: Option<Recovery>,
    /// True if more of the page will follow, so that incomplete parts at the end are left for later.
    pub(super) grows: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(html: &'a str, offset: usize, depth: u32, builder: &'a mut Builder) -> Self {
        Self {
            html,
            offset,
            depth,
            builder,
            namespaces: Namespaces::default(),
            kind: TextKind::Decoded,
            recovery: None,
            grows: false,
        }
    }

    /// Reads from byte `start` to the end.
    /// If a `template`, or the `title` or `desc` of an svg, is still open at the end, reads its content again as
    /// markup.
    pub(super) fn run(mut self, start: usize) {
        self.read(start);
        if self.recovery.is_none()
            && let Some((tag, from)) = self.builder.open_skip(self.offset)
        {
            self.resume(UnclosedMarkup::skipped(tag), from - self.offset);
        }
    }

    /// Reads from byte `start` on. Returns the offset of an incomplete part at the end of a page that still grows,
    /// `None` for complete pages.
    pub(super) fn read(&mut self, start: usize) -> Option<usize> {
        self.builder.vectors().run(ReadOn { scanner: self, start })
    }

    /// Reads the text from byte `from` on and the markup after it, in any form, and returns the offset after the
    /// markup. The error is the offset of an incomplete part in a page that still grows, `None` at the end of other
    /// pages.
    #[cold]
    #[inline(never)]
    pub(super) fn step(&mut self, from: usize) -> Result<usize, Option<usize>> {
        let bytes = self.html.as_bytes();
        let next_sign =
            |at: usize| memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()).map_or(bytes.len(), |len| at + len);
        let mut lt = next_sign(from);
        while !is_markup(bytes, lt) && lt < bytes.len() && !self.is_cut(lt) {
            lt = next_sign(lt + 1);
        }
        if self.is_cut(lt) {
            return Err(Some(from));
        }
        self.text(from, lt);
        let next = match bytes.get(lt + 1) {
            None => return Err(None),
            Some(b'/') => self.end_tag(lt),
            Some(b'?') => self.bogus_comment(lt),
            Some(b'!') => self.declaration(lt),
            Some(_) => self.tag(lt),
        };
        next.ok_or(self.grows.then_some(lt))
    }

    /// Returns whether a growing page ends before the two bytes after the `<` at `lt`, which show what it begins.
    fn is_cut(&self, lt: usize) -> bool {
        self.grows && lt + 2 >= self.html.len()
    }

    /// Passes a run of text that begins at byte `from` to the builder.
    #[inline(always)]
    pub(super) fn text_run(&mut self, from: usize, run: TextRun) {
        // White space between tags is so common that it takes a way of its own.
        let blank = || self.html.as_bytes().get(from..run.end).unwrap_or_default();
        let is_done = from == run.end || run.is_blank && self.builder.blank_text(blank());
        if !is_done {
            self.long_text_run(from, run);
        }
    }

    #[inline(never)]
    fn long_text_run(&mut self, from: usize, run: TextRun) {
        let text = self.html.get(from..run.end).unwrap_or_default();
        let kind = match self.kind {
            // The masks have seen that no `&` is there, so the text is not searched for one again.
            TextKind::Decoded if !run.has_reference => TextKind::WithoutReferences,
            kind => kind,
        };
        self.builder.text(text, self.offset + from, kind);
    }

    /// Passes the text between two byte offsets to the builder.
    fn text(&mut self, from: usize, to: usize) {
        if from < to {
            let text = self.html.get(from..to).unwrap_or_default();
            self.builder.text(text, self.offset + from, self.kind);
        }
    }

    /// Reads the end tag or comment that begins with `</` at `lt`; returns the offset after it, `None` if it is cut
    /// off.
    fn end_tag(&mut self, lt: usize) -> Option<usize> {
        match self.html.as_bytes().get(lt + 2) {
            Some(c) if c.is_ascii_alphabetic() => self.tag(lt),
            Some(b'>') => Some(lt + 3),
            _ => self.bogus_comment(lt),
        }
    }

    /// Passes an end tag, whose name is in the byte range `name`, to the builder.
    #[inline(always)]
    pub(super) fn end_element(&mut self, tag: Tag, name: (usize, usize)) {
        let bytes = self.html.as_bytes();
        self.kind = TextKind::Decoded;
        let is_html = self.namespaces.is_empty();
        if is_html && self.builder.end_innermost(tag) {
            return;
        }
        let name = bytes.get(name.0..name.1).unwrap_or_default();
        if !is_html {
            self.namespaces.end(tag, name);
        }
        self.builder.end_any_tag(tag, name);
    }

    /// Reads the tag at `lt` and the raw text of its element; returns the offset after them, `None` if they are cut
    /// off.
    fn tag(&mut self, lt: usize) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let mut lexer = TagLexer::new(self.builder.limits().attributes);
        let raw = match lexer.markup(bytes, lt) {
            Markup::Tag(raw) => raw,
            Markup::Cut { .. } if self.grows => return None,
            Markup::Cut { quoted: true } => return self.resume(UnclosedMarkup::Quote, lt + 1),
            Markup::Cut { .. } | Markup::Skip(_) => return None,
        };
        if raw.is_end {
            self.end_element(Tag::at(bytes, raw.name), raw.name);
            return Some(raw.end);
        }
        self.start_tag(&lexer.tag(bytes, raw))
    }

    /// Reads a start tag and the raw text of its element; returns the offset after them, `None` at the end of the page.
    #[inline(never)]
    pub(super) fn start_tag(&mut self, text: &TagText) -> Option<usize> {
        let (start, end, value_missing) =
            (text.place.start as usize, text.place.end as usize, text.place.value_missing);
        if self.grows && !self.is_whole(text) {
            return None;
        }
        self.kind = TextKind::Decoded;
        let mut content = self.namespaces.start(text);
        self.builder.start_tag(text, self.offset + start);
        if content == ContentModel::Markup && text.tag != Tag::Template {
            return Some(end);
        }
        if text.tag == Tag::Noscript && self.depth >= MAX_NOSCRIPT_DEPTH {
            // Not followed any deeper, it is an element like others.
            content = ContentModel::Markup;
        }
        if text.tag == Tag::Template && self.recovery.is_some() {
            return self.template(end);
        }
        if content == ContentModel::Markup {
            return Some(end);
        }
        if value_missing {
            // As in lol_html, what follows is markup whose text is not decoded.
            self.kind = content.kind();
            return Some(end);
        }
        let tag = text.tag;
        let unclosed = UnclosedMarkup::of(tag, text.value(Key::Type));
        self.content(tag, content, end, unclosed)
    }

    /// Returns whether the raw text of an element, such as a script, has arrived with its end tag; true for elements
    /// with markup.
    fn is_whole(&self, text: &TagText) -> bool {
        let bytes = self.html.as_bytes();
        let end = text.place.end as usize;
        if ContentModel::of(text.tag) == ContentModel::Markup || text.place.value_missing {
            return true;
        }
        // On a copy: the tag has not been taken yet, and may have to wait.
        match self.namespaces.clone().start(text) {
            ContentModel::Markup => true,
            ContentModel::Plain => false,
            ContentModel::Script => end_of_script(bytes, end).is_some(),
            _ => end_of_raw(bytes, end, text.tag.name()).is_some(),
        }
    }

    /// Reads the text, from byte `from` on, of an element without markup.
    /// Returns the offset of its end tag; if there is none, the offset at which reading continues.
    fn content(
        &mut self,
        tag: Tag,
        content: ContentModel,
        from: usize,
        unclosed: Option<UnclosedMarkup>,
    ) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let end = match content {
            _ if unclosed.is_some_and(|unclosed| self.is_endless(unclosed)) => None,
            ContentModel::Plain => None,
            ContentModel::Script => end_of_script(bytes, from),
            _ => end_of_raw(bytes, from, tag.name()),
        };
        let to = end.unwrap_or(bytes.len());
        if tag == Tag::Noscript {
            self.noscript(from, to);
            return end;
        }
        self.kind = content.kind();
        let next = match unclosed {
            Some(unclosed) if end.is_none() => {
                // The text is given first and taken back where reading goes on: builder and lol_html then agree.
                if self.recovery.is_none() {
                    self.text(from, to);
                    return self.resume(unclosed, from);
                }
                let next = self.resume(unclosed, from);
                self.text(from, next.unwrap_or(to));
                next
            }
            _ => {
                self.text(from, to);
                end
            }
        };
        self.kind = TextKind::Decoded;
        next
    }

    /// Skips a `template` while a part of the page is read again; returns the offset at which reading continues. The
    /// first end tag ends it, so that no unclosed template is read twice.
    fn template(&mut self, from: usize) -> Option<usize> {
        let unclosed = UnclosedMarkup::Template(Tag::Template);
        let bytes = self.html.as_bytes();
        let end = if self.is_endless(unclosed) { None } else { end_of_raw(bytes, from, Tag::Template.name()) };
        if end.is_some() {
            return end;
        }
        if let Some(recovery) = &mut self.recovery {
            recovery.note_endless(unclosed);
        }
        self.builder.end_template();
        self.resume(unclosed, from)
    }

    fn is_endless(&self, unclosed: UnclosedMarkup) -> bool {
        self.recovery.as_ref().is_some_and(|recovery| recovery.is_endless(unclosed))
    }

    /// Continues after byte `from`, because the markup that begins there is never closed. Returns the offset at which
    /// reading continues, `None` if the rest has been read or is dropped.
    fn resume(&mut self, unclosed: UnclosedMarkup, from: usize) -> Option<usize> {
        let rest = self.html.get(from..).unwrap_or_default();
        let Some(recovery) = &mut self.recovery else {
            recover(rest, self.offset + from, self.depth, self.builder, unclosed);
            return None;
        };
        let found = recovery.resume(unclosed, rest);
        self.builder.count_steps(found.unwrap_or(rest.len()));
        found.map(|at| from + at)
    }

    /// Reads the content of a `noscript`, which is between two byte offsets, with a second scanner.
    fn noscript(&mut self, from: usize, to: usize) {
        let inner = self.html.get(from..to).unwrap_or_default();
        Scanner::new(inner, self.offset + from, self.depth + 1, self.builder).run(0);
    }

    fn bogus_comment(&mut self, lt: usize) -> Option<usize> {
        let rest = self.html.as_bytes().get(lt..)?;
        let end = memchr::memchr(b'>', rest);
        if self.grows && end.is_none() {
            return None;
        }
        self.builder.comment();
        end.map(|end| lt + end + 1)
    }

    /// Reads a comment or declaration that begins with the `<!` at `lt`; returns the offset after it, `None` if it has
    /// no end.
    pub(super) fn declaration(&mut self, lt: usize) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let rest = bytes.get(lt + 2..)?;
        if rest.starts_with(b"--") {
            let end = if self.is_endless(UnclosedMarkup::Comment) { None } else { end_of_comment(bytes, lt + 4) };
            if self.grows && end.is_none() {
                return None;
            }
            self.builder.comment();
            return end.or_else(|| self.resume(UnclosedMarkup::Comment, lt + 4));
        }
        let is_doctype = rest.get(..7).is_some_and(|name| name.eq_ignore_ascii_case(b"doctype"));
        if is_doctype {
            return memchr::memchr(b'>', rest).map(|end| lt + 2 + end + 1);
        }
        if rest.starts_with(b"[CDATA[") && self.namespaces.allow_cdata() {
            let from = lt + 9;
            let end = if self.is_endless(UnclosedMarkup::Cdata) {
                None
            } else {
                memchr::memmem::find(bytes.get(from..)?, b"]]>")
            };
            let Some(end) = end else {
                return if self.grows { None } else { self.resume(UnclosedMarkup::Cdata, from) };
            };
            self.kind = TextKind::Raw;
            self.text(from, from + end);
            self.kind = TextKind::Decoded;
            return Some(from + end + 3);
        }
        self.bogus_comment(lt)
    }
}

/// Returns whether markup begins with the `<` at `lt`; if not, it is text.
fn is_markup(bytes: &[u8], lt: usize) -> bool {
    match bytes.get(lt + 1) {
        // A slash at the end of all is text.
        Some(b'/') => lt + 2 < bytes.len(),
        Some(b'!' | b'?') => true,
        Some(byte) => byte.is_ascii_alphabetic(),
        None => false,
    }
}

/// Reads `rest`, which begins at byte `offset` of the page, again as markup, because the element or comment `unclosed`
/// before it never ends.
pub(super) fn recover(rest: &str, offset: usize, depth: u32, builder: &mut Builder, unclosed: UnclosedMarkup) {
    let part = up_to(rest, builder.limits().recovered);
    if part.len() < rest.len() {
        builder.cap(Caps::RECOVERED);
    }
    let open = match unclosed {
        UnclosedMarkup::Template(Tag::Template) => Some(Tag::Template),
        UnclosedMarkup::SvgName => Some(Tag::Svg),
        _ => None,
    };
    // One past the end, too: an element may begin with the last byte.
    builder.recover_from(open, offset..offset + part.len() + 1);
    let mut scanner = Scanner::new(part, offset, depth, builder);
    scanner.recovery = Some(Recovery::default());
    if let Some(at) = scanner.resume(unclosed, 0) {
        if unclosed.tag().is_some() {
            let kept = part.get(..at).unwrap_or_default();
            scanner.builder.take_back(kept, offset);
        }
        scanner.run(at);
    }
}

/// Maximum number of a tag's attributes that the fast lexer stores; tags with more are left to the general lexer.
const PLACES: usize = 64;

/// Task of scanning a page from byte `start` on with vector instructions. Returns the offset of an incomplete part if
/// the page still grows, otherwise `None`.
pub(super) struct ReadOn<'s, 'a> {
    pub scanner: &'s mut Scanner<'a>,
    pub start: usize,
}

impl ByteTask for ReadOn<'_, '_> {
    type Output = Option<usize>;

    // Compiled for wide vectors, so that bytes are compared where they stand. The builder is not inlined: it leaves
    // no registers for that.
    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Option<usize> {
        let Self { scanner, start } = self;
        let bytes = scanner.html.as_bytes();
        let most = scanner.builder.limits().attributes;
        let mut places = [NO_PLACE; PLACES];
        let mut from = start;
        loop {
            let next = 'near: {
                let Some(run) = fast_lexer::text_run(form, bytes, from) else { break 'near None };
                let lt = run.end;
                let Some(&[_, sign, third]) = bytes.get(lt..).and_then(|rest| rest.first_chunk()) else {
                    break 'near None;
                };
                if sign.is_ascii_alphabetic() {
                    let Some((place, count)) = fast_lexer::start_tag(form, bytes, lt, most, &mut places) else {
                        break 'near None;
                    };
                    scanner.text_run(from, run);
                    let places = places.get(..count).unwrap_or_default();
                    let text = TagText { tag: place.tag, place, bytes, places };
                    if content_model::is_plain(place.tag) && scanner.namespaces.is_empty() {
                        scanner.kind = TextKind::Decoded;
                        scanner.builder.start_tag(&text, scanner.offset + lt);
                        break 'near Some(place.end as usize);
                    }
                    let Some(next) = scanner.start_tag(&text) else { return scanner.grows.then_some(lt) };
                    Some(next)
                } else if sign == b'/' && third.is_ascii_alphabetic() {
                    let Some((tag, name_end, end)) = fast_lexer::end_tag(form, bytes, lt) else { break 'near None };
                    scanner.text_run(from, run);
                    scanner.end_element(tag, (lt + 2, name_end));
                    Some(end)
                } else if sign == b'!' {
                    scanner.text_run(from, run);
                    let Some(next) = scanner.declaration(lt) else { return scanner.grows.then_some(lt) };
                    Some(next)
                } else {
                    None
                }
            };
            from = match next {
                Some(next) => next,
                None => match scanner.step(from) {
                    Ok(next) => next,
                    Err(place) => return place,
                },
            };
        }
    }
}
