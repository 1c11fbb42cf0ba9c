//! Shingles of a text (Broder 1997): phrases of a fixed number of words, in every script.
//!
//! Published rules count words between spaces. In scripts without spaces a character counts as half a word,
//! about the mean of Chinese and Japanese. So a phrase of `n` words has the same length in both kinds of
//! script.

use crate::hash::mix;
use crate::stats::Word;

/// A phrase of a fixed number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shingle {
    /// Well mixed hash of its words, in their order.
    pub hash: u64,
    /// Its characters, without those between its words.
    pub chars: u32,
    /// Number of its words, characters of scripts without spaces each counted.
    pub words: usize,
}

/// The phrase of `length` words that begins with the first of `words`; none if they are fewer.
pub fn shingle(words: &[Word], length: u32) -> Option<Shingle> {
    let (mut hash, mut chars, mut half_words) = (0, 0u32, 0);
    for (at, word) in words.iter().enumerate() {
        hash = mix(hash ^ word.hash);
        chars = chars.saturating_add(word.chars);
        half_words += word.half_words;
        if half_words >= 2 * length {
            return Some(Shingle { hash, chars, words: at + 1 });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextStats;

    #[test]
    fn a_phrase_is_as_long_in_every_script() {
        let length = |text: &str| {
            let shingle = shingle(TextStats::new(text).words(), 2);
            shingle.map(|shingle| (shingle.words, shingle.chars))
        };
        assert_eq!(length("one two three"), Some((2, 6)));
        assert_eq!(length("我在湖南张家界"), Some((4, 4)));
        assert_eq!(length("用Rust写程序"), Some((3, 6)));
        assert_eq!(length("one"), None);
    }

    #[test]
    fn order_and_words_matter() {
        let hash = |text: &str| shingle(TextStats::new(text).words(), 2).unwrap().hash;
        assert_eq!(hash("a b"), hash("A, b c"));
        assert_ne!(hash("a b"), hash("b a"));
        assert_ne!(hash("a b"), hash("ab c"));
    }
}
