//! Reads a page in chunks by the tokenizer of lol_html, with bounded memory.
//!
//! lol_html finds the text and the comments of the page and switches between the kinds of text (script, raw, title).
//! Between two of these tokens there are only tags. This engine reads the tags from the gaps instead of using element
//! handlers. So it also sees end tags without a start, no selector stack grows with the nesting, and it is faster (see
//! ARCHITECTURE.md).
//!
//! lol_html takes the content of `noscript` for raw text, as a browser with scripts does. Here it is markup, so a
//! separate engine reads its text chunk by chunk.

use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::{DocumentEnd, TextChunk, TextType};
use lol_html::{DocumentContentHandlers, HtmlRewriter, MemorySettings, OutputSink, Settings};

use super::scanner::{Scanner, recover};
use super::unclosed_text::UnclosedMarkup;
use super::unclosed_text::end_of_comment;
use super::{Engine, scanner::MAX_NOSCRIPT_DEPTH};
use crate::build::{Builder, TextKind};
use crate::limits::{Caps, Limits, up_to};
use crate::markup::Tag;
use crate::markup::lexer::{Key, TagLexer, TagText};
use crate::markup::lexer::{Markup, RawTag};
use crate::page::Page;

/// Engine that reads whole pages with lol_html.
#[derive(Clone, Copy, Debug, Default)]
pub struct LolEngine;

impl LolEngine {
    /// Reads a page like [`Engine::read`], and records its inline styles ([`Page::styled`]).
    pub fn read_styled(&self, html: &str, limits: &Limits) -> Page {
        let mut reader = PushReader::new(limits).with_styles();
        reader.push(html);
        reader.finish()
    }
}

impl Engine for LolEngine {
    fn read(&self, html: &str, limits: &Limits) -> Page {
        let mut reader = PushReader::new(limits);
        reader.push(html);
        reader.finish()
    }
}

/// Reader of a page that arrives in chunks. Any division into chunks gives the same [`Page`].
pub struct PushReader {
    stream: Option<Stream>,
    builder: Rc<RefCell<Builder>>,
    read: usize,
}

impl std::fmt::Debug for PushReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushReader").field("read", &self.read).finish_non_exhaustive()
    }
}

impl PushReader {
    /// Creates a reader for one page that arrives in chunks.
    pub fn new(limits: &Limits) -> Self {
        let builder = Rc::new(RefCell::new(Builder::new(*limits)));
        Self { stream: Some(Stream::new(builder.clone(), 0, 0)), builder, read: 0 }
    }

    /// Makes the reader record inline styles, too ([`Page::styled`]).
    #[must_use]
    pub fn with_styles(self) -> Self {
        self.builder.borrow_mut().record_styles();
        self
    }

    /// Reads the next chunk of the page. Bytes after the first 4 GiB are left out, and the page is marked.
    pub fn push(&mut self, chunk: &str) {
        let room = (u32::MAX as usize).saturating_sub(self.read);
        let part = up_to(chunk, room);
        if part.len() < chunk.len() {
            self.builder.borrow_mut().cap(Caps::PAGE);
        }
        if let Some(stream) = &mut self.stream {
            stream.push(part);
            self.read += part.len();
        }
    }

    /// Returns the page after its last chunk.
    pub fn finish(mut self) -> Page {
        if let Some(stream) = self.stream.take() {
            stream.finish();
        }
        let limits = Limits::default();
        let builder = std::mem::replace(&mut *self.builder.borrow_mut(), Builder::new(limits));
        builder.finish(self.read)
    }
}

/// Rewriter of lol_html, with the events that it has not yet passed to the builder.
struct Stream {
    rewriter: HtmlRewriter<'static, Discard>,
    gaps: Rc<RefCell<Gaps>>,
}

/// Sink that ignores the page as lol_html writes it out again.
struct Discard;

impl OutputSink for Discard {
    fn handle_chunk(&mut self, _: &[u8]) {}
}

/// Input between the latest token of lol_html and the current position, from which tags are read.
struct Gaps {
    builder: Rc<RefCell<Builder>>,
    /// Received input from the first byte that is still needed; the first `used` bytes have been read.
    input: String,
    used: usize,
    /// Byte offset of `input` in the stream.
    base: usize,
    /// Byte offset of the stream in the page.
    offset: usize,
    depth: u32,
    /// Content of an open `noscript`.
    noscript: Option<Noscript>,
    /// True if lol_html is reading the content of a `noscript`.
    in_noscript: bool,
    /// Text of an open element without markup, which is read again if the element has no end.
    swallowed: Option<EndlessText>,
    /// Latest CDATA section, and its end in the stream. Its text is passed on once it has an end, or else read again.
    cdata: Option<(EndlessText, usize)>,
    /// Content after the start tag of the outermost open `template`, except for the part in `input`.
    template: Option<EndlessText>,
    /// Byte offset in the stream of the latest comment, if no token has followed it.
    comment: Option<usize>,
    lexer: TagLexer,
}

/// Content of a `noscript`, read by a stream of its own or kept as text.
enum Noscript {
    Stream(Box<Stream>),
    /// Content of the innermost `noscript` that is read, with its byte offset in the page.
    /// lol_html takes a `noscript` inside of it for raw text.
    Text(String, usize),
}

/// Text of an element that may turn out to have no end.
struct EndlessText {
    unclosed: UnclosedMarkup,
    text: String,
    /// Byte offset of the text in the page.
    start: usize,
    /// Number of bytes that may still be kept.
    room: usize,
}

impl EndlessText {
    fn new(unclosed: UnclosedMarkup, start: usize, limits: &Limits) -> Self {
        Self {
            unclosed,
            text: String::new(),
            start,
            // A character more than is read again, so that the cut is seen.
            room: limits.recovered.saturating_add(4),
        }
    }

    fn push(&mut self, text: &str) {
        let part = up_to(text, self.room);
        self.text.push_str(part);
        self.room = if part.len() < text.len() { 0 } else { self.room - part.len() };
    }
}

impl Stream {
    fn new(builder: Rc<RefCell<Builder>>, offset: usize, depth: u32) -> Self {
        let lexer = TagLexer::new(builder.borrow().limits().attributes);
        let gaps = Rc::new(RefCell::new(Gaps {
            builder,
            input: String::new(),
            used: 0,
            base: 0,
            offset,
            depth,
            noscript: None,
            in_noscript: false,
            swallowed: None,
            cdata: None,
            template: None,
            comment: None,
            lexer,
        }));
        let (for_text, for_comments, for_end) = (gaps.clone(), gaps.clone(), gaps.clone());
        let handlers = DocumentContentHandlers::default()
            .text(move |chunk: &mut TextChunk<'_>| {
                let place = chunk.source_location().bytes();
                for_text.borrow_mut().text(chunk.as_str(), chunk.text_type(), place.start, place.end);
                Ok(())
            })
            .comments(move |comment: &mut lol_html::html_content::Comment<'_>| {
                let place = comment.source_location().bytes();
                for_comments.borrow_mut().comment(place.start, place.end);
                Ok(())
            })
            .end(move |_: &mut DocumentEnd<'_>| {
                for_end.borrow_mut().rest();
                Ok(())
            });
        let settings = Settings::new()
            .append_document_content_handler(handlers)
            .with_strict(false)
            .with_memory_settings(MemorySettings::new());
        Self { rewriter: HtmlRewriter::new(settings, Discard), gaps }
    }

    fn push(&mut self, chunk: &str) {
        self.gaps.borrow_mut().input.push_str(chunk);
        // Not strict and without a memory limit, lol_html has nothing to fail on; should it, the
        // page ends here and is marked.
        if self.rewriter.write(chunk.as_bytes()).is_err() {
            let gaps = self.gaps.borrow();
            gaps.builder.borrow_mut().cap(Caps::PAGE);
        }
        self.gaps.borrow_mut().compact();
    }

    fn finish(self) {
        if self.rewriter.end().is_err() {
            let gaps = self.gaps.borrow();
            gaps.builder.borrow_mut().cap(Caps::PAGE);
        }
    }
}

impl Gaps {
    fn text(&mut self, text: &str, kind: TextType, start: usize, end: usize) {
        if text.is_empty() {
            return;
        }
        if let Some((cdata, from)) = &mut self.cdata
            && kind == TextType::CDataSection
            && *from == start
        {
            cdata.push(text);
            *from = end;
            return self.used_up_to(end);
        }
        self.end_cdata();
        self.tags_before(start);
        self.used_up_to(end);
        self.comment = None;
        let place = self.offset + start;
        if kind == TextType::CDataSection {
            self.swallowed = None;
            let mut cdata = EndlessText::new(UnclosedMarkup::Cdata, place, self.builder.borrow().limits());
            cdata.push(text);
            self.cdata = Some((cdata, end));
            return;
        }
        if kind == TextType::RawText && self.in_noscript {
            let (builder, depth) = (&self.builder, self.depth + 1);
            let inner = self.noscript.get_or_insert_with(|| {
                if depth < MAX_NOSCRIPT_DEPTH {
                    Noscript::Stream(Box::new(Stream::new(builder.clone(), place, depth)))
                } else {
                    Noscript::Text(String::new(), place)
                }
            });
            match inner {
                Noscript::Stream(stream) => stream.push(text),
                Noscript::Text(all, _) => all.push_str(text),
            }
            return;
        }
        if let Some(swallowed) = &mut self.swallowed
            && matches!(kind, TextType::RawText | TextType::ScriptData | TextType::RCData)
        {
            if swallowed.text.is_empty() {
                swallowed.start = place;
            }
            swallowed.push(text);
        }
        let kind = match kind {
            TextType::Data | TextType::RCData => TextKind::Decoded,
            _ => TextKind::Raw,
        };
        self.builder.borrow_mut().text(text, place, kind);
    }

    /// Passes the text of the latest CDATA section to the builder, because the section has ended.
    fn end_cdata(&mut self) {
        if let Some((cdata, _)) = self.cdata.take() {
            let mut builder = self.builder.borrow_mut();
            builder.text(&cdata.text, cdata.start, TextKind::Raw);
        }
    }

    fn comment(&mut self, start: usize, end: usize) {
        self.end_cdata();
        self.tags_before(start);
        self.used_up_to(end);
        self.comment = Some(start);
        // What began before the comment holds markup: it stands in foreign content.
        self.swallowed = None;
        self.builder.borrow_mut().comment();
    }

    /// Handles the end of the stream.
    fn rest(&mut self) {
        self.rest_of_text();
        self.used = self.input.len();
        self.keep_template();
        if let Some(template) = self.template.take() {
            self.recover(&template.text, template.start, template.unclosed);
        }
    }

    fn rest_of_text(&mut self) {
        let at_end = self.used == self.input.len();
        if !at_end {
            self.end_cdata();
        }
        self.tags_before(self.base + self.input.len());
        self.end_noscript();
        if !at_end {
            return;
        }
        let cdata = self.cdata.take().map(|(cdata, _)| cdata);
        if let Some(swallowed) = cdata.or_else(|| self.swallowed.take()) {
            self.recover(&swallowed.text, swallowed.start, swallowed.unclosed);
        } else if let Some(start) = self.comment {
            let comment = start.checked_sub(self.base).and_then(|start| self.input.get(start..)).unwrap_or_default();
            if comment.starts_with("<!--") && end_of_comment(comment.as_bytes(), 4).is_none() {
                let text = comment.get(4..).unwrap_or_default();
                self.recover(text, self.offset + start + 4, UnclosedMarkup::Comment);
            }
        }
    }

    fn recover(&self, text: &str, offset: usize, unclosed: UnclosedMarkup) {
        let builder = &mut self.builder.borrow_mut();
        recover(text, offset, self.depth, builder, unclosed);
    }

    /// Reads the tags up to byte `end` of the stream.
    fn tags_before(&mut self, end: usize) {
        let len = end.saturating_sub(self.base).min(self.input.len());
        let input = std::mem::take(&mut self.input);
        let mut lexer = std::mem::replace(&mut self.lexer, TagLexer::new(0));
        let bytes = input.as_bytes().get(..len).unwrap_or_default();
        let mut from = self.used;
        while let Some(at) = bytes.get(from..).and_then(|rest| memchr::memchr(b'<', rest)) {
            let lt = from + at;
            match lexer.markup(bytes, lt) {
                Markup::Tag(raw) => {
                    self.tag(&lexer.tag(bytes, raw), raw);
                    from = raw.end;
                }
                Markup::Skip(next) => from = next,
                Markup::Cut { quoted } => {
                    if quoted {
                        // Only the end of the stream can cut a tag.
                        self.end_noscript();
                        let text = input.get(lt + 1..).unwrap_or_default();
                        let offset = self.offset + self.base + lt + 1;
                        self.recover(text, offset, UnclosedMarkup::Quote);
                    }
                    break;
                }
            }
        }
        self.lexer = lexer;
        self.input = input;
    }

    fn tag(&mut self, text: &TagText, raw: RawTag) {
        let tag = text.tag;
        self.comment = None;
        self.swallowed = None;
        self.in_noscript = false;
        if raw.is_end {
            if tag == Tag::Noscript {
                self.end_noscript();
            }
            self.builder.borrow_mut().end_tag(tag, text.bytes.get(raw.name.0..raw.name.1).unwrap_or_default());
            return;
        }
        let mut builder = self.builder.borrow_mut();
        // After `<noscript a=>` lol_html reads markup, but calls its text raw.
        if !raw.value_missing {
            self.in_noscript = tag == Tag::Noscript;
            self.swallowed = UnclosedMarkup::of(tag, text.value(Key::Type))
                .map(|unclosed| EndlessText::new(unclosed, 0, builder.limits()));
        }
        builder.start_tag(text, self.offset + self.base + raw.start);
    }

    fn end_noscript(&mut self) {
        match self.noscript.take() {
            Some(Noscript::Stream(inner)) => inner.finish(),
            Some(Noscript::Text(text, place)) => {
                let builder = &mut self.builder.borrow_mut();
                Scanner::new(&text, place, self.depth + 1, builder).run(0);
            }
            None => {}
        }
    }

    /// Marks the input up to byte `end` of the stream, the end of a token, as read.
    fn used_up_to(&mut self, end: usize) {
        self.used = end.saturating_sub(self.base).min(self.input.len());
    }

    /// Keeps the input that has been read, as long as a `template` is open.
    fn keep_template(&mut self) {
        let builder = self.builder.borrow();
        let Some((tag, start)) = builder.open_skip(self.offset) else {
            self.template = None;
            return;
        };
        let template = match &mut self.template {
            Some(template) if template.start == start => template,
            template => template.insert(EndlessText::new(UnclosedMarkup::skipped(tag), start, builder.limits())),
        };
        let from = start.saturating_sub(self.offset + self.base);
        template.push(self.input.get(from..self.used).unwrap_or_default());
    }

    /// Drops the input that is no longer needed.
    fn compact(&mut self) {
        self.keep_template();
        self.input.drain(..self.used);
        self.base += self.used;
        self.used = 0;
    }
}
