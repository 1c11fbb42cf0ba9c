//! Splits attribute values into words.

use trommel_text::{word_hash, word_hash_step};

/// Bytes of a word; longer ones are machine-made and cut.
// Longer runs of letters are hashes and encoded data, which no other page has.
const MAX_WORD_BYTES: usize = 40;

/// Gives each word of an attribute value in lower case with its [`word_hash`]: runs of
/// letters, split where lower case turns to upper (`postTitle` gives `post`, `title`), two bytes or
/// longer. The value is text, which may be cut inside its last character; words are text. Most words of at most
/// eight bytes are given as a number as well, the first byte lowest, filled up with 0.
pub(crate) fn split(value: &[u8], mut give: impl FnMut(&[u8], u64, Option<u64>)) {
    let mut at = 0;
    while at < value.len() {
        // Eight bytes at a time: where words end no processor foresees, and a wrong guess costs as much as ten bytes.
        let bytes = EightBytes::at(value, at);
        let begins = bytes.letters().trailing_zeros() as usize / 8;
        if begins > 0 {
            at += begins;
            continue;
        }
        let len = bytes.word_len();
        // Long words and those beyond ASCII are rare enough for the plain loop.
        if len == 8 || bytes.has_wide(len) {
            at = split_plainly(value, at, &mut give);
            continue;
        }
        // Single letters are parts of generated names (`a_b3`) and say nothing.
        if len > 1 {
            let lower = bytes.lower() & ((1 << (8 * len)) - 1);
            let word = lower.to_le_bytes();
            give(word.get(..len).unwrap_or_default(), word_hash_step(0, lower), Some(lower));
        }
        // What is no letter behind the word, as far as it is at hand.
        let behind = bytes.letters() >> (8 * len);
        at += match behind {
            0 => 8,
            letters => len + letters.trailing_zeros() as usize / 8,
        };
    }
}

/// Eight bytes of a value, the first lowest, filled up with 0. Words are short: most are had in one step.
#[derive(Clone, Copy)]
struct EightBytes {
    bytes: u64,
    /// The highest bit of each byte that is an ASCII letter.
    ascii: u64,
}

impl EightBytes {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * Self::ONES;
    /// The bit that makes an upper case letter a lower case one.
    const LOWER: u64 = 0x20 * Self::ONES;

    #[inline(always)]
    fn at(value: &[u8], at: usize) -> Self {
        let rest = value.get(at..).unwrap_or_default();
        let bytes = match rest.first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight),
            // The end of a longer value: bytes before it are shifted out.
            None if !rest.is_empty() && value.len() >= 8 => {
                let last = value.last_chunk::<8>();
                last.map_or(0, |last| u64::from_le_bytes(*last)) >> (8 * (8 - rest.len()))
            }
            None => rest.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte)),
        };
        // With the high bit cleared an addition cannot carry from one byte into the next.
        let folded = (bytes & !Self::HIGH) | Self::LOWER;
        let from_a = folded + (0x80 - u64::from(b'a')) * Self::ONES;
        let beyond_z = folded + (0x7F - u64::from(b'z')) * Self::ONES;
        Self { bytes, ascii: from_a & !beyond_z & !bytes & Self::HIGH }
    }

    /// The highest bit of each letter; bytes beyond ASCII are letters without case.
    fn letters(self) -> u64 {
        self.ascii | self.bytes & Self::HIGH
    }

    fn uppers(self) -> u64 {
        // The bit of lower case, two places up, is the highest.
        self.ascii & !(self.bytes << 2)
    }

    fn lowers(self) -> u64 {
        self.ascii & self.bytes << 2
    }

    /// Bytes from the first on, which is a letter, up to the end of its word: 8 if it is not among them.
    fn word_len(self) -> usize {
        // A capital right behind a small letter begins a word, as in `postTitle`.
        let turns = self.uppers() & self.lowers() << 8;
        let ends = !self.letters() & Self::HIGH | turns;
        ends.trailing_zeros() as usize / 8
    }

    /// Whether one of the first `len` bytes is beyond ASCII.
    fn has_wide(self, len: usize) -> bool {
        self.bytes & Self::HIGH & ((1 << (8 * len)) - 1) != 0
    }

    fn lower(self) -> u64 {
        self.bytes | self.uppers() >> 2
    }
}

/// Gives the word that begins at `at`, byte by byte; gives the place behind it.
fn split_plainly(value: &[u8], at: usize, give: &mut impl FnMut(&[u8], u64, Option<u64>)) -> usize {
    let mut word = [0u8; MAX_WORD_BYTES];
    let (mut len, mut end) = (0, at);
    let mut after_lower = false;
    let mut is_wide = false;
    for &byte in value.get(at..).unwrap_or_default() {
        let is_upper = byte.is_ascii_uppercase();
        let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
        if !is_letter || after_lower && is_upper {
            break;
        }
        if let Some(slot) = word.get_mut(len) {
            *slot = byte.to_ascii_lowercase();
            is_wide |= byte >= 0x80;
            len += 1;
        }
        after_lower = byte.is_ascii_lowercase();
        end += 1;
    }
    let mut word = word.get(..len).unwrap_or_default();
    let is_long = len > 1;
    if is_wide && let Err(error) = std::str::from_utf8(word) {
        // A cut inside a character leaves a tail that is no text.
        word = word.get(..error.valid_up_to()).unwrap_or_default();
    }
    if is_long && !word.is_empty() {
        give(word, word_hash(word), None);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(value: &str) -> Vec<String> {
        let mut out = Vec::new();
        split(value.as_bytes(), |word, given, short| {
            assert_eq!(given, word_hash(word));
            assert!(short.is_none_or(|short| short.to_le_bytes().starts_with(word)));
            out.push(str::from_utf8(word).unwrap().to_owned());
        });
        out
    }

    #[test]
    fn splits_at_punctuation_digits_and_camel_case() {
        assert_eq!(words("post-title_main col2right"), ["post", "title", "main", "col", "right"]);
        assert_eq!(words("postTitle HTMLBody x"), ["post", "title", "htmlbody"]);
        assert_eq!(words("größe"), ["größe"]);
        assert!(words("a 1 -").is_empty());
    }

    #[test]
    fn long_tokens_are_cut_at_a_character() {
        let long = words(&"ä".repeat(50));
        assert_eq!(long, ["ä".repeat(20)]);
        assert_eq!(words(&format!("x{}", "ä".repeat(50))), [format!("x{}", "ä".repeat(19))]);
    }

    #[test]
    fn words_had_in_one_step_are_those_of_the_plain_loop() {
        let plain = |value: &[u8]| {
            let mut words = Vec::new();
            let mut at = 0;
            while let Some(&byte) = value.get(at) {
                if byte.is_ascii_alphabetic() || byte >= 0x80 {
                    at = split_plainly(value, at, &mut |word, _, _| {
                        words.push(word.to_vec());
                    });
                } else {
                    at += 1;
                }
            }
            words
        };
        const BYTES: &[u8] = b"abzAZ-_ @[`{09\x00\xC3\xA9\xFFyMmq";
        let mut state = 1u64;
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..24)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    BYTES[(state >> 33) as usize % BYTES.len()]
                })
                .collect();
            let mut words = Vec::new();
            split(&bytes, |word, given, _| {
                assert_eq!(given, word_hash(word));
                words.push(word.to_vec());
            });
            assert_eq!(words, plain(&bytes), "{bytes:?}");
        }
    }
}
