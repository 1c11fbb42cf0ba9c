//! The share of a run for one of several programs.

use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use trommel_record::dedup::KeyShare;

use crate::run::inputs::Input;

/// One of several equal shares of the inputs, `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputShare(KeyShare);

impl FromStr for InputShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self)
    }
}

impl InputShare {
    /// Returns whether an input is in this share. By its name alone, so that it stays where it is when others come and
    /// go.
    pub fn contains(self, input: &Input) -> bool {
        self.contains_name(&input.name())
    }

    /// Returns whether what has this name is in this share.
    pub(crate) fn contains_name(self, name: &str) -> bool {
        // A hash that is the same on every machine and in every version, as shares run apart.
        let digest = Sha256::digest(name.as_bytes());
        self.0.takes(u64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_apart_and_together_all() {
        let inputs: Vec<Input> = (0..200).map(|at| Input::File(format!("{at}.warc.gz").into())).collect();
        let mut taken = 0;
        for number in 1..=4 {
            let shard: InputShare = format!("{number}/4").parse().unwrap();
            let count = inputs.iter().filter(|input| shard.contains(input)).count();
            assert!((30..=70).contains(&count), "{count} in {number}");
            taken += count;
        }
        assert_eq!(taken, inputs.len());
    }

    #[test]
    fn faults_are_told() {
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/4", "1/"] {
            assert!(text.parse::<InputShare>().is_err(), "{text}");
        }
        assert!("4/4".parse::<InputShare>().is_ok());
    }
}
