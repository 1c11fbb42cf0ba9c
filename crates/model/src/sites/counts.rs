//! Counts the texts and positions of a site.

use serde::{Deserialize, Serialize};

use crate::sites::compact::Compact64;

/// Pages with something, and whether they are captures of one URL only: the least and the largest hash of their URLs. A
/// page that was captured twice is no sign that its text is part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageCount {
    pub pages: u32,
    pub urls: (u32, u32),
}

impl PageCount {
    /// One page of that URL.
    pub fn one(url: u32) -> Self {
        Self { pages: 1, urls: (url, url) }
    }

    /// These pages and others.
    pub fn join(&mut self, other: Self) {
        self.pages = self.pages.saturating_add(other.pages);
        self.urls.0 = self.urls.0.min(other.urls.0);
        self.urls.1 = self.urls.1.max(other.urls.1);
    }

    /// Pages other than those of a URL, of which one is among these if `included`.
    pub fn others(&self, url: u32, included: bool) -> u32 {
        if self.urls == (url, url) {
            return 0;
        }
        self.pages.saturating_sub(u32::from(included))
    }
}

/// The counts of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Pages with a block there.
    pub pages: u32,
    /// The number of them that a model judged.
    pub judged: u32,
    /// Sum over these of the mean probability of the words there, in units of [`UNIT`].
    pub probability: Compact64,
    /// Sum over the texts that stood there of the pages they stood on.
    pub texts: u32,
    /// Sum of [`spread`] of these pages. Follows from the texts, so no file holds it.
    pub spread: Compact64,
}

impl Position {
    /// This and what other pages said, whose texts are counted apart.
    pub fn join(&mut self, pages: u32, judged: u32, probability: u64) {
        self.pages = self.pages.saturating_add(pages);
        self.judged = self.judged.saturating_add(judged);
        self.probability = self.probability.plus(probability);
    }

    /// A text that stood there on `before` pages stands there on `after`.
    pub fn count_text(&mut self, before: u32, after: u32) {
        self.texts = self.texts.saturating_add(after.saturating_sub(before));
        let more = spread(after).saturating_sub(spread(before));
        self.spread = self.spread.plus(more);
    }
}

/// One in the sums of probabilities.
pub(crate) const UNIT: f64 = 65_536.0;

/// n ln n in whole steps, so that sums do not depend on their order.
pub(crate) fn spread(pages: u32) -> u64 {
    let pages = f64::from(pages.max(1));
    (pages * pages.ln() * 1024.0).round() as u64
}

/// Entropy over the pages of the text at a position, as a share of the entropy if every page had its own
/// text. It comes from the number of (text, page) pairs and the sum of their [`spread`]. None for fewer
/// than two pairs.
pub(crate) fn entropy(texts: u32, spread: u64) -> Option<f32> {
    if texts < 2 {
        return None;
    }
    let all = f64::from(texts);
    let most = all.ln();
    let entropy = most - spread as f64 / 1024.0 / all;
    Some((entropy / most).clamp(0.0, 1.0) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
