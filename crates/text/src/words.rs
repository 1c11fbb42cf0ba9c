//! Words, the unit in which text is measured, labelled and scored; statistics and phrases of words.
//!
//! A word is a run of letters, digits and underscores (`\w+`). In scripts that do not divide words by spaces (Han,
//! Hiragana, Katakana, Thai, Lao, Khmer, Burmese, Tibetan) each character is a word.
//!
//! Shingles (Broder 1997) are phrases of a fixed number of words, in every script. Published rules count words
//! between spaces. In scripts without spaces a character counts as half a word, about the mean of Chinese and
//! Japanese. So a phrase of `n` words has the same length in both kinds of script.

use std::{cell::OnceCell, ops::Range, sync::OnceLock};

use crate::hash::{hash, mix};
use crate::vectors::{ByteTask, Compare, Vectors};

/// Returns whether the character belongs to a script that does not divide words by spaces.
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF      // Thai, Lao
        | 0x0F00..=0x0FFF    // Tibetan
        | 0x1000..=0x109F    // Burmese
        | 0x1780..=0x17FF    // Khmer
        | 0x3005..=0x3007    // ideographic iteration mark, zero
        | 0x3040..=0x30FF    // Hiragana, Katakana
        | 0x31F0..=0x31FF    // Katakana extensions
        | 0x3400..=0x4DBF    // Han extension A
        | 0x4E00..=0x9FFF    // Han
        | 0xF900..=0xFAFF    // Han compatibility
        | 0xFF66..=0xFF9F    // half-width Katakana
        | 0x1B000..=0x1B16F  // Kana supplements
        | 0x20000..=0x3FFFF) // Han extensions
}

fn is_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() }
}

/// Rule for dividing a text into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Runs of `\w` (letters, digits and `_`); a character of a script without spaces is a word by itself.
    #[default]
    Characters,
    /// Runs of `\w` in every script, also in those without spaces.
    Strict,
}

/// Iterator over the words of a text, as written.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a str,
    rule: Rule,
}

/// Iterates over the words of `text` under `rule`.
pub fn words(text: &str, rule: Rule) -> Words<'_> {
    Words { text, rule }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let mut start = 0;
        let mut at = loop {
            let byte = *bytes.get(start)?;
            if byte < 0x80 {
                if ASCII_WORD[usize::from(byte)] {
                    break start + 1;
                }
                start += 1;
                continue;
            }
            let (class, len) = wide_at(self.text, start)?;
            match class {
                Class::Other => start += len,
                Class::Alone if self.rule == Rule::Characters => {
                    return self.take(start, start + len);
                }
                _ => break start + len,
            }
        };
        while let Some(&byte) = bytes.get(at) {
            if byte < 0x80 {
                if !ASCII_WORD[usize::from(byte)] {
                    break;
                }
                at += 1;
                continue;
            }
            let (class, len) = wide_at(self.text, at)?;
            if class == Class::Other || class == Class::Alone && self.rule == Rule::Characters {
                break;
            }
            at += len;
        }
        self.take(start, at)
    }
}

impl<'a> Words<'a> {
    /// Returns the word between two byte offsets of the rest of the text, and continues after it.
    #[inline]
    fn take(&mut self, start: usize, end: usize) -> Option<&'a str> {
        let (word, rest) = self.text.split_at_checked(end)?;
        self.text = rest;
        word.get(start..)
    }
}

/// Returns the class of the character beyond ASCII at byte `at` of a text, and its length in bytes.
fn wide_at(text: &str, at: usize) -> Option<(Class, usize)> {
    let c = text.get(at..)?.chars().next()?;
    Some((Class::known(c), c.len_utf8()))
}

/// Returns the number of words of `text`; each character of a script without spaces counts as a word.
pub fn count(text: &str) -> u32 {
    measure(Vectors::default(), text).words
}

/// Numbers of words and characters in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSize {
    /// Number of words; each character of a script without spaces counts as a word.
    pub words: u32,
    /// Number of characters.
    pub chars: u32,
}

/// Returns the size of a text in words and characters. A caller with many texts chooses `vectors` once for all.
pub fn measure(vectors: Vectors, text: &str) -> TextSize {
    vectors.run(Measure(text))
}

struct Measure<'a>(&'a str);

impl ByteTask for Measure<'_> {
    type Output = TextSize;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> TextSize {
        let text = self.0;
        let bytes = text.as_bytes();
        let mut size = TextSize::default();
        let (mut inside, mut at) = (false, 0);
        while let Some(rest) = bytes.get(at..)
            && !rest.is_empty()
        {
            let chunk = form.load_start(rest);
            let word = form.word(chunk);
            // ASCII up to the first character that is none, and the rest of these bytes one by one.
            let ascii = form.wide(chunk).trailing_zeros();
            let bits = word & u64::MAX.checked_shr(64 - ascii).unwrap_or(0);
            size.words += (bits & !(bits << 1 | u64::from(inside))).count_ones();
            if ascii == 64 {
                size.chars += rest.len().min(64) as u32;
                inside = word >> 63 == 1;
                at += 64;
                continue;
            }
            size.chars += ascii;
            if ascii > 0 {
                inside = word >> (ascii - 1) & 1 == 1;
            }
            let until = at + 64;
            at += ascii as usize;
            (at, inside) = measure_wide(text, at..until, inside, &mut size);
        }
        size
    }
}

/// Adds the words that begin in a byte range of a text, and its characters, to `size`. Returns the end of the last
/// character, and whether a word goes on there. `inside` tells whether one goes on at the start.
#[inline(never)]
fn measure_wide(text: &str, part: Range<usize>, inside: bool, size: &mut TextSize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut inside) = (part.start, inside);
    while at < part.end
        && let Some(&byte) = bytes.get(at)
    {
        size.chars += 1;
        if byte < 0x80 {
            let word = ASCII_WORD[usize::from(byte)];
            size.words += u32::from(word && !inside);
            inside = word;
            at += 1;
            continue;
        }
        let Some((class, len)) = wide_at(text, at) else { return (bytes.len(), inside) };
        size.words += u32::from(class == Class::Alone || class == Class::Word && !inside);
        inside = class == Class::Word;
        at += len;
    }
    (at, inside)
}

/// Returns whether a word goes on from the end of one text into the next, as no word of a script without spaces does.
pub fn goes_on(before: &str, after: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| Class::known(c) == Class::Word);
    is_part(before.chars().next_back()) && is_part(after.chars().next())
}

/// Class of a character in the division into words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Word,
    /// Character that is a word by itself.
    Alone,
}

impl Class {
    fn of(c: char) -> Self {
        match (is_word(c), is_unspaced(c)) {
            (false, _) => Class::Other,
            (true, false) => Class::Word,
            (true, true) => Class::Alone,
        }
    }

    fn known(c: char) -> Self {
        let code = c as usize;
        match WIDE_CLASSES.get(code / ROW) {
            Some(row) => row.get_or_init(|| Self::row(code / ROW))[code % ROW],
            None => Class::of(c),
        }
    }

    /// Computes the classes of the characters in row `number` of the table of classes.
    #[cold]
    fn row(number: usize) -> [Class; ROW] {
        std::array::from_fn(|at| {
            let c = char::from_u32((number * ROW + at) as u32);
            c.map_or(Class::Other, Class::of)
        })
    }
}

/// Number of characters in a row of the table of classes.
// A text has characters of few scripts: rows of 256 took four times as long to fill, and no less to be looked up.
const ROW: usize = 64;

/// Class of each character of the basic plane, in rows that are filled when one of their characters first occurs.
/// Asking the standard library each time takes longer.
static WIDE_CLASSES: [OnceLock<[Class; ROW]>; (1 << 16) / ROW] = [const { OnceLock::new() }; (1 << 16) / ROW];

/// One flag per byte, true if it is an ASCII character of a word.
const ASCII_WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        word[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    word
};

/// A phrase of a fixed number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shingle {
    /// Hash of the phrase's words, in order, with well mixed bits.
    pub hash: u64,
    /// Number of characters in the phrase's words, without those between them.
    pub chars: u32,
    /// Number of words in the phrase, with each character of a script without spaces counted as a word.
    pub words: usize,
}

/// Returns the phrase at the start of `words` that is `length` words long, with characters of scripts without spaces
/// counted as half words; `None` if `words` is too short.
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

/// A word of a text under [`Rule::Characters`]: a run of letters and digits, or one character of a
/// script that does not divide words by spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Hash of the word in lower case, with well mixed bits.
    pub hash: u64,
    /// Byte offset in the text at which the word starts.
    pub start: usize,
    /// Number of characters in the word.
    pub chars: u32,
    /// Size of the word in half words: 1 for a character of a script without spaces, otherwise 2.
    pub half_words: u32,
    /// True if the word has a letter. A character of a script without spaces counts as a letter, as marks of vowels and
    /// tones are part of the words of these scripts.
    pub has_letter: bool,
}

/// A text with its words, which are found once, when first needed.
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
    /// Prepares a text; its words are found when they are first needed.
    pub fn new(text: &'a str) -> Self {
        Self { text, found: OnceCell::new() }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the text's words in order.
    pub fn words(&self) -> &[Word] {
        &self.found().words
    }

    /// Returns the text's words in lower case, each followed by a space.
    pub fn lower(&self) -> &str {
        &self.found().lower
    }

    /// Returns the words that start in `part`, which must be a slice of [`TextStats::text`].
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

/// Returns the size of words in half words: 2 for each, but 1 for a character of a script without spaces.
pub fn half_words(words: &[Word]) -> u32 {
    words.iter().fold(0, |sum, word| sum.saturating_add(word.half_words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TextStats, words};

    fn all(text: &str, rule: Rule) -> Vec<&str> {
        words(text, rule).collect()
    }

    #[test]
    fn sizes_measured_in_steps_are_those_of_the_iterators() {
        let parts = [
            "a", "Z", "_", "0", "9", " ", ".", "@", "[", "`", "{", "/", ":", "é", "語", "ア", "“", "word ",
            "0123456789abcdef", "                ",
        ];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..24 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Mostly ASCII, so that whole steps of it are among them.
                let at = (state >> 33) as usize % (parts.len() * 3);
                text.push_str(parts.get(at).unwrap_or(&parts[at % 12]));
            }
            let words = all(&text, Rule::Characters).len() as u32;
            let expected = TextSize { words, chars: text.chars().count() as u32 };
            for vectors in Vectors::available() {
                assert_eq!(measure(vectors, &text), expected, "{vectors:?} {text:?}");
            }
        }
    }

    #[test]
    fn latin_words_are_runs() {
        assert_eq!(all("It's 3_a, naïve—no.", Rule::Characters), ["It", "s", "3_a", "naïve", "no"]);
        assert_eq!(count("It's 3_a, naïve—no."), 5);
    }

    #[test]
    fn han_counts_by_character_unless_strict() {
        assert_eq!(all("我用Rust写", Rule::Characters), ["我", "用", "Rust", "写"]);
        assert_eq!(all("我用Rust写", Rule::Strict), ["我用Rust写"]);
        assert_eq!(count("我用Rust写"), 4);
    }

    #[test]
    fn hangul_is_divided_by_spaces() {
        assert_eq!(all("안녕 세계", Rule::Characters), ["안녕", "세계"]);
    }

    #[test]
    fn every_character_is_of_a_word_or_not_as_defined() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            let alone = c.to_string();
            let expected: &[&str] = match (is_word(c), is_unspaced(c)) {
                (false, _) => &["a", "b"],
                (true, false) => &[text.as_str()],
                (true, true) => &["a", alone.as_str(), "b"],
            };
            assert_eq!(all(&text, Rule::Characters), expected, "{c:?}");
            assert_eq!(count(&text) as usize, expected.len(), "{c:?}");
        }
    }

    #[test]
    fn count_agrees_with_the_iterator() {
        for text in ["", " ", "a", "a日b", "ไทย x", "—…", "ab cd_ef 12", "日本語テキスト。"] {
            assert_eq!(count(text) as usize, words(text, Rule::Characters).count(), "{text:?}");
        }
    }

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
