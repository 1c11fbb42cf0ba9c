//! Keeps an even sample of entries where there is no room for all: those with the lowest keys.
//!
//! Keys are hashes, so the kept ones are an even sample. Whether a key is kept follows from the threshold and
//! the key alone, and the threshold is the highest of a fixed row under which all entries have room: no order in
//! which pages come and no way in which memories are merged makes a difference, and the counts of what is kept
//! are exact, since what is below the last threshold was below every one before.

use serde::{Deserialize, Serialize};

/// The keys that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Threshold(u64);

impl Threshold {
    /// Every key.
    pub const ALL: Self = Self(u64::MAX);

    /// Whether an entry of this key is kept.
    pub fn keeps(self, key: u64) -> bool {
        key < self.0 || self == Self::ALL
    }

    /// The next one of the row: an eighth of what is kept goes.
    pub fn lower(self) -> Self {
        Self(self.0 - (self.0 / 8).max(1).min(self.0))
    }

    /// Whether it is one of the row.
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
