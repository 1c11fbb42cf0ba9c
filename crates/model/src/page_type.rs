//! The type of a page: article, listing, product and others.

use crate::file::PageTypeScorer;
use crate::sigmoid::sigmoid;

/// The type that a page most probably has.
#[derive(Clone, Debug, PartialEq)]
pub struct PageType {
    /// Name of the type.
    pub name: String,
    /// Its probability, 0..=1.
    pub probability: f32,
    /// The factor of the log odds of blocks in a selection by worlds: the mean over all types that the page may
    /// have.
    pub sharpness: f32,
}

impl PageType {
    /// The type of a page and its sharpness, given the log odds of each type against the rest; none if there are
    /// no types.
    pub fn of(types: &[PageTypeScorer], odds: &[f32]) -> Option<Self> {
        let sum: f32 = odds.iter().map(|odds| sigmoid(*odds)).sum();
        // One-against-rest scorers need not add up to 1, and may all be 0: dividing by the sum makes shares.
        let sum = sum.max(f32::MIN_POSITIVE);
        // Of equal log odds the first type wins, so that the answer does not depend on how the maximum is sought.
        let (at, best) = odds.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
        // A mean over types and not that of the best one: a doubtful type must not switch the choice of blocks.
        let sharpness = types.iter().zip(odds);
        let sharpness = sharpness.map(|(page_type, odds)| page_type.sharpness * (sigmoid(*odds) / sum));
        Some(Self { name: types.get(at)?.name.clone(), probability: sigmoid(*best) / sum, sharpness: sharpness.sum() })
    }
}
