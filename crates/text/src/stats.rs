//! Statistics of the words of a text, computed in one pass.

use std::cell::OnceCell;

use crate::hash::{hash, mix};
use crate::words::{Rule, is_unspaced, words};

/// A word of a text under [`Rule::Characters`]: a run of letters and digits, or one character of a
/// script that does not divide words by spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Well mixed hash of its letters in lower case.
    pub hash: u64,
    /// Byte of the text at which it starts.
    pub start: usize,
    /// Its characters, as they stand in the text.
    pub chars: u32,
    /// Half words: 1 for a character of a script without spaces, else 2.
    pub half_words: u32,
    /// True if it has a letter; a character of a script without spaces counts as one, as marks of vowels and tones are
    /// part of the words of these scripts.
    pub has_letter: bool,
}

/// A text with its words, which are found once, when they are first asked for.
///
/// ```
/// use trommel_text::TextStats;
///
/// let stats = TextStats::new("The mill, by the river.");
/// assert_eq!(stats.words().len(), 5);
/// assert_eq!(stats.lower(), "the mill by the river ");
/// ```
#[derive(Clone, Debug)]
pub struct TextStats<'a> {
    text: &'a str,
    found: OnceCell<FoundWords>,
}

#[derive(Clone, Debug, Default)]
struct FoundWords {
    words: Vec<Word>,
    lower: String,
}

impl<'a> TextStats<'a> {
    /// The statistics of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, found: OnceCell::new() }
    }

    /// The text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Its words in order.
    pub fn words(&self) -> &[Word] {
        &self.found().words
    }

    /// Its words in lower case, a space after each, whatever stands between them in the text.
    pub fn lower(&self) -> &str {
        &self.found().lower
    }

    /// The words that start in a part of the text, which is given as [`TextStats::text`] has it.
    pub fn words_in(&self, part: &str) -> &[Word] {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let words = self.words();
        let first = words.partition_point(|word| word.start < start);
        let end = words.partition_point(|word| word.start < start + part.len());
        words.get(first..end).unwrap_or_default()
    }

    fn found(&self) -> &FoundWords {
        self.found.get_or_init(|| {
            let mut found = FoundWords::default();
            for word in words(self.text, Rule::Characters) {
                let from = found.lower.len();
                push_lower(word, &mut found.lower);
                let lower = found.lower.get(from..).unwrap_or_default();
                let is_unspaced = word.starts_with(is_unspaced);
                found.words.push(Word {
                    hash: mix(hash(lower.as_bytes())),
                    start: word.as_ptr() as usize - self.text.as_ptr() as usize,
                    chars: u32::try_from(word.chars().count()).unwrap_or(u32::MAX),
                    half_words: if is_unspaced { 1 } else { 2 },
                    has_letter: is_unspaced || word.contains(char::is_alphabetic),
                });
                found.lower.push(' ');
            }
            found
        })
    }
}

fn push_lower(word: &str, lower: &mut String) {
    if word.is_ascii() {
        lower.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        // Not letter by letter: the form of a final sigma depends on where it stands.
        lower.push_str(&word.to_lowercase());
    }
}

/// The sum of the half words of words: twice their number where words are divided by spaces.
pub fn half_words(words: &[Word]) -> u32 {
    words.iter().fold(0, |sum, word| sum.saturating_add(word.half_words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn words_are_those_of_the_text_with_what_is_asked_of_them() {
        let stats = TextStats::new("An Éclair, 42 日本");
        let all: Vec<_> =
            stats.words().iter().map(|word| (word.start, word.chars, word.half_words, word.has_letter)).collect();
        assert_eq!(all, [(0, 2, 2, true), (3, 6, 2, true), (12, 2, 2, false), (15, 1, 1, true), (18, 1, 1, true)]);
        assert_eq!(stats.lower(), "an éclair 42 日 本 ");
        assert_eq!(half_words(stats.words()), 8);
        assert_eq!(stats.words()[1].hash, mix(hash("éclair".as_bytes())), "of the letters in lower case");
    }

    #[test]
    fn parts_have_their_own_words() {
        let text = "one two\nthree\n\nfour";
        let stats = TextStats::new(text);
        let counts: Vec<usize> = text.lines().map(|line| stats.words_in(line).len()).collect();
        assert_eq!(counts, [2, 1, 0, 1]);
        assert_eq!(stats.words_in(text).len(), 4);
    }

    proptest::proptest! {
        #[test]
        fn there_are_as_many_as_are_counted(text in ".{0,60}") {
            let stats = TextStats::new(&text);
            proptest::prop_assert_eq!(stats.words().len() as u32, words::count(&text));
            for word in stats.words() {
                proptest::prop_assert!(text.get(word.start..).is_some_and(|rest| rest.chars().next().is_some()));
            }
        }
    }
}
