//! Keeps an even sample of entries if there is no room for all: those with the lowest keys.
//!
//! Keys are hashes, so the kept ones are an even sample. Only the threshold and the key decide whether a key
//! is kept. The threshold is the highest of a fixed row at which all entries fit. So neither the order of
//! pages nor the way of merging makes a difference. The counts of kept keys are exact, because a key below
//! the last threshold was below every earlier one.

use serde::{Deserialize, Serialize};

/// The keys that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Threshold(u64);

impl Threshold {
    /// Every key.
    pub const ALL: Self = Self(u64::MAX);

    /// Returns whether an entry of this key is kept.
    pub fn keeps(self, key: u64) -> bool {
        key < self.0 || self == Self::ALL
    }

    /// The next one of the row: an eighth of what is kept goes.
    pub fn lower(self) -> Self {
        Self(self.0 - (self.0 / 8).max(1).min(self.0))
    }

    /// Returns whether it is one of the row.
    pub fn is_in_row(self) -> bool {
        let mut next = Self::ALL;
        while next > self {
            next = next.lower();
        }
        next == self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
