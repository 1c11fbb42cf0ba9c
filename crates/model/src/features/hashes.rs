//! Hashes words of the text, eight bytes at a time, and stores values by hash.
//!
//! Processors cannot predict the ends of words, and a wrong prediction costs as much as a whole word. Model files
//! hold the words themselves, so they do not depend on the hash.

use std::{cell::RefCell, ops::Range};

use trommel_text::{TextMasks, word_hash_step as step, words};

use crate::features::scratch::Scratch;

/// Returns the hash of a word in lower case.
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

/// State of hashing a word byte by byte.
#[derive(Default)]
struct Hasher {
    hash: u64,
    /// Bytes that are yet to be hashed, the first in the lowest bits.
    bytes: u64,
    /// Number of bits of `bytes` that are in use.
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

/// Returns the hash of a pair of adjacent words, from the hashes of both.
#[inline]
pub(crate) fn pair_hash(first: u64, second: u64) -> u64 {
    // Rotated, so that "more read" and "read more" differ.
    step(first.rotate_left(17), second)
}

/// Iterates over the hashes of all phrases of `N` words, given the hashes of the words.
#[inline(always)]
pub(crate) fn phrases<const N: usize>(words: &[u64]) -> impl ExactSizeIterator<Item = u64> {
    // Rotation before each word makes the hash depend on the order of the words.
    words.windows(N).map(|words| words.iter().fold(0, |sum: u64, word| sum.rotate_left(21).wrapping_mul(31) ^ word))
}

/// Returns the hash of a term in lower case: a word, or two words with a space between them.
pub(crate) fn term_hash(term: &str) -> u64 {
    // By bytes: each start of the program hashes some ten thousand terms.
    let term = term.as_bytes();
    let hash = trommel_text::word_hash;
    match term.iter().position(|byte| *byte == b' ') {
        Some(space) => pair_hash(hash(&term[..space]), hash(&term[space + 1..])),
        None => hash(term),
    }
}

/// Appends the hashes of the words in a byte range of a text to `hashes`.
#[inline(always)]
pub(crate) fn push_hashes(all: &str, masks: &TextMasks, part: Range<usize>, hashes: &mut Vec<u64>) {
    for run in masks.runs(part) {
        // Runs of ASCII words take their lower case from the masks, which hold it for the whole page.
        if run.is_ascii {
            hashes.push(ascii_hash(masks, run.range));
        } else {
            push_wide(all.get(run.range).unwrap_or_default(), hashes);
        }
    }
}

/// Writes the hashes of the first words in a byte range of a text into `hashes`, until it is full. Returns the number
/// of hashes.
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

/// Writes the hashes of the words in a run of letters, not all of them ASCII, into `hashes`; returns their number.
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

/// Appends the hashes of the words in a run of letters, not all of them ASCII, to `hashes`.
#[inline(never)]
fn push_wide(run: &str, hashes: &mut Vec<u64>) {
    hashes.extend(words::words(run, words::Rule::Characters).map(word_hash));
}

thread_local! {
    /// Memory for the masks (bit sets of character kinds) of short texts, reused from text to text.
    static MASKS: RefCell<TextMasks> = RefCell::default();
}

/// Minimum length in bytes of a text for whose masks (bit sets of character kinds) memory is allocated, not reused.
// Kept masks are as long as the longest text so far, so long ones must not stay with the thread.
const LONG_TEXT: usize = 64 << 10;

/// Returns the hashes of the words of a text, in order.
pub(crate) fn hashes(text: &str) -> Scratch<u64> {
    let mut hashes = Scratch::with_capacity(text.len() / 8);
    let mut read = |masks: &mut TextMasks| {
        masks.read(text);
        push_hashes(text, masks, 0..text.len(), &mut hashes);
    };
    MASKS.with(|masks| match masks.try_borrow_mut() {
        Ok(mut masks) if text.len() < LONG_TEXT => read(&mut masks),
        _ => read(&mut TextMasks::default()),
    });
    hashes
}

/// Returns the hash of the ASCII word in a byte range.
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

/// A table of values by hash. For most missing hashes, one memory access shows that they are missing. Each hash is in
/// the slot that it selects or in the next free one. No hash is 0.
#[derive(Clone, Debug)]
pub(crate) struct HashTable<V: 'static> {
    /// Hash in each slot; 0 if the slot is free.
    hashes: Scratch<u64>,
    values: Scratch<V>,
    len: usize,
}

impl<V: Copy + Default + 'static> Default for HashTable<V> {
    fn default() -> Self {
        Self { hashes: Scratch::default(), values: Scratch::default(), len: 0 }
    }
}

impl<V: Copy + Default + 'static> HashTable<V> {
    /// Returns the number of hashes in the table.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Makes room for `more` further hashes.
    pub fn reserve(&mut self, more: usize) {
        // Half empty at least, so that a search ends after one or two places; a power of two makes the place a mask.
        let places = (2 * (self.len + more)).next_power_of_two();
        if places <= self.hashes.len() {
            return;
        }
        let larger =
            Self { hashes: Scratch::filled(places, 0), values: Scratch::filled(places, V::default()), len: self.len };
        let Self { hashes, values, .. } = std::mem::replace(self, larger);
        for (hash, value) in hashes.iter().zip(&values).filter(|(hash, _)| **hash != 0) {
            let place = self.place(*hash);
            if let (Some(to), Some(at)) = (self.hashes.get_mut(place), self.values.get_mut(place)) {
                (*to, *at) = (*hash, *value);
            }
        }
    }

    /// Returns the value of a hash, which is added with the default value if missing; the table must have room for it.
    #[inline]
    pub fn entry(&mut self, hash: u64) -> Option<&mut V> {
        let place = self.place(hash);
        let known = self.hashes.get_mut(place)?;
        self.len += usize::from(*known == 0);
        *known = hash;
        self.values.get_mut(place)
    }

    /// Returns the value of a hash; `None` if it is not in the table.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<V> {
        let last = self.hashes.len().wrapping_sub(1);
        let mut at = hash as usize & last;
        loop {
            match self.hashes.get(at) {
                None | Some(0) => return None,
                Some(known) if *known == hash => return self.values.get(at).copied(),
                // Half of the places are free, so that this ends.
                Some(_) => at = (at + 1) & last,
            }
        }
    }

    /// Returns the index of the slot that holds a hash, or of the free one for inserting it.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let last = self.hashes.len().wrapping_sub(1);
        let mut at = hash as usize & last;
        while self.hashes.get(at).is_some_and(|known| *known != 0 && *known != hash) {
            at = (at + 1) & last;
        }
        at
    }
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
            let mut few = [0; 3];
            let len = first_hashes(&text, &TextMasks::of(&text), 0..text.len(), &mut few);
            prop_assert_eq!(&few[..len], &expected[..expected.len().min(3)]);
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

    #[test]
    fn values_stay_with_their_hashes_while_the_table_grows() {
        let mut table: HashTable<u32> = HashTable::default();
        assert_eq!((table.get(7), table.len()), (None, 0));
        // Hashes that all say the same place, and others.
        let hashes =
            (1..200u64).map(|at| if at % 2 == 0 { at << 32 | 5 } else { trommel_text::hash(&at.to_le_bytes()) });
        for (number, hash) in (1u32..).zip(hashes.clone()) {
            table.reserve(1);
            let value = table.entry(hash).unwrap();
            assert_eq!(*value, 0);
            *value = number;
        }
        for (number, hash) in (1u32..).zip(hashes) {
            assert_eq!(table.get(hash), Some(number));
            assert_eq!(table.entry(hash), Some(&mut number.clone()));
        }
        assert_eq!((table.len(), table.get(5)), (199, None));
    }
}
