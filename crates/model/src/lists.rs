//! The scorer of pages that are neither articles nor threads: listings, collections, products, documentation.
//!
//! On such pages short links, facts and notes are content, and beside an article they are not. One scorer for both
//! learns a compromise, so these pages have their own. The type of a page is only probable, so its share in the log
//! odds rises with the probability that the page is not one text.

use serde::{Deserialize, Serialize};

use crate::additive::Additive;
use crate::file::PageTypeScorer;
use crate::sigmoid::sigmoid;

/// Blocks of a page up to which the scorer has no share, and from which on its share depends on the page type alone, as
/// natural logarithms of 1 + their number.
// The type of a page is told from counts and shares of its blocks; of few blocks nearly every type is possible. Here
// these are 20 and 40 blocks.
const LOG_BLOCKS: (f32, f32) = (3.044_522_4, 3.713_572);

/// The scorer of pages other than articles and threads, and its share in the log odds of their blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListScorer {
    /// Names of the page types that are one text.
    pub texts: Vec<String>,
    /// Probability that a page is of none of these types up to which the scorer has no share, and from which on it
    /// has its full share, 0..=1.
    pub between: (f32, f32),
    /// Its full share in the log odds, 0..=1; the other parts have the rest.
    pub share: f32,
    /// Log odds of a block.
    pub scorer: Additive,
}

impl ListScorer {
    /// The scorer's share in the log odds of the blocks of a page, given the log odds of each page type against the
    /// rest and the natural logarithm of 1 + the number of the page's blocks.
    pub fn share_on(&self, types: &[PageTypeScorer], odds: &[f32], log_blocks: f32) -> f32 {
        let rise = |value: f32, (none, full): (f32, f32)| ((value - none) / (full - none)).clamp(0.0, 1.0);
        self.share * rise(not_one_text(&self.texts, types, odds), self.between) * rise(log_blocks, LOG_BLOCKS)
    }

    /// Returns whether its shares and bounds are numbers that make sense.
    pub(crate) fn is_sound(&self) -> bool {
        let (none, full) = self.between;
        (0.0..1.0).contains(&none) && full > none && full <= 1.0 && (0.0..=1.0).contains(&self.share)
    }
}

/// The probability (0..=1) that a page is of none of the types `texts`; 0 if no types are known.
pub fn not_one_text(texts: &[String], types: &[PageTypeScorer], odds: &[f32]) -> f32 {
    let all = types.iter().zip(odds).map(|(page_type, odds)| (page_type, sigmoid(*odds)));
    let (of_others, sum) = all.fold((0.0, 0.0), |(of_others, sum), (page_type, probability)| {
        let is_text = texts.contains(&page_type.name);
        (of_others + if is_text { 0.0 } else { probability }, sum + probability)
    });
    // One-against-rest scorers need not add up to 1, and may all be 0.
    of_others / f32::max(sum, f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types() -> Vec<PageTypeScorer> {
        let of = |name: &str| PageTypeScorer { name: name.into(), scorer: Additive::default(), sharpness: 1.0 };
        ["article", "forum", "listing", "product"].map(of).into()
    }

    fn lists(between: (f32, f32), share: f32) -> ListScorer {
        ListScorer { texts: vec!["article".into(), "forum".into()], between, share, scorer: Additive::default() }
    }

    #[test]
    fn the_share_rises_with_the_doubt_that_a_page_is_one_text() {
        let share = |odds: &[f32]| lists((0.25, 0.75), 0.8).share_on(&types(), odds, 9.0);
        assert_eq!(share(&[9.0, -9.0, -9.0, -9.0]), 0.0);
        assert_eq!(share(&[-9.0, 9.0, -9.0, -9.0]), 0.0);
        assert_eq!(share(&[-9.0, -9.0, 9.0, -9.0]), 0.8);
        // As probable as not.
        assert!((share(&[0.0; 4]) - 0.4).abs() < 1e-6);
        assert_eq!(lists((0.25, 0.75), 0.8).share_on(&[], &[], 9.0), 0.0);
    }

    #[test]
    fn pages_of_few_blocks_are_left_to_the_other_scorers() {
        let of = |blocks: u16| {
            let log_blocks = f32::from(blocks + 1).ln();
            lists((0.25, 0.75), 0.8).share_on(&types(), &[-9.0, -9.0, 9.0, -9.0], log_blocks)
        };
        assert!(of(20) < 1e-6, "{}", of(20));
        assert!(of(30) > 0.1 && of(30) < 0.7, "{}", of(30));
        assert!((of(40) - 0.8).abs() < 1e-6, "{}", of(40));
    }

    #[test]
    fn bounds_and_shares_are_checked() {
        assert!(lists((0.1, 0.5), 1.0).is_sound());
        for (between, share) in [((0.5, 0.5), 1.0), ((0.1, 1.5), 1.0), ((f32::NAN, 0.5), 1.0), ((0.1, 0.5), 1.5)] {
            assert!(!lists(between, share).is_sound(), "{between:?} {share}");
        }
    }
}
