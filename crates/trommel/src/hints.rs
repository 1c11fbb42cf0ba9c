//! Hints about a page, read from its archive record or stored with owned strings.

#[cfg(feature = "archive")]
use trommel_archive::{Payload, Record};

use crate::Hints;

/// Returns the hints about a page from its record and payload: URL, charset of the HTTP header, time of the capture.
#[cfg(feature = "archive")]
pub fn page_hints<'a>(record: &'a Record, payload: &'a Payload<'_>) -> Hints<'a> {
    Hints { url: record.url(), http_charset: payload.charset(), crawl_charset: None, date: record.date() }
}

/// Hints about a page as in [`Hints`], with owned strings.
///
/// ```
/// use trommel::{Hints, OwnedHints};
///
/// let hints = Hints { url: Some("https://example.org/mill"), ..Hints::default() };
/// assert_eq!(OwnedHints::from(hints).hints(), hints);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedHints {
    /// URL of the page.
    pub url: Option<String>,
    /// Charset that the HTTP header of the page states.
    pub http_charset: Option<String>,
    /// Charset that the crawl's metadata states for the page.
    pub crawl_charset: Option<String>,
    /// Time at which the page was captured.
    pub date: Option<String>,
}

impl OwnedHints {
    /// Returns the hints with borrowed strings, as [`Hints`].
    pub fn hints(&self) -> Hints<'_> {
        Hints {
            url: self.url.as_deref(),
            http_charset: self.http_charset.as_deref(),
            crawl_charset: self.crawl_charset.as_deref(),
            date: self.date.as_deref(),
        }
    }
}

impl From<Hints<'_>> for OwnedHints {
    fn from(hints: Hints<'_>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Self {
            url: owned(hints.url),
            http_charset: owned(hints.http_charset),
            crawl_charset: owned(hints.crawl_charset),
            date: owned(hints.date),
        }
    }
}
