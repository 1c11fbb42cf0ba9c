//! Reads HTML into the tables of a page: one reader takes a whole page in memory, one a page that arrives in parts.
//!
//! Both read in one pass driven by `memchr`, and pass text to the builder as slices of the page. Of a growing page the
//! received part is processed as far as it is certain. A third reader, for tests alone, reads a page in chunks by the
//! tokenizer of lol_html.

mod content_model;
#[cfg(any(test, feature = "lol"))]
#[path = "tests/lol.rs"]
mod lol;
mod scanner;
mod unclosed_text;

use trommel_text::vectors::Vectors;

use crate::build::{Builder, SparePage, TextKind};
use crate::limits::{Caps, Limits, up_to};
use crate::page::{Head, Page};
use crate::reader::content_model::Namespaces;
use crate::reader::scanner::{Scanner, scan};

#[cfg(any(test, feature = "lol"))]
pub use lol::{LolEngine, PushReader};

/// Reader that turns a whole decoded page into a [`Page`] in one pass. All engines give the same result.
pub trait Engine {
    /// Reads the page `html`. Any text is accepted; parts beyond `limits` are left out, and [`Page::capped`] says so.
    fn read(&self, html: &str, limits: &Limits) -> Page;
}

/// Engine that reads whole pages with the scanner of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanEngine;

impl ScanEngine {
    /// Reads a page like [`Engine::read`], and records its inline styles ([`Page::styled`]).
    pub fn read_styled(&self, html: &str, limits: &Limits) -> Page {
        let mut builder = Builder::new(*limits);
        builder.record_styles();
        read(html, builder)
    }
}

impl Engine for ScanEngine {
    fn read(&self, html: &str, limits: &Limits) -> Page {
        read(html, Builder::new(*limits))
    }
}

fn read(html: &str, mut builder: Builder) -> Page {
    let bytes = scan(html, &mut builder);
    builder.finish(bytes)
}

/// Reader of pages one after the other, which works like [`ScanEngine`] and reuses the memory of finished pages.
#[derive(Debug, Default)]
pub struct ScanReader {
    spare: SparePage,
    vectors: Vectors,
}

impl ScanReader {
    /// Creates a reader that uses the given vector instructions instead of the fastest ones. All give the same pages.
    pub fn with_vectors(vectors: Vectors) -> Self {
        Self { spare: SparePage::default(), vectors }
    }

    /// Reads a whole page like [`Engine::read`].
    pub fn read(&mut self, html: &str, limits: &Limits) -> Page {
        let mut builder = Builder::over(*limits, &mut self.spare);
        builder.use_vectors(self.vectors);
        let bytes = scan(html, &mut builder);
        builder.finish_into(bytes, &mut self.spare)
    }

    /// Reads a whole page with its inline styles like [`ScanEngine::read_styled`].
    pub fn read_styled(&mut self, html: &str, limits: &Limits) -> Page {
        let mut builder = Builder::over(*limits, &mut self.spare);
        builder.use_vectors(self.vectors);
        builder.record_styles();
        let bytes = scan(html, &mut builder);
        builder.finish_into(bytes, &mut self.spare)
    }

    /// Creates a reader for a page that arrives in parts, which reuses the memory of earlier pages.
    pub fn growing(&mut self, limits: &Limits) -> GrowingReader {
        GrowingReader::over(limits, &mut self.spare)
    }

    /// Finishes a page that arrived in parts, like [`GrowingReader::finish`].
    pub fn finish(&mut self, reader: GrowingReader, html: &str) -> Page {
        reader.finish_into(html, &mut self.spare)
    }

    /// Takes a finished page, to reuse its memory for the next page.
    pub fn keep(&mut self, page: Page) {
        self.spare.keep(page);
    }
}

/// Minimum number of new bytes of a growing page before they are scanned.
// A network gives a page in parts of some kilobytes; starting a scan for each few bytes would cost more than reading.
const MIN_NEW_BYTES: usize = 4096;

/// Reader of a page that arrives in parts; it gives the same [`Page`] as [`ScanEngine`](crate::ScanEngine).
/// It keeps the tables, not the text: each call gets the page from its start. Incomplete parts (a tag, a comment, a
/// script) wait for the rest. They are examined again only when half as much again has arrived, so the work is
/// proportional to the page, however it is divided.
#[derive(Debug)]
pub struct GrowingReader {
    builder: Builder,
    namespaces: Namespaces,
    kind: TextKind,
    /// Byte offset up to which the page has been read.
    from: usize,
    /// Length in bytes of the page at the latest attempt to read on.
    tried: usize,
}

impl GrowingReader {
    /// Creates a reader for one page that arrives in parts.
    pub fn new(limits: &Limits) -> Self {
        Self::over(limits, &mut SparePage::default())
    }

    /// Creates a reader for one page that reuses the memory in `spare`.
    pub(super) fn over(limits: &Limits, spare: &mut SparePage) -> Self {
        let builder = Builder::over(*limits, spare);
        Self { builder, namespaces: Namespaces::default(), kind: TextKind::Decoded, from: 0, tried: 0 }
    }

    /// Makes the reader record inline styles, too ([`Page::styled`]).
    #[must_use]
    pub fn with_styles(mut self) -> Self {
        self.builder.record_styles();
        self
    }

    /// Reads on in a page; `html` is the part that has arrived, from the start of the page.
    pub fn read_on(&mut self, html: &str) {
        // Places are numbers of 32 bits.
        let html = up_to(html, u32::MAX as usize);
        // Growth by half at each try: what waits (a long script) is searched again a bounded number of times in all.
        let waits = self.tried.saturating_sub(self.from) / 2;
        if html.len().saturating_sub(self.tried) < waits.max(MIN_NEW_BYTES) {
            return;
        }
        self.read_on_now(html);
    }

    /// Reads on in a page like [`GrowingReader::read_on`], even if few bytes have been added.
    pub fn read_on_now(&mut self, html: &str) {
        self.tried = html.len();
        self.read(html, true);
    }

    /// Returns the finished page; `html` is the whole page.
    pub fn finish(self, html: &str) -> Page {
        self.finish_into(html, &mut SparePage::default())
    }

    /// Returns the finished page like [`GrowingReader::finish`], and moves unneeded memory to `spare`.
    pub(super) fn finish_into(mut self, html: &str, spare: &mut SparePage) -> Page {
        let text = up_to(html, u32::MAX as usize);
        if text.len() < html.len() {
            self.builder.cap(Caps::PAGE);
        }
        self.read(text, false);
        self.builder.finish_into(text.len(), spare)
    }

    /// Returns the tables of the part that has been read, as if the page ended there.
    pub fn so_far(&self) -> Page {
        // A copy is finished, because the page itself goes on.
        self.builder.clone().finish(self.from)
    }

    /// Returns the facts of the page's head that have been read up to now.
    pub fn head(&self) -> &Head {
        self.builder.head()
    }

    fn read(&mut self, html: &str, grows: bool) {
        let mut scanner = Scanner::new(html, 0, 0, &mut self.builder);
        scanner.namespaces = std::mem::take(&mut self.namespaces);
        scanner.kind = self.kind;
        scanner.grows = grows;
        if !grows {
            return scanner.run(self.from);
        }
        self.from = scanner.read(self.from).unwrap_or(self.from);
        self.kind = scanner.kind;
        self.namespaces = scanner.namespaces;
    }
}
