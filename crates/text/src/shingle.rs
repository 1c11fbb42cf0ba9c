//! Phrases of a text, in every script.
//!
//! Published rules count words between spaces. In scripts that do not divide words by spaces a
//! character is taken for half a word, about the mean of Chinese and Japanese, so that a phrase of `n`
//! words has the length of one in both kinds of script.

use crate::hash::{hash, mix};
use crate::words::{Rule, is_unspaced, words};

/// A word, or a character of a script without spaces, or what stands for several.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// Well mixed hash of its letters.
    pub hash: u64,
    /// Its characters.
    pub chars: u32,
    /// Half words: 2 or 1.
    pub weight: u32,
}

/// The units of a text; letters are taken as they stand.
pub fn units(text: &str) -> Vec<Unit> {
    words(text, Rule::Characters)
        .map(|word| Unit {
            hash: mix(hash(word.as_bytes())),
            chars: u32::try_from(word.chars().count()).unwrap_or(u32::MAX),
            weight: if word.starts_with(is_unspaced) { 1 } else { 2 },
        })
        .collect()
}

/// Words of a text: those between spaces, and every two characters of scripts without spaces.
pub fn half_words(text: &str) -> u32 {
    words(text, Rule::Characters)
        .map(|word| if word.starts_with(is_unspaced) { 1 } else { 2 })
        .sum()
}

/// A phrase of so many words.
#[derive(Clone, Copy, Debug)]
pub struct Gram {
    /// Well mixed hash of its units.
    pub hash: u64,
    /// Its characters, without what stands between its units.
    pub chars: u32,
    /// Number of its units.
    pub units: usize,
}

/// The phrase of `words` words that begins with the first of `units`; none if they are fewer.
pub fn gram(units: &[Unit], words: u32) -> Option<Gram> {
    let (mut hash, mut chars, mut weight) = (0, 0u32, 0);
    for (at, unit) in units.iter().enumerate() {
        hash = mix(hash ^ unit.hash);
        chars = chars.saturating_add(unit.chars);
        weight += unit.weight;
        if weight >= 2 * words {
            return Some(Gram {
                hash,
                chars,
                units: at + 1,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_as_long_in_every_script() {
        let length = |text: &str| gram(&units(text), 2).map(|gram| (gram.units, gram.chars));
        assert_eq!(length("one two three"), Some((2, 6)));
        assert_eq!(length("我在湖南张家界"), Some((4, 4)));
        assert_eq!(length("用Rust写程序"), Some((3, 6)));
        assert_eq!(length("one"), None);
        assert_eq!(half_words("one two"), 4);
        assert_eq!(half_words("我在湖南。"), 4);
    }

    #[test]
    fn order_and_words_matter() {
        let hash = |text: &str| gram(&units(text), 2).unwrap().hash;
        assert_eq!(hash("a b"), hash("a, b c"));
        assert_ne!(hash("a b"), hash("b a"));
        assert_ne!(hash("a b"), hash("ab c"));
    }
}
