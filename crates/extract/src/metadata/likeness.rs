//! How much two short texts are alike.

use rustc_hash::FxHashSet;
use trommel_text::{EMPTY_HASH, hash_step, words};

/// Words of a text that are compared: titles have fewer.
const COMPARED_WORDS: usize = 80;

/// The words of a title, regardless of case, order and repetition.
#[derive(Clone, Debug, Default)]
pub(super) struct TitleWords(FxHashSet<u64>);

impl TitleWords {
    pub fn of(text: &str) -> Self {
        let words = words::words(text, words::Rule::Characters).take(COMPARED_WORDS);
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

/// Hash of a word in lower case, letter by letter.
fn hash(word: &str) -> u64 {
    let mut utf8 = [0; 4];
    word.chars()
        .flat_map(char::to_lowercase)
        .fold(EMPTY_HASH, |before, c| {
            let bytes = c.encode_utf8(&mut utf8).bytes();
            bytes.fold(before, hash_step)
        })
}

/// [`TitleWords::like`] of two texts.
pub(crate) fn overlap(one: &str, other: &str) -> f32 {
    TitleWords::of(one).like(&TitleWords::of(other))
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
