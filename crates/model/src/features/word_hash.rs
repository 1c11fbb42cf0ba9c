//! Hashes words of the text, eight bytes at a time. Processors cannot predict the ends of words, and a wrong
//! prediction costs as much as a whole word. Model files hold the words themselves, so they do not depend on
//! the hash.

use std::cell::RefCell;
use std::ops::Range;

use trommel_text::{TextMasks, word_hash_step as step, words};

use crate::features::scratch::Scratch;

/// Hash of a word in lower case.
pub(crate) fn word_hash(word: &str) -> u64 {
    // The small form of this letter depends on where it stands.
    if word.contains('Σ') {
        return trommel_text::word_hash(word.to_lowercase().as_bytes());
    }
    let mut hasher = Hasher::default();
    for c in word.chars() {
        if c.is_ascii() {
            hasher.push(&[c.to_ascii_lowercase() as u8]);
        } else if words::is_unspaced(c) {
            // None of these scripts has capitals.
            hasher.push(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            for c in c.to_lowercase() {
                hasher.push(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    hasher.finish()
}

/// A hash as its bytes come.
#[derive(Default)]
struct Hasher {
    hash: u64,
    /// Bytes that are yet to be hashed, the first lowest, and their bits.
    bytes: u64,
    bits: u32,
}

impl Hasher {
    #[inline]
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.bits == 64 {
                self.hash = step(self.hash, self.bytes);
                (self.bytes, self.bits) = (0, 0);
            }
            self.bytes |= u64::from(*byte) << self.bits;
            self.bits += 8;
        }
    }

    fn finish(self) -> u64 {
        if self.bits == 0 {
            return self.hash;
        }
        step(self.hash, self.bytes)
    }
}

/// Hash of two words that follow each other, given those of both.
#[inline]
pub(crate) fn pair_hash(first: u64, second: u64) -> u64 {
    // Rotated, so that "more read" and "read more" differ.
    step(first.rotate_left(17), second)
}

/// Hash of a term of the text: a word, or two words with a space between them.
pub(crate) fn term_hash(term: &str) -> u64 {
    match term.split_once(' ') {
        Some((first, second)) => pair_hash(word_hash(first), word_hash(second)),
        None => word_hash(term),
    }
}

/// Appends the hashes of at most `most` words of a part of a text.
#[inline(always)]
pub(crate) fn push_hashes(all: &str, masks: &TextMasks, part: Range<usize>, most: usize, hashes: &mut Vec<u64>) {
    let most = hashes.len().saturating_add(most);
    for run in masks.runs(part) {
        // Runs of ASCII words take their lower case from the masks, which hold it for the whole page.
        if run.is_ascii {
            hashes.push(ascii_hash(masks, run.range));
        } else {
            push_wide(all.get(run.range).unwrap_or_default(), hashes);
        }
        if hashes.len() >= most {
            hashes.truncate(most);
            return;
        }
    }
}

/// Writes the hashes of the first words of a part of a text into `hashes`, up to its length; returns their number.
#[inline(always)]
pub(crate) fn first_hashes(all: &str, masks: &TextMasks, part: Range<usize>, hashes: &mut [u64]) -> usize {
    let mut len = 0;
    for run in masks.runs(part) {
        if run.is_ascii {
            let Some(place) = hashes.get_mut(len) else { return len };
            *place = ascii_hash(masks, run.range);
            len += 1;
        } else {
            len += wide_hashes(all.get(run.range).unwrap_or_default(), hashes.get_mut(len..).unwrap_or_default());
        }
    }
    len
}

/// The same of a run with characters beyond ASCII.
#[inline(never)]
fn wide_hashes(run: &str, hashes: &mut [u64]) -> usize {
    let words = words::words(run, words::Rule::Characters);
    let mut len = 0;
    for (place, word) in hashes.iter_mut().zip(words) {
        *place = word_hash(word);
        len += 1;
    }
    len
}

/// Appends the hashes of the words of a run with characters beyond ASCII.
#[inline(never)]
fn push_wide(run: &str, hashes: &mut Vec<u64>) {
    hashes.extend(words::words(run, words::Rule::Characters).map(word_hash));
}

thread_local! {
    /// Memory for the masks of one short text after the other.
    static MASKS: RefCell<TextMasks> = RefCell::default();
}

/// Bytes of a text from which on its masks have memory of their own.
// Kept masks are as long as the longest text so far, so long ones must not stay with the thread.
const LONG_TEXT: usize = 64 << 10;

/// Hashes of the words of a text.
pub(crate) fn hashes(text: &str) -> Scratch<u64> {
    let mut hashes = Scratch::with_capacity(text.len() / 8);
    let mut read = |masks: &mut TextMasks| {
        masks.read(text);
        push_hashes(text, masks, 0..text.len(), usize::MAX, &mut hashes);
    };
    MASKS.with(|masks| match masks.try_borrow_mut() {
        Ok(mut masks) if text.len() < LONG_TEXT => read(&mut masks),
        _ => read(&mut TextMasks::default()),
    });
    hashes
}

/// Hash of an ASCII word.
#[inline(always)]
fn ascii_hash(masks: &TextMasks, word: Range<usize>) -> u64 {
    let (mut at, mut hash) = (word.start, 0);
    let mut left = word.end - at;
    // Strictly more: the last step must have at least one byte, as in `Hasher::finish`.
    while left > 8 {
        hash = step(hash, masks.lower_eight(at));
        (at, left) = (at + 8, left - 8);
    }
    // Bytes behind the word are left out, so that it hashes alike wherever it stands.
    let bytes = masks.lower_eight(at) & (u64::MAX >> ((64 - 8 * left) & 63));
    step(hash, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_found_and_hashed_as_one_by_one(
            text in "([a-zA-Z0-9_]{1,20}|[ ,.@`/:\u{1}\u{7f}-]{0,9}|[éÄİßΣ日アก’]{0,3}| ){0,20}"
        ) {
            let expected: Vec<u64> = words::words(&text, words::Rule::Characters)
                .map(|word| trommel_text::word_hash(word.to_lowercase().as_bytes()))
                .collect();
            prop_assert_eq!(&*hashes(&text), &expected);
            let mut first = vec![7];
            push_hashes(&text, &TextMasks::of(&text), 0..text.len(), 3, &mut first);
            prop_assert_eq!(first.remove(0), 7);
            prop_assert_eq!(&first, &expected[..expected.len().min(3)]);
            let mut few = [0; 3];
            let len = first_hashes(&text, &TextMasks::of(&text), 0..text.len(), &mut few);
            prop_assert_eq!(&few[..len], &first[..]);
        }
    }

    #[test]
    fn unspaced_scripts_have_no_capitals() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            if words::is_unspaced(c) {
                assert!(c.to_lowercase().eq([c]), "{c:?}");
            }
        }
    }

    #[test]
    fn case_does_not_count_and_order_does() {
        assert_eq!(word_hash("ÄRGER"), word_hash("ärger"));
        assert_eq!(word_hash("RELATED"), word_hash("related"));
        assert_eq!(term_hash("related news"), pair_hash(word_hash("Related"), word_hash("NEWS")));
        assert_ne!(term_hash("a b"), term_hash("b a"));
        assert_ne!(word_hash("abcdefgh"), word_hash("abcdefghabcdefgh"));
        assert_ne!(word_hash("a"), word_hash("b"));
    }
}
