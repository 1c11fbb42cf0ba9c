//! The score of an extracted text: precision, recall and F1 of its words as a multiset, as in CETR (Weninger,
//! Hsu and Han, WWW 2010; Peters and Lecocq, WWW 2013, section 4).

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_text::words::{Rule, words};

use crate::required::Required;

/// Precision, recall and F1, each 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Share of the extracted words that are gold.
    pub precision: f64,
    /// Share of the gold words that were extracted.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

impl Scores {
    /// Scores `extracted` against `gold`. Words are lower-cased and every occurrence counts. Two texts
    /// without words agree fully; if only one has words, all three numbers are 0.
    pub fn of(extracted: &str, gold: &str, rule: Rule) -> Self {
        let mut counts: FxHashMap<&str, i64> = FxHashMap::default();
        let (extracted, gold) = (extracted.to_lowercase(), gold.to_lowercase());
        let mut gold_words = 0u64;
        for word in words(&gold, rule) {
            *counts.entry(word).or_default() += 1;
            gold_words += 1;
        }
        let (mut hits, mut extracted_words) = (0u64, 0u64);
        for word in words(&extracted, rule) {
            extracted_words += 1;
            if let Some(left) = counts.get_mut(word).filter(|left| **left > 0) {
                *left -= 1;
                hits += 1;
            }
        }
        Self::from_counts(hits, extracted_words, gold_words)
    }

    /// Scores texts that must be kept and texts that must not.
    pub fn of_texts(with: Required, without: Required) -> Self {
        Self::from_counts(with.kept.into(), (with.kept + without.kept).into(), with.all.into())
    }

    fn from_counts(hits: u64, extracted: u64, gold: u64) -> Self {
        if extracted == 0 && gold == 0 {
            return Self { precision: 1.0, recall: 1.0, f1: 1.0 };
        }
        if hits == 0 {
            return Self::default();
        }
        let precision = hits as f64 / extracted as f64;
        let recall = hits as f64 / gold as f64;
        Self { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }
    }

    /// The mean of scores, each number by itself; zeros for none.
    pub fn mean<'a>(scores: impl IntoIterator<Item = &'a Scores>) -> Self {
        let mut sum = Self::default();
        let mut count = 0u32;
        for score in scores {
            sum.precision += score.precision;
            sum.recall += score.recall;
            sum.f1 += score.f1;
            count += 1;
        }
        let count = f64::from(count.max(1));
        Self { precision: sum.precision / count, recall: sum.recall / count, f1: sum.f1 / count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_as_a_multiset() {
        let scores = Scores::of("The cat the hat", "the Cat sat on the mat", Rule::Characters);
        assert_eq!((scores.precision, scores.recall), (0.75, 0.5));
        assert!((scores.f1 - 0.6).abs() < 1e-12);
    }

    #[test]
    fn han_counts_by_character_unless_strict() {
        assert_eq!(Scores::of("我在湖南", "我在张家界", Rule::Characters).precision, 0.5);
        assert_eq!(Scores::of("我在湖南", "我在张家界", Rule::Strict).f1, 0.0);
    }

    #[test]
    fn empty_texts() {
        assert_eq!(Scores::of(" ", "", Rule::Characters).f1, 1.0);
        assert_eq!(Scores::of("a", "", Rule::Characters), Scores::default());
        assert_eq!(Scores::of("", "a", Rule::Characters), Scores::default());
    }

    #[test]
    fn texts_that_must_not_be_kept_cost_precision() {
        let of = |kept, all| Required { kept, all };
        let scores = Scores::of_texts(of(3, 4), of(1, 9));
        assert_eq!((scores.precision, scores.recall, scores.f1), (0.75, 0.75, 0.75));
        assert_eq!(Scores::of_texts(of(0, 4), of(0, 9)), Scores::default());
    }
}
