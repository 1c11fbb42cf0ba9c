//! Counts the texts and positions of a site, by the fingerprints of the blocks of its pages.
//!
//! If there is no room for all, an even sample of entries is kept: those with the lowest keys, which are hashes.
//! Only the threshold and the key decide whether a key is kept. The threshold is the highest of a fixed row at
//! which all entries fit. So neither the order of pages nor the way of merging makes a difference. The counts of
//! kept keys are exact, because a key below the last threshold was below every earlier one. Whole numbers need no
//! room beside small ones.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use trommel_html::{Element, Page, Tag};
use trommel_text::{hash, mix, url_host};

/// Number of pages, with the lowest and the highest hash of their URLs. If both are equal, the pages are captures of
/// one URL. A page that was captured twice is no sign that its text is part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageCount {
    pub pages: u32,
    pub urls: (u32, u32),
}

impl PageCount {
    /// Returns the count of one page; `url` is the hash of its URL.
    pub fn one(url: u32) -> Self {
        Self { pages: 1, urls: (url, url) }
    }

    /// Adds another count of pages to this one.
    pub fn join(&mut self, other: Self) {
        self.pages = self.pages.saturating_add(other.pages);
        self.urls.0 = self.urls.0.min(other.urls.0);
        self.urls.1 = self.urls.1.max(other.urls.1);
    }

    /// Returns the number of counted pages, less one if `included` (the page itself was counted); 0 if all are captures
    /// of the URL with the hash `url`.
    pub fn others(&self, url: u32, included: bool) -> u32 {
        if self.urls == (url, url) {
            return 0;
        }
        self.pages.saturating_sub(u32::from(included))
    }
}

/// Counts at one position in the pages of a site, shared by blocks inside elements of the same names and classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Number of pages with a block at the position.
    pub pages: u32,
    /// Number of pages with a block at the position that a model judged.
    pub judged: u32,
    /// Sum over the judged pages of the mean probability of the words at the position, in units of [`UNIT`].
    pub probability: Compact64,
    /// Number of pairs of a text and a page with that text at this position.
    pub texts: u32,
    /// Sum of n ln n over the texts at the position, n being a text's pages. It follows from the texts and is not
    /// saved.
    pub spread: Compact64,
}

impl Position {
    /// Adds the counts of other pages to the position; the texts are counted by [`Position::count_text`].
    pub fn join(&mut self, pages: u32, judged: u32, probability: u64) {
        self.pages = self.pages.saturating_add(pages);
        self.judged = self.judged.saturating_add(judged);
        self.probability = self.probability.plus(probability);
    }

    /// Counts a text at this position whose number of pages rises from `before` to `after`.
    pub fn count_text(&mut self, before: u32, after: u32) {
        self.texts = self.texts.saturating_add(after.saturating_sub(before));
        let more = spread(after).saturating_sub(spread(before));
        self.spread = self.spread.plus(more);
    }
}

/// Integer that represents a probability of 1 in sums of probabilities.
pub(crate) const UNIT: f64 = 65_536.0;

/// Returns n ln n for n `pages`, in whole units of 1/1024, so that sums do not depend on their order.
pub(crate) fn spread(pages: u32) -> u64 {
    let pages = f64::from(pages.max(1));
    (pages * pages.ln() * 1024.0).round() as u64
}

/// Returns the entropy of the texts at a position over its pages, as a share of the entropy if every page had its own
/// text. It is computed from the number of (text, page) pairs and the sum of their [`spread`]. `None` for fewer than
/// two pairs.
pub(crate) fn entropy(texts: u32, spread: u64) -> Option<f32> {
    if texts < 2 {
        return None;
    }
    let all = f64::from(texts);
    let most = all.ln();
    let entropy = most - spread as f64 / 1024.0 / all;
    Some((entropy / most).clamp(0.0, 1.0) as f32)
}

/// A 64-bit number that can be stored at any multiple of four bytes. Next to 32-bit numbers a `u64` would leave four
/// bytes unused, in each of millions of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(Rust, packed(4))]
pub(crate) struct Compact64(u64);

impl Compact64 {
    /// Returns the number as a `u64`.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Returns the sum with `more`, limited to the largest 64-bit number.
    pub fn plus(self, more: u64) -> Self {
        Self(self.get().saturating_add(more))
    }
}

impl From<u64> for Compact64 {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

/// Threshold of a sample: entries are kept if their keys are below the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Threshold(u64);

impl Threshold {
    /// Threshold that keeps every key.
    pub const ALL: Self = Self(u64::MAX);

    /// Returns whether an entry with this key is kept.
    pub fn keeps(self, key: u64) -> bool {
        key < self.0 || self == Self::ALL
    }

    /// Returns the next lower threshold, which drops an eighth of the entries.
    pub fn lower(self) -> Self {
        Self(self.0 - (self.0 / 8).max(1).min(self.0))
    }

    /// Returns whether lowering [`Threshold::ALL`] repeatedly leads to this threshold.
    pub fn is_in_row(self) -> bool {
        let mut next = Self::ALL;
        while next > self {
            next = next.lower();
        }
        next == self
    }
}

/// Version of the fingerprints of pages. Memories of different versions cannot recognise each other's pages.
pub(crate) const VERSION: u32 = 1;

/// Number of innermost elements whose names and classes define the position of a block. More would distinguish pages of
/// one template by what is around the template.
const MAX_PATH_DEPTH: usize = 3;

/// Fingerprints of a page's blocks: for each block that of its text and that of its position. The position is given by
/// the names and classes of the three innermost elements around the block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PagePrint {
    pub(crate) texts: Vec<u64>,
    pub(crate) positions: Vec<u64>,
    pub(crate) words: Vec<u32>,
}

impl PagePrint {
    /// Computes the fingerprints of a page, in time linear in it.
    pub fn of(page: &Page) -> Self {
        let mut print = Self {
            texts: Vec::with_capacity(page.blocks.len()),
            positions: Vec::with_capacity(page.blocks.len()),
            words: Vec::with_capacity(page.blocks.len()),
        };
        for block in &page.blocks {
            let around = page.path(block.element).take(MAX_PATH_DEPTH);
            let position = around.fold(1, |before: u64, (_, element)| mix(before.rotate_left(7) ^ look(page, element)));
            print.texts.push(hash(page.text(block).as_bytes()));
            print.positions.push(position);
            print.words.push(block.words);
        }
        print
    }

    /// Returns the number of blocks on the page.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Returns a hash of an element's name and class. Names that are not HTML are numbered differently on each page, so for
/// these the name itself is hashed.
fn look(page: &Page, element: &Element) -> u64 {
    match element.tag {
        Tag::Other => hash(page.name(element).as_bytes()),
        _ => element.signature,
    }
}

/// Returns the site of a URL: its host in lower case, without `www.`, user, port and closing dot. `None` if the URL has
/// no host or only a placeholder (`.invalid`, RFC 2606).
pub fn site_of(url: &str) -> Option<Cow<'_, str>> {
    let host = url_host(url)?;
    let host = host.strip_suffix('.').unwrap_or(host);
    let host: Cow<'_, str> = match host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(host.to_ascii_lowercase()),
        false => Cow::Borrowed(host),
    };
    let host = match host {
        Cow::Borrowed(host) => Cow::Borrowed(host.strip_prefix("www.").unwrap_or(host)),
        Cow::Owned(host) => Cow::Owned(host.strip_prefix("www.").map_or(host.clone(), str::to_owned)),
    };
    let is_placeholder = host.ends_with(".invalid") || &*host == "invalid";
    // No host is longer (RFC 1035).
    let is_host = !host.is_empty() && host.len() <= 253 && !is_placeholder;
    is_host.then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn entropy_is_none_to_all() {
        assert_eq!(entropy(1, 0), None);
        assert_eq!(entropy(8, 0), Some(1.0));
        assert_eq!(entropy(8, spread(8)), Some(0.0));
        // Two texts on four pages each: one bit of three.
        let half = entropy(8, 2 * spread(4)).unwrap();
        assert!((half - 1.0 / 3.0).abs() < 1e-3, "{half}");
    }

    #[test]
    fn captures_of_one_page_are_no_other_pages() {
        let mut count = PageCount::one(7);
        count.join(PageCount::one(7));
        assert_eq!((count.others(7, true), count.others(8, false)), (0, 2));
        count.join(PageCount::one(3));
        assert_eq!((count.others(7, true), count.others(8, false)), (2, 3));
    }

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, u64::from(u32::MAX), 1 << 32, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(Compact64::from(number).get(), number);
        }
        let sum = Compact64::from(u64::from(u32::MAX)).plus(1);
        assert_eq!((sum.get(), sum.plus(u64::MAX).get()), (1 << 32, u64::MAX));
        assert_eq!(size_of::<(u32, Compact64)>(), 12);
    }

    #[test]
    fn the_row_falls_to_nothing() {
        let (mut threshold, mut steps) = (Threshold::ALL, 0);
        assert!(threshold.keeps(u64::MAX));
        while threshold.0 > 0 {
            let next = threshold.lower();
            assert!(next < threshold);
            assert!(threshold.is_in_row());
            (threshold, steps) = (next, steps + 1);
        }
        assert!(!threshold.keeps(0) && threshold.is_in_row());
        assert!(steps < 400, "{steps}");
        assert!(!Threshold(u64::MAX - 1).is_in_row());
    }

    fn print(html: &str) -> PagePrint {
        PagePrint::of(&ScanEngine.read(html, &Limits::default()))
    }

    #[test]
    fn prints_tell_texts_and_positions() {
        let page = print("<main><div class=a><p>One</p><p>Two</p></div><div class=b><p>One</p></div></main>");
        assert_eq!(page.len(), 3);
        assert_eq!(page.texts[0], page.texts[2]);
        assert_ne!(page.texts[0], page.texts[1]);
        assert_eq!(page.positions[0], page.positions[1]);
        assert_ne!(page.positions[0], page.positions[2]);
        // What is further out does not count.
        let deeper = print("<div class=x><main><div class=a><p>Six</p></div></main></div>");
        assert_eq!(deeper.positions[0], page.positions[0]);
    }

    #[test]
    fn prints_are_what_files_hold() {
        // Should these change, so must the version: files written before would know no block any more.
        let page = print("<div class=a><p>One</p></div>");
        assert_eq!(VERSION, 1);
        assert_eq!(page.texts[0], hash(b"One"));
        assert_eq!(page.positions[0], PINNED);
    }

    const PINNED: u64 = 6_831_120_198_581_514_990;

    #[test]
    fn a_site_is_a_host() {
        let site = |url| site_of(url).map(Cow::into_owned);
        for (url, expected) in [
            ("https://example.org/a?b#c", Some("example.org")),
            ("http://u:p@WWW.Example.org.:8080/", Some("example.org")),
            ("http://www.example.org", Some("example.org")),
            ("https://news.example.org/", Some("news.example.org")),
            ("http://[2001:db8::1]:80/x", Some("2001:db8::1")),
            ("example.org/a", None),
            ("https:///a", None),
            ("https://set.invalid/1", None),
            ("", None),
        ] {
            assert_eq!(site(url).as_deref(), expected, "{url}");
        }
        assert_eq!(site(&format!("http://{}/", "a".repeat(254))), None);
    }
}
