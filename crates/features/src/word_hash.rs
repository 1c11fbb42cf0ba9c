//! Hashes of words of the text, made eight bytes at a time: where words end no processor foresees, and a
//! wrong guess costs as much as a whole word. Model files hold the words themselves, so the hash is no
//! part of their meaning.

/// Spreads the bits (the fractional part of the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The same byte eight times.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The highest bit of each byte.
const HIGH: u64 = eight(0x80);

/// Hash of what was hashed before and up to eight bytes, the first lowest, padded with zeros.
#[inline(always)]
fn step(before: u64, bytes: u64) -> u64 {
    let mixed = (before ^ bytes).wrapping_mul(SPREAD);
    mixed ^ (mixed >> 32)
}

/// Hash of a word in lower case.
pub(crate) fn word_hash(word: &str) -> u64 {
    if word.is_ascii() {
        let mut hash = 0;
        for chunk in word.as_bytes().chunks(8) {
            let bytes = load(chunk);
            hash = step(hash, bytes | (letters(bytes) >> 2));
        }
        hash
    } else {
        let lower = word.to_lowercase();
        let chunks = lower.as_bytes().chunks(8);
        chunks.fold(0, |hash, chunk| step(hash, load(chunk)))
    }
}

/// Hash of two words that follow each other, given those of both.
#[inline]
pub(crate) fn pair_hash(first: u64, second: u64) -> u64 {
    step(first.rotate_left(17), second)
}

/// Hash of a term of the text: a word, or two words with a space between them.
pub(crate) fn term_hash(term: &str) -> u64 {
    match term.split_once(' ') {
        Some((first, second)) => pair_hash(word_hash(first), word_hash(second)),
        None => word_hash(term),
    }
}

/// Up to eight bytes, the first lowest.
#[inline(always)]
fn load(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => {
            let mut padded = [0; 8];
            for (slot, byte) in padded.iter_mut().zip(bytes) {
                *slot = *byte;
            }
            u64::from_le_bytes(padded)
        }
    }
}

/// The highest bit of each byte that is a letter; all bytes are ASCII.
#[inline(always)]
fn letters(bytes: u64) -> u64 {
    let lower = bytes | eight(0x20);
    let from_a = lower + eight(0x80 - b'a');
    let past_z = lower + eight(0x7f - b'z');
    from_a & !past_z & HIGH
}

/// The highest bit of each byte that is a digit or an underscore; all bytes are ASCII.
#[inline(always)]
fn digits(bytes: u64) -> u64 {
    let from_0 = bytes + eight(0x80 - b'0');
    let past_9 = bytes + eight(0x7f - b'9');
    // What is left of an underscore is 0.
    let other = (bytes ^ eight(b'_')) + eight(0x7f);
    ((from_0 & !past_9) | !other) & HIGH
}

/// Gives the hash of each word of an ASCII text, as [`word_hash`] does, until told to stop.
#[inline(always)]
pub(crate) fn ascii_words(text: &[u8], mut give: impl FnMut(u64) -> bool) {
    let mut rest = text;
    // A word is hashed from its first byte on, in pieces of eight.
    let mut hash = 0;
    let mut is_inside = false;
    while !rest.is_empty() {
        let bytes = load(rest);
        let letters = letters(bytes);
        let mut words = letters | digits(bytes);
        let mut lower = bytes | (letters >> 2);
        let mut used = 0;
        if !is_inside {
            used = words.trailing_zeros() as usize / 8;
            if used == 8 {
                rest = rest.get(8..).unwrap_or_default();
                continue;
            }
            words >>= 8 * used;
            lower >>= 8 * used;
        }
        let len = (!words & HIGH).trailing_zeros() as usize / 8;
        if used + len < 8 {
            // It ends here: what is behind it is left out.
            let own = lower & ((1u64 << (8 * len)) - 1);
            let word = if is_inside && len == 0 {
                hash
            } else {
                step(hash, own)
            };
            if !give(word) {
                return;
            }
            (hash, is_inside) = (0, false);
            rest = rest.get(used + len..).unwrap_or_default();
        } else if used == 0 {
            // Its next piece.
            hash = step(hash, lower);
            is_inside = true;
            rest = rest.get(8..).unwrap_or_default();
        } else {
            // It may be longer than what is seen of it: once more from its first byte on.
            rest = rest.get(used..).unwrap_or_default();
        }
    }
    if is_inside {
        give(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_text::words;

    #[test]
    fn words_are_found_and_hashed_as_one_by_one() {
        let signs = ["", " ", ", ", "-", " \u{1}--- ", "........", "\u{7f}@[`{/:"];
        let parts = [
            "a",
            "Word_9",
            "ABCDEFGH",
            "abcdefgh_Z",
            "0123456789abcdefghi",
            "_",
        ];
        for start in 0..parts.len() {
            for sign in signs {
                for shift in 0..9 {
                    let all = parts.iter().cycle().skip(start).take(4);
                    let all: Vec<&str> = all.copied().collect();
                    let text = format!("{}{}{sign}", " ".repeat(shift), all.join(sign));
                    let expected: Vec<u64> = words::words(&text, words::Rule::Characters)
                        .map(word_hash)
                        .collect();
                    let mut found = Vec::new();
                    ascii_words(text.as_bytes(), |hash| {
                        found.push(hash);
                        true
                    });
                    assert_eq!(found, expected, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn every_byte_is_of_a_word_or_not() {
        for byte in 0..128u8 {
            let text = [b'a', byte, b'b', b' ', b' ', b' ', b' ', b' ', b' '];
            let mut found = 0;
            ascii_words(&text, |_| {
                found += 1;
                true
            });
            let is_word = byte.is_ascii_alphanumeric() || byte == b'_';
            assert_eq!(found, if is_word { 1 } else { 2 }, "{byte}");
        }
    }

    #[test]
    fn case_does_not_count_and_order_does() {
        assert_eq!(word_hash("ÄRGER"), word_hash("ärger"));
        assert_eq!(word_hash("RELATED"), word_hash("related"));
        assert_eq!(
            term_hash("related news"),
            pair_hash(word_hash("Related"), word_hash("NEWS"))
        );
        assert_ne!(term_hash("a b"), term_hash("b a"));
        assert_ne!(word_hash("abcdefgh"), word_hash("abcdefghabcdefgh"));
        assert_ne!(word_hash("a"), word_hash("b"));
    }
}
