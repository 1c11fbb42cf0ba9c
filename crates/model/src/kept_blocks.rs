//! Chooses the blocks to keep, given their probabilities.

use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::worlds;

/// A rule for choosing blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// Every block at or above this probability.
    Threshold(f32),
    /// The blocks, from the most probable down, that maximise the expected word F1 of the page: 2 Σ p w / (Σ w
    /// + Σ over all blocks of p w).
    #[default]
    ExpectedF1,
    /// The same after the log odds of every block were multiplied by this. The rule takes blocks for
    /// independent, but a list of links is content as a whole or not at all. With sharper probabilities (above
    /// 1), many doubtful blocks together weigh less.
    SharpF1(f32),
    /// The blocks, from the most probable down, with the highest mean word F1 over worlds in which the log
    /// odds, times this factor, err together. The errors are one of the page, one of each field (the blocks
    /// whose whole path of names and classes is equal) and one of each section. Keeping nothing is one of the
    /// choices, and is worth 1 in a world without content.
    Worlds(f32),
}

/// Chosen blocks and how good the choice should be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// For each block, true if it is kept.
    pub kept: Vec<bool>,
    /// Expected word F1 of the kept blocks, 0..=1; 0 for a page without blocks. Where worlds say that
    /// nothing is content, the share of worlds that say so.
    pub expected_f1: f32,
}

impl Selection {
    /// The same selection, by worlds of log odds multiplied by this as well.
    pub fn sharpened(self, sharpness: f32) -> Self {
        match self {
            Selection::Worlds(base) => Selection::Worlds(base * sharpness),
            other => other,
        }
    }

    /// Chooses among blocks of these probabilities (0..=1).
    pub fn choose(&self, probabilities: &[f32], layout: &Layout) -> Choice {
        let weighed = weighed(probabilities, layout);
        let mut kept = vec![false; probabilities.len()];
        let mut of_nothing = 0.0;
        match self {
            Selection::Threshold(threshold) => {
                for (keep, p) in kept.iter_mut().zip(probabilities) {
                    *keep = p >= threshold;
                }
            }
            Selection::ExpectedF1 => best_prefix(&weighed, &mut kept),
            Selection::SharpF1(sharpness) => {
                let sharp: Vec<(f64, f64)> = weighed
                    .iter()
                    .map(|(p, w)| {
                        // A probability of 1 has no odds; 1e-9 is far beyond what f32 can tell from 1.
                        let odds = (p / (1.0 - p).max(1e-9)).powf(f64::from(*sharpness));
                        (odds / (1.0 + odds), *w)
                    })
                    .collect();
                best_prefix(&sharp, &mut kept);
            }
            Selection::Worlds(sharpness) => {
                // What is content in no world need not be sorted.
                // .1 more than the bound: the way through probabilities and back rounds.
                let least = f64::from((worlds::least_odds() - 0.1) / sharpness);
                let least = (1.0 / (1.0 + (-least).exp())) as f32;
                // Log odds are not told apart below a least probability.
                let is_told = *sharpness > 0.0 && least > MIN_PROBABILITY;
                let some = (0u32..).zip(probabilities).filter(|(_, p)| !(is_told && **p < least));
                let order = sorted(some.map(|(at, p)| u64::from(!p.to_bits()) << 32 | u64::from(at)).collect());
                let order: Vec<u32> = order.into_iter().map(|key| key as u32).collect();
                let odds = |at: u32| {
                    let p = probabilities.get(at as usize).copied().unwrap_or_default();
                    sharpness * log_odds(p)
                };
                let best = worlds::best_prefix(odds, layout, &order);
                // Confidence in "nothing" is the share of worlds without content: expected F1 of nothing is always 0.
                if best.len == 0 && !probabilities.is_empty() {
                    of_nothing = f64::from(best.f1);
                }
                keep(&mut kept, order.iter().take(best.len).map(|at| *at as usize));
            }
        }
        Choice { expected_f1: expected_f1(&weighed, &kept).max(of_nothing) as f32, kept }
    }
}

/// Probability and words of each block; one without a place weighs nothing.
pub(crate) fn weighed(probabilities: &[f32], layout: &Layout) -> Vec<(f64, f64)> {
    let words = layout.blocks.iter().map(|place| place.words);
    probabilities.iter().zip(words.chain(std::iter::repeat(0))).map(|(p, w)| (f64::from(*p), f64::from(w))).collect()
}

/// Expected word F1 of the kept blocks, given the probability and the words of each; 0 if there are no words.
pub(crate) fn expected_f1(weighed: &[(f64, f64)], kept: &[bool]) -> f64 {
    let (hit, size) = weighed
        .iter()
        .zip(kept)
        .filter(|(_, kept)| **kept)
        .fold((0.0, 0.0), |(hit, size), ((p, w), _)| (hit + p * w, size + w));
    let all = size + expected(weighed);
    if all > 0.0 { 2.0 * hit / all } else { 0.0 }
}

/// Expected words of content of blocks, given the probability and the words of each.
fn expected(weighed: &[(f64, f64)]) -> f64 {
    weighed.iter().map(|(p, w)| p * w).sum()
}

/// Keeps the blocks, from the most probable down, that make the expected F1 highest, given the
/// probability and the words of each.
fn best_prefix(weighed: &[(f64, f64)], kept: &mut [bool]) {
    let all = expected(weighed);
    let probabilities = (0u32..).zip(weighed).map(|(at, (p, _))| (at, *p));
    let places: Vec<usize> = most_probable_first(probabilities).map(|at| at as usize).collect();
    let (mut hit, mut size, mut best, mut best_len) = (0.0, 0.0, 0.0, 0);
    for (rank, at) in places.iter().enumerate() {
        let (p, w) = weighed.get(*at).copied().unwrap_or_default();
        hit += p * w;
        size += w;
        // Given how many are kept, the most probable ones have the highest expected F1, so prefixes are enough.
        let f1 = 2.0 * hit / (size + all);
        // Strictly more, so that blocks without words do not lengthen the choice.
        if f1 > best {
            (best, best_len) = (f1, rank + 1);
        }
    }
    keep(kept, places.into_iter().take(best_len));
}

/// The numbers of the blocks, the most probable first, of equal ones the first.
fn most_probable_first(blocks: impl Iterator<Item = (u32, f64)>) -> impl Iterator<Item = u32> {
    // A number that sorts as both do is compared in one step, without a branch. The bits of what is not
    // negative rise with it.
    let order = sorted(blocks.map(|(at, p)| u128::from(!p.to_bits()) << 64 | u128::from(at)).collect());
    order.into_iter().map(|key| key as u32)
}

fn sorted<T: Ord>(mut order: Vec<T>) -> Vec<T> {
    order.sort_unstable_by(|a, b| {
        #[cfg(test)]
        tests::COMPARISONS.with(|sum| sum.set(sum.get() + 1));
        a.cmp(b)
    });
    order
}

fn keep(kept: &mut [bool], places: impl Iterator<Item = usize>) {
    for at in places {
        if let Some(keep) = kept.get_mut(at) {
            *keep = true;
        }
    }
}

/// Below it single precision tells nothing.
// Numbers of f32 near 1 are 6e-8 apart: a smaller bound could round to 1, whose log odds are infinite.
const MIN_PROBABILITY: f32 = 1e-7;

/// Log odds of a probability, within the range of single precision.
fn log_odds(p: f32) -> f32 {
    let p = p.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_keeps_what_reaches_it() {
        let choice = Selection::Threshold(0.5).choose(&[0.5, 0.49, 0.9], &Layout::of_words(&[10, 10, 10]));
        assert_eq!(choice.kept, [true, false, true]);
        assert!((choice.expected_f1 - 2.0 * 14.0 / (20.0 + 18.9)).abs() < 1e-6);
    }

    #[test]
    fn expected_f1_is_highest_for_the_choice() {
        let (p, w) = ([0.9, 0.45, 0.3, 0.05], [100, 40, 30, 200]);
        let choice = Selection::ExpectedF1.choose(&p, &Layout::of_words(&w));
        let all: f32 = p.iter().zip(w).map(|(p, w)| p * w as f32).sum();
        let mut best = 0.0f32;
        for set in 0..16u32 {
            let chosen = |at: usize| set >> at & 1 == 1;
            let hit: f32 = (0..4).filter(|at| chosen(*at)).map(|at| p[at] * w[at] as f32).sum();
            let size: f32 = (0..4).filter(|at| chosen(*at)).map(|at| w[at] as f32).sum();
            best = best.max(2.0 * hit / (size + all));
        }
        assert!((choice.expected_f1 - best).abs() < 1e-5, "{} {best}", choice.expected_f1);
        assert_eq!(choice.kept, [true, true, false, false]);
    }

    std::thread_local! {
        /// Comparisons of the sort, the one part of scoring and choosing that is not a fixed number of
        /// steps a block: rows are scored by tables and trees of the model's own size.
        pub(super) static COMPARISONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn a_choice_takes_no_more_comparisons_than_sorting() {
        let orders: [fn(u32, u32) -> f32; 6] = [
            |_, _| 0.5,
            |at, of| at as f32 / of as f32,
            |at, of| 1.0 - at as f32 / of as f32,
            |at, of| (at % 1000).min(of - at) as f32 / of as f32,
            |at, _| (at % 2) as f32,
            |at, _| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32,
        ];
        for of in [1 << 14, 1 << 15, 1 << 16, 1 << 18] {
            for order in orders {
                let probabilities: Vec<f32> = (0..of).map(|at| order(at, of)).collect();
                COMPARISONS.with(|sum| sum.set(0));
                Selection::ExpectedF1.choose(&probabilities, &Layout::of_words(&vec![7; of as usize]));
                let taken = COMPARISONS.with(std::cell::Cell::get);
                assert!(taken <= 2 * u64::from(of * of.ilog2()), "{taken} for {of}");
            }
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(Selection::ExpectedF1.choose(&[], &Layout::default()), Choice::default());
        assert_eq!(Selection::ExpectedF1.choose(&[0.0], &Layout::of_words(&[3])).kept, [false]);
    }

    #[test]
    fn sharp_probabilities_leave_doubtful_crowds_out() {
        // One block of sure content against many doubtful ones.
        let probabilities = [0.95, 0.4, 0.4, 0.4, 0.4, 0.4];
        let words = Layout::of_words(&[100; 6]);
        let plain = Selection::ExpectedF1.choose(&probabilities, &words);
        let sharp = Selection::SharpF1(3.0).choose(&probabilities, &words);
        assert!(plain.kept.iter().all(|kept| *kept));
        assert_eq!(sharp.kept, [true, false, false, false, false, false]);
        let same = Selection::SharpF1(1.0).choose(&probabilities, &words);
        assert_eq!(same.kept, plain.kept);
        // The expectation is always that of the probabilities as they are.
        assert!((sharp.expected_f1 - 2.0 * 95.0 / (100.0 + 295.0)).abs() < 1e-5);
    }

    #[test]
    fn worlds_alone_are_sharpened() {
        assert_eq!(Selection::Worlds(1.2).sharpened(0.5), Selection::Worlds(0.6));
        for other in [Selection::ExpectedF1, Selection::SharpF1(1.4), Selection::Threshold(0.5)] {
            assert_eq!(other.sharpened(0.5), other);
        }
    }

    #[test]
    fn worlds_choose_nothing_with_a_confidence() {
        let words = Layout::of_words(&[30, 20]);
        let nothing = Selection::Worlds(1.2).choose(&[0.01, 0.02], &words);
        assert_eq!(nothing.kept, [false, false]);
        assert!(nothing.expected_f1 > 0.5, "{nothing:?}");
        let some = Selection::Worlds(1.2).choose(&[0.99, 0.02], &words);
        assert_eq!(some.kept, [true, false]);
        assert!(some.expected_f1 > 0.9, "{some:?}");
        assert_eq!(Selection::Worlds(1.2).choose(&[], &Layout::default()), Choice::default());
    }
}
