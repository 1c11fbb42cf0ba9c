//! Finds the weights of terms by their hashes.

use serde::{Deserialize, Serialize};

/// An attribute word, or a word or word pair of the text, with a weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermWeight {
    /// The term in lower case; an attribute word from whichever attribute.
    #[serde(rename = "token")]
    pub term: String,
    /// Natural logarithm of the odds of content, page-normalised.
    pub weight: f32,
}

/// A table of weights that is asked for terms of every page, most of which it does not have: one look
/// into memory tells. Holds twice as many places as terms, each term at the place its hash says or at
/// the next free one behind.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeightTable {
    /// Hashes of the terms; 0 where there is none.
    // Keys and weights apart: most searches end at the key. Buckets of eight and halved hashes were slower.
    keys: Vec<u64>,
    weights: Vec<f32>,
}

impl WeightTable {
    pub fn new(terms: &[TermWeight], hash: impl Fn(&str) -> u64) -> Self {
        // Half empty, so that a search ends after one or two places; a power of two makes the place a mask.
        let places = (2 * terms.len()).next_power_of_two();
        let mut weight_table = Self { keys: vec![0; places], weights: vec![0.0; places] };
        for term in terms {
            let hash = hash(&term.term);
            let mut at = weight_table.place(hash);
            while weight_table.keys.get(at).is_some_and(|key| *key != 0 && *key != hash) {
                at = (at + 1) & (places - 1);
            }
            if let (Some(key), Some(weight)) = (weight_table.keys.get_mut(at), weight_table.weights.get_mut(at)) {
                (*key, *weight) = (hash, term.weight);
            }
        }
        weight_table
    }

    /// The weight of the term that has this hash.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<f32> {
        let mut at = self.place(hash);
        loop {
            // Half of the places are free, so that this ends.
            match *self.keys.get(at)? {
                0 => return None,
                key if key == hash => return self.weights.get(at).copied(),
                _ => at = (at + 1) & (self.keys.len() - 1),
            }
        }
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        hash as usize & self.keys.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(term: &str) -> u64 {
        trommel_text::hash(term.as_bytes())
    }

    #[test]
    fn every_term_is_found_and_no_other() {
        let term = |at: u32| format!("term{at}");
        let terms: Vec<TermWeight> = (0..1000).map(|at| TermWeight { term: term(at), weight: at as f32 }).collect();
        let weights = WeightTable::new(&terms, hash);
        for at in 0..2000 {
            let expected = (at < 1000).then_some(at as f32);
            assert_eq!(weights.get(hash(&term(at))), expected, "{at}");
        }
        assert_eq!(weights.get(0), None);
        assert_eq!(WeightTable::new(&[], hash).get(7), None);
        assert_eq!(WeightTable::default().get(7), None);
    }

    #[test]
    fn of_a_term_given_twice_the_last_counts() {
        let of = |weight| TermWeight { term: "a".into(), weight };
        assert_eq!(WeightTable::new(&[of(1.0), of(2.0)], hash).get(hash("a")), Some(2.0));
    }
}
