//! How much two short texts are alike.

use rustc_hash::FxHashSet;
use trommel_text::words;

/// Words of a text that are compared: titles have fewer.
const MOST: usize = 80;

/// The words of a title, regardless of case, order and repetition.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(FxHashSet<u64>);

impl Words {
    pub fn of(text: &str) -> Self {
        let words = words::words(text, words::Rule::Characters).take(MOST);
        Self(words.map(hash).collect())
    }

    /// Share of the words of either text that both have, 0..=1.
    pub fn like(&self, other: &Self) -> f32 {
        let all = self.0.len() + other.0.len();
        if all == 0 {
            return 0.0;
        }
        let shared = self.0.intersection(&other.0).count();
        2.0 * shared as f32 / all as f32
    }
}

/// FNV-1a of a word in lower case.
fn hash(word: &str) -> u64 {
    word.chars()
        .flat_map(char::to_lowercase)
        .fold(0xcbf2_9ce4_8422_2325, |hash, c| {
            (hash ^ u64::from(c)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

/// [`Words::like`] of two texts.
pub(super) fn overlap(one: &str, other: &str) -> f32 {
    Words::of(one).like(&Words::of(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_is_of_words() {
        assert_eq!(overlap("Two words", "two WORDS!"), 1.0);
        assert_eq!(overlap("two words", "two things"), 0.5);
        assert_eq!(overlap("日本", "日 x"), 0.5);
        assert_eq!(overlap("", ""), 0.0);
    }
}
