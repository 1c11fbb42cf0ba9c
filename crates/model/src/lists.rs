//! The scorer of pages that are not one text: listings, collections, products, documentation.
//!
//! On such pages short links, facts and notes are content, and beside an article they are not. One scorer for both
//! learns a compromise, so these pages have their own. The type of a page is only probable, so its share in the log
//! odds rises with the probability that the page is not one text.

use serde::{Deserialize, Serialize};

use crate::additive::Additive;
use crate::file::PageTypeScorer;
use crate::sigmoid::sigmoid;

/// The scorer of pages that are not one text, and its share in the log odds of their blocks.
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
    /// rest.
    pub fn share_on(&self, types: &[PageTypeScorer], odds: &[f32]) -> f32 {
        let (none, full) = self.between;
        self.share * ((not_one_text(&self.texts, types, odds) - none) / (full - none)).clamp(0.0, 1.0)
    }

    /// Whether its shares and bounds are numbers that make sense.
    pub(crate) fn is_sound(&self) -> bool {
        let (none, full) = self.between;
        (0.0..1.0).contains(&none) && full > none && full <= 1.0 && (0.0..=1.0).contains(&self.share)
    }
}

/// The probability (0..=1) that a page is of none of the types `texts`; 0 if no types are known.
pub(crate) fn not_one_text(texts: &[String], types: &[PageTypeScorer], odds: &[f32]) -> f32 {
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
        let share = |odds: &[f32]| lists((0.25, 0.75), 0.8).share_on(&types(), odds);
        assert_eq!(share(&[9.0, -9.0, -9.0, -9.0]), 0.0);
        assert_eq!(share(&[-9.0, 9.0, -9.0, -9.0]), 0.0);
        assert_eq!(share(&[-9.0, -9.0, 9.0, -9.0]), 0.8);
        // As probable as not.
        assert!((share(&[0.0; 4]) - 0.4).abs() < 1e-6);
        assert_eq!(lists((0.25, 0.75), 0.8).share_on(&[], &[]), 0.0);
    }

    #[test]
    fn bounds_and_shares_are_checked() {
        assert!(lists((0.1, 0.5), 1.0).is_sound());
        for (between, share) in [((0.5, 0.5), 1.0), ((0.1, 1.5), 1.0), ((f32::NAN, 0.5), 1.0), ((0.1, 0.5), 1.5)] {
            assert!(!lists(between, share).is_sound(), "{between:?} {share}");
        }
    }
}
