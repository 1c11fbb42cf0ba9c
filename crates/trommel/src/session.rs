//! Sessions, each of which takes a page in parts as it arrives and gives its document.

use std::{borrow::Cow, fmt};

use serde::Serialize;
use trommel_extract::{PageLink, PushPage};

use crate::extractor::{EarlyStops, StopReason};
use crate::{Document, Extractor, Hints, OwnedHints};

/// Default maximum number of bytes of a page that arrives in parts; further bytes are ignored.
pub const DEFAULT_MAX_PAGE: usize = 16 << 20;

/// Answer to each part of a page that arrives: send more, enough bytes, or the page is not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The session wants more parts of the page.
    Continue,
    /// The session has the maximum number of bytes of a page; further parts are ignored.
    Full,
    /// The page is not wanted, by the rules of [`EarlyStops`].
    Stop(StopReason),
}

impl Verdict {
    /// Returns whether the session wants more of the page. Otherwise a crawler may stop its download.
    pub fn is_continue(self) -> bool {
        self == Self::Continue
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continue => f.write_str("continue"),
            Self::Full => f.write_str("full"),
            Self::Stop(reason) => reason.fmt(f),
        }
    }
}

/// Facts about a page of which only a part has arrived.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Known {
    /// Canonical URL (`<link rel=canonical>`) exactly as the page states it.
    pub canonical: Option<String>,
    /// Links found so far, with the probability and role of their blocks, so that a crawler can follow links of content
    /// first.
    pub links: Vec<PageLink>,
    /// URL of the page on which the text continues; none if there is no such page.
    pub next_page: Option<String>,
    /// Robots directives of the page, unchanged (`noindex, nofollow`).
    pub robots: Option<String>,
}

/// Reader of one page that arrives in parts; it gives the page's document at the end.
///
/// The parts may be cut anywhere, even within a character, a tag or an escape. The document is that of the whole
/// page. A page in UTF-8 is read while it arrives. A session holds the bytes of its page, at most
/// [`Session::with_max_page`] of them, and the tables of its elements. It needs no thread and no lock, so a crawler
/// can keep one for each page in transit.
///
/// ```
/// use trommel::{Extractor, Hints, Session};
///
/// let extractor = Extractor::default();
/// let hints = Hints { url: Some("https://example.org/mill"), ..Hints::default() };
/// let mut session = Session::new(&extractor, hints);
/// for part in ["<h1>The mi", "ll</h1><p>It stands by the river, and its wheel tur", "ns."] {
///     if !session.feed(part.as_bytes()).is_continue() {
///         break;
///     }
/// }
/// let document = session.finish();
/// assert_eq!(document.title.as_deref(), Some("The mill"));
/// ```
///
/// A crawler can ask a session for links before the page has ended, and limit its size:
///
/// ```
/// use trommel::{EarlyStops, Extractor, Hints, Session, Verdict};
///
/// let hints = Hints { url: Some("https://example.org/mill"), ..Hints::default() };
/// // It owns its extractor, so it can be stored between tasks.
/// let mut session = Session::owned(Extractor::default(), hints).with_max_page(100);
/// session.set_stops(EarlyStops { not_html: true, ..EarlyStops::default() });
/// assert!(session.is_empty());
/// session.feed(b"<p>It stands by <a href=/river>the river</a> since 1794.");
/// assert_eq!(session.known().links[0].url, "https://example.org/river");
/// assert!(session.first_bytes().starts_with(b"<p>"));
/// assert_eq!(session.feed(&[b'x'; 100]), Verdict::Full);
/// assert_eq!(session.len(), 100);
/// assert_eq!(*session.finish().capped, ["max-page"]);
/// ```
#[derive(Debug)]
pub struct Session<'a> {
    extractor: Cow<'a, Extractor>,
    hints: OwnedHints,
    page: PushPage,
    max_page: usize,
    passed: bool,
    stops: EarlyStops,
    stopped: Option<StopReason>,
}

impl<'a> Session<'a> {
    /// Creates a session for one page, which borrows its extractor.
    pub fn new(extractor: &'a Extractor, hints: Hints<'_>) -> Self {
        Self::over(Cow::Borrowed(extractor), hints)
    }

    fn over(extractor: Cow<'a, Extractor>, hints: Hints<'_>) -> Self {
        Self {
            // Links are known under any settings, for crawlers to follow.
            page: extractor.judge().clone().with_inline_style(true).push(),
            extractor,
            hints: hints.into(),
            max_page: DEFAULT_MAX_PAGE,
            passed: false,
            stops: EarlyStops::default(),
            stopped: None,
        }
    }

    /// Limits the bytes of the page that the session keeps. Further bytes are ignored, and [`Document::capped`]
    /// contains `max-page`.
    #[must_use]
    pub fn with_max_page(mut self, bytes: usize) -> Self {
        self.max_page = bytes;
        self
    }

    /// Sets the conditions, such as a wrong language, under which the session rejects a page before its end.
    pub fn set_stops(&mut self, stops: EarlyStops) {
        self.stops = stops;
    }

    /// Takes the next bytes of the page, and returns whether more are wanted. After a [`Verdict::Stop`] further bytes
    /// are still read, but every further call returns the same verdict.
    pub fn feed(&mut self, part: &[u8]) -> Verdict {
        let room = self.max_page.saturating_sub(self.page.len());
        let taken = part.get(..room).unwrap_or(part);
        self.passed |= taken.len() < part.len();
        self.page.push(taken);
        if self.stopped.is_none() {
            let hints = self.hints.hints();
            self.stopped = self.stops.look(&self.page, self.extractor.judge(), &hints);
        }
        match self.stopped {
            Some(reason) => Verdict::Stop(reason),
            None if self.page.len() >= self.max_page => Verdict::Full,
            None => Verdict::Continue,
        }
    }

    /// Returns the number of bytes of the page that the session holds.
    pub fn len(&self) -> usize {
        self.page.len()
    }

    /// Returns the first bytes of the page, which show whether the page is HTML.
    pub fn first_bytes(&self) -> &[u8] {
        self.page.first_bytes()
    }

    /// Returns whether no bytes of the page have arrived yet.
    pub fn is_empty(&self) -> bool {
        self.page.is_empty()
    }

    /// Returns the facts known from the part of the page that has arrived, after judging that part to find links. A
    /// page that is not UTF-8 has no known facts before its end.
    pub fn known(&mut self) -> Known {
        self.page.catch_up();
        let mut known = Known::default();
        if let Some(head) = self.page.head() {
            known.canonical.clone_from(&head.canonical);
            known.robots = head.meta("robots").map(str::to_owned);
        }
        if let Some(extraction) = self.page.so_far(self.extractor.judge(), &self.hints.hints()) {
            known.links = extraction.links();
            known.next_page = extraction.next_page();
        }
        known
    }

    /// Ends the page, and returns its document.
    pub fn finish(self) -> Document {
        let hints = self.hints.hints();
        let extraction = self.page.finish(self.extractor.judge(), &hints);
        let mut document = extraction.document(self.extractor.options());
        if self.passed {
            document.capped.push("max-page".to_owned());
        }
        document
    }
}

impl Session<'static> {
    /// Creates a session that owns its extractor, so that it can be stored between tasks. Extractors are cheap to
    /// clone.
    pub fn owned(extractor: Extractor, hints: Hints<'_>) -> Self {
        Self::over(Cow::Owned(extractor), hints)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::{Role, Settings};

    /// Extractor that lists blocks, so that tests compare everything about a page.
    static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(|| {
        let settings = Settings::from_json(r#"{"blocks": true}"#).unwrap();
        Extractor::new(&settings).unwrap()
    });

    fn whole(page: &[u8]) -> Document {
        EXTRACTOR.document(page, &Hints::default())
    }

    fn in_parts(page: &[u8], cuts: impl IntoIterator<Item = usize>) -> Document {
        let mut session = Session::new(&EXTRACTOR, Hints::default());
        let mut from = 0;
        for cut in cuts {
            session.feed(&page[from..cut]);
            from = cut;
        }
        session.feed(&page[from..]);
        assert_eq!(session.len(), page.len());
        session.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn parts_make_no_difference(
            pieces in prop::collection::vec(
                prop_oneof![
                    "[a-z ]{1,40}",
                    "</?(p|h1|article|nav|a href=/x|script|li|table|td|style|textarea|svg|title)>",
                    "(日本語|é|&amp;|&#x65e5;|<!--|-->|<meta charset=utf-8>|<title>T</title>|<!x>|<a b='>|<)",
                    "[a-z ]{4000,6000}",
                ],
                0..60,
            ),
            mark in prop::option::of(Just("\u{feff}")),
            raw in prop::collection::vec(any::<u8>(), 0..4),
            cuts in prop::collection::vec(0usize..60_000, 0..12),
        ) {
            let mut page = mark.unwrap_or_default().as_bytes().to_vec();
            page.extend(pieces.concat().into_bytes());
            page.extend(raw);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(page.len())).collect();
            cuts.sort_unstable();
            prop_assert_eq!(in_parts(&page, cuts), whole(&page));
        }
    }

    /// Checks that real pages in each encoding give the same document whole and in parts.
    #[test]
    fn real_pages_in_parts_are_the_same() {
        let text = "<html><head><title>Мельница</title></head><body><p>Мельница стоит у реки, и её \
            колесо вращается уже двести лет.</p><!-- ende --><script>if (a < b) {}</script>"
            .repeat(200);
        let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode(&text);
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [&[0xEF, 0xBB, 0xBF], text.as_bytes()].concat();
        for page in [text.as_bytes(), &cyrillic, &utf16, &marked] {
            let expected = whole(page);
            assert!(expected.text.contains("Мельница стоит"), "{}", expected.charset);
            for size in [1, 1400, 16 << 10] {
                let cuts = (1..).map(|number| number * size).take_while(|cut| *cut < page.len());
                assert_eq!(in_parts(page, cuts), expected, "{size} {}", expected.charset);
            }
        }
    }

    #[test]
    fn no_more_is_kept_than_is_allowed() {
        let mut session = Session::new(&EXTRACTOR, Hints::default()).with_max_page(10);
        assert!(session.is_empty() && session.feed(b"<p>one ").is_continue());
        assert_eq!(session.feed(b"two three"), Verdict::Full);
        assert_eq!(session.feed(b"four"), Verdict::Full);
        assert_eq!(session.len(), 10);
        let document = session.finish();
        assert_eq!(document.text, "one two");
        assert_eq!(*document.capped, ["max-page"]);
        let mut session = Session::new(&EXTRACTOR, Hints::default()).with_max_page(6);
        assert_eq!(session.feed(b"<p>one"), Verdict::Full);
        assert!(session.finish().capped.is_empty(), "a page that fits");
    }

    #[test]
    fn links_are_known_before_the_page_has_ended() {
        let hints = Hints { url: Some("https://example.org/a/b"), ..Hints::default() };
        let mut session = Session::new(&EXTRACTOR, hints);
        let long = "The mill stands by the river, and its wheel has turned there for two hundred years. ";
        let page = format!(
            "<html><head><meta name=robots content='noindex'><link rel=canonical href=/c>\
             <link rel=next href='?p=2'></head><body><nav><ul><li><a href=/home>Home</a><li><a href=/news>News</a>\
             </ul></nav><article><p>{}<a href='../mill#top'>the mill</a>. {}</p><p>{}</p></article>",
            long.repeat(6),
            long.repeat(30),
            long.repeat(80)
        );
        session.feed(page.as_bytes());
        let known = session.known();
        assert_eq!(known.canonical.as_deref(), Some("/c"));
        assert_eq!(known.robots.as_deref(), Some("noindex"));
        assert_eq!(known.next_page.as_deref(), Some("https://example.org/a/b?p=2"));
        let urls: Vec<&str> = known.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://example.org/home", "https://example.org/news", "https://example.org/mill"]);
        assert!(known.links[2].kept && known.links[2].probability > 0.5);
        assert!(!known.links[0].kept && known.links[0].probability < known.links[2].probability);
        assert_eq!(known.links[2].role, Role::Body);
        // The page goes on as if nobody had asked.
        session.feed(b"<p>And a last word of it.");
        let page = [page.as_bytes(), b"<p>And a last word of it."].concat();
        assert_eq!(session.finish(), EXTRACTOR.document(&page, &hints));
    }

    #[test]
    fn settings_hold_for_sessions_too() {
        let settings = Settings::from_json(r#"{"text": "markdown", "headline": "exclude"}"#).unwrap();
        let extractor = Extractor::new(&settings).unwrap();
        let mut session = Session::new(&extractor, Hints::default());
        session.feed(b"<h1>Mill</h1><p>one <b>two</b> <a href=http://x/>three</a>");
        assert_eq!(session.known().links.len(), 1);
        assert_eq!(session.finish().text, "one **two** three\n");
    }
}
