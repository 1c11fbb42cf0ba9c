//! The extractor: bytes of a page and hints about them in, a document out.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use trommel_html::{Limits, Page, ScanEngine, ScanReader, charset};
use trommel_model::Model;

use crate::clock::{Clock, Stage};
use crate::conventions::Conventions;
use crate::document::Document;
use crate::extraction::Extraction;

/// What is known about a page from outside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// URL of the page.
    pub url: Option<&'a str>,
    /// `charset` parameter of the HTTP Content-Type header.
    pub http_charset: Option<&'a str>,
    /// `charset-detected` of the crawl's metadata record.
    pub crawl_charset: Option<&'a str>,
    /// Time of the capture: no date of the page is after it.
    pub date: Option<&'a str>,
}

thread_local! {
    /// Memory of the thread's last page, for its next one.
    static READER: RefCell<ScanReader> = RefCell::default();
}

/// Extracts main text with one model. Cheap to clone; has no state between pages, so the same bytes,
/// hints and model give the same document on any thread and in any order.
#[derive(Clone, Debug)]
pub struct Extractor {
    model: Arc<Model>,
    limits: Limits,
    conventions: Conventions,
    clock: Option<Arc<Clock>>,
}

impl Extractor {
    /// An extractor that scores blocks with `model`.
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            model,
            limits: Limits::default(),
            conventions: Conventions::default(),
            clock: None,
        }
    }

    /// The same extractor under other conventions.
    #[must_use]
    pub fn with_conventions(mut self, conventions: Conventions) -> Self {
        self.conventions = conventions;
        self
    }

    /// The same extractor, which tells `clock` how long each stage of a page takes.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The document of one page. Any bytes are accepted: a page without text gives an empty document.
    pub fn extract(&self, bytes: &[u8], hints: &Hints) -> Document {
        self.reading(bytes, hints, |page| page.document())
    }

    /// What [`Extractor::extract`] finds, but for the blocks of the document: all that output formats
    /// have a place for.
    pub fn summary(&self, bytes: &[u8], hints: &Hints) -> Document {
        self.reading(bytes, hints, |page| page.summary())
    }

    /// What [`Extractor::extract`] finds, with all that Markdown and rows of blocks need.
    pub fn read<'a>(&self, bytes: &'a [u8], hints: &Hints<'a>) -> Extraction<'a> {
        let decoded = charset::decode(bytes, &charset_hints(hints));
        let page = ScanEngine.read_marked(&decoded.text, &self.limits);
        self.judged(decoded, page, hints)
    }

    /// What `make` makes of the judged page.
    fn reading<T>(
        &self,
        bytes: &[u8],
        hints: &Hints,
        make: impl FnOnce(&Extraction<'_>) -> T,
    ) -> T {
        let mut begin = Instant::now();
        let mut lap = |stage| {
            if let Some(clock) = &self.clock {
                clock.lap(stage, &mut begin);
            }
        };
        let decoded = charset::decode(bytes, &charset_hints(hints));
        let page = READER.with_borrow_mut(|reader| reader.read(&decoded.text, &self.limits));
        lap(Stage::Tables);
        let extraction = self.judged(decoded, page, hints);
        lap(Stage::Choice);
        let made = make(&extraction);
        lap(Stage::Document);
        READER.with_borrow_mut(|reader| reader.keep(extraction.into_page()));
        made
    }

    fn judged<'a>(
        &self,
        decoded: charset::Decoded<'a>,
        page: Page,
        hints: &Hints<'a>,
    ) -> Extraction<'a> {
        let verdicts = self.conventions.judge(&self.model, &page, hints.url);
        Extraction::new(decoded, page, verdicts, hints)
    }
}

/// The charset hints among a page's hints.
pub fn charset_hints<'a>(hints: &Hints<'a>) -> charset::Hints<'a> {
    charset::Hints {
        http: hints.http_charset,
        crawl: hints.crawl_charset,
        host: hints.url.and_then(host),
    }
}

/// Host of a URL, without port and user.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next().filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_a_url() {
        assert_eq!(host("http://u:p@example.org:80/a?b"), Some("example.org"));
        assert_eq!(host("https://example.org?x"), Some("example.org"));
        assert_eq!(host("example.org/a"), None);
        assert_eq!(host("http:///x"), None);
    }
}
