//! The scan engine reads a whole page in memory, in one pass driven by `memchr`. It passes text to the
//! builder as slices of the page.

use super::Engine;
use super::growing::GrowingReader;
use super::scanner::scan;
use crate::build::{Builder, SparePage};
use crate::limits::Limits;
use crate::page::Page;
use trommel_text::vectors::Vectors;

/// Reads whole pages with our own scanner.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanEngine;

impl ScanEngine {
    /// Like [`Engine::read`], and notes inline style ([`Page::styled`]).
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

/// Reads one page after the other as [`ScanEngine`] does, in the memory of those before it.
#[derive(Debug, Default)]
pub struct ScanReader {
    spare: SparePage,
    vectors: Vectors,
}

impl ScanReader {
    /// A reader that uses the given vector instructions, not the fastest there are. All give the same
    /// pages.
    pub fn with_vectors(vectors: Vectors) -> Self {
        Self { spare: SparePage::default(), vectors }
    }

    /// Like [`Engine::read`].
    pub fn read(&mut self, html: &str, limits: &Limits) -> Page {
        let mut builder = Builder::over(*limits, &mut self.spare);
        builder.use_vectors(self.vectors);
        let bytes = scan(html, &mut builder);
        builder.finish_into(bytes, &mut self.spare)
    }

    /// Like [`ScanEngine::read_styled`].
    pub fn read_styled(&mut self, html: &str, limits: &Limits) -> Page {
        let mut builder = Builder::over(*limits, &mut self.spare);
        builder.use_vectors(self.vectors);
        builder.record_styles();
        let bytes = scan(html, &mut builder);
        builder.finish_into(bytes, &mut self.spare)
    }

    /// A reader for a page that comes in parts, in the memory of the pages before.
    pub fn growing(&mut self, limits: &Limits) -> GrowingReader {
        GrowingReader::over(limits, &mut self.spare)
    }

    /// Like [`GrowingReader::finish`].
    pub fn finish(&mut self, reader: GrowingReader, html: &str) -> Page {
        reader.finish_into(html, &mut self.spare)
    }

    /// Takes a page that is done with, to use its memory for the next.
    pub fn keep(&mut self, page: Page) {
        self.spare.keep(page);
    }
}
