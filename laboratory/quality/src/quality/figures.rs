//! Calibration and confidence of one model over its judged pages.

use super::calibration::{BINS, Calibration};
use super::deciles::{Decile, deciles, distance};
use super::rank::spearman;
use trommel_learn::{JudgedRow, JudgedSet};

/// The figures of some pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    /// Every block weighs as many words as it has.
    pub by_words: Calibration,
    /// Every page weighs one, divided among its blocks by the square roots of their words, as in
    /// training.
    pub by_pages: Calibration,
    /// Confidence and F1 of each page.
    pub pages: Vec<(f64, f64)>,
    pub deciles: Vec<Decile>,
    /// Mean distance of confidence and F1 over the deciles.
    pub distance: f64,
    /// Rank correlation of confidence and F1.
    pub correlation: Option<f64>,
}

impl Figures {
    pub fn of<'a>(pages: impl Iterator<Item = &'a JudgedRow> + Clone) -> Self {
        let by_words = pages.clone().flat_map(|page| weighed(page, |words| words, 1.0));
        let by_pages = pages.clone().flat_map(|page| {
            let total: f64 = page.words.iter().map(|words| f64::from(*words).sqrt()).sum();
            weighed(page, f64::sqrt, total)
        });
        let points: Vec<(f64, f64)> = pages.clone().map(|page| (f64::from(page.confidence), page.scores.f1)).collect();
        let (confidence, f1): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let deciles = deciles(&points);
        Self {
            by_words: Calibration::of(by_words, BINS),
            by_pages: Calibration::of(by_pages, BINS),
            pages: points,
            distance: distance(&deciles),
            deciles,
            correlation: spearman(&confidence, &f1),
        }
    }

    /// The figures of all pages, and of each set.
    pub fn all(judged: &JudgedSet) -> (Self, Vec<(String, Self)>) {
        let sets = judged.sets().into_iter().map(|set| {
            let rows = judged.pages.iter().filter(move |page| page.set == set);
            (set.to_owned(), Self::of(rows))
        });
        (Self::of(judged.pages.iter()), sets.collect())
    }
}

/// Probability, label and weight of each block.
fn weighed(page: &JudgedRow, weight: fn(f64) -> f64, total: f64) -> impl Iterator<Item = (f64, bool, f64)> {
    page.probabilities
        .iter()
        .zip(&page.labels)
        .zip(&page.words)
        .filter(move |_| total > 0.0)
        .map(move |((p, label), words)| (f64::from(*p), *label, weight(f64::from(*words)) / total))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{judged, page};
    use super::*;

    #[test]
    fn blocks_weigh_by_words_or_by_pages() {
        let mut large = page("s", "1", "article", 0.5, 0.75);
        large.words = vec![1, 9];
        let mut small = page("s", "2", "article", 0.25, 0.5);
        small.words = vec![4];
        small.probabilities = vec![0.25];
        small.labels = vec![true];
        let (all, sets) = Figures::all(&judged("fast", vec![large, small]));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        // Words: 1 at .75 is content; of 13 at .25, 4 are.
        close(all.by_words.bins[7].weight, 1.0);
        close(all.by_words.bins[2].observed, 4.0 / 13.0);
        close(all.by_words.error, (0.25 + 13.0 * (4.0 / 13.0 - 0.25)) / 14.0);
        // Pages: the first is divided 1 to 3, the second whole: 1.75 at .25, of which 1 is content.
        close(all.by_pages.bins[7].weight, 0.25);
        close(all.by_pages.bins[2].weight, 1.75);
        close(all.by_pages.bins[2].observed, 1.0 / 1.75);
        assert_eq!(all.pages, [(0.75, 0.5), (0.5, 0.25)]);
        assert_eq!(all.correlation, Some(1.0));
        // Both are off by a quarter.
        close(all.distance, 0.25);
        assert_eq!((sets.len(), sets[0].0.as_str()), (1, "s"));
        assert_eq!(sets[0].1, all);
    }
}
