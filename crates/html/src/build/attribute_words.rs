//! Splits attribute values into words.

use trommel_text::vectors::{ByteTask, Compare, Vectors};
use trommel_text::word_hash;

/// Bytes of a word; longer ones are machine-made and cut.
// Longer runs of letters are hashes and encoded data, which no other page has.
const MAX_WORD_BYTES: usize = 40;

/// A word of an attribute value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueWord<'a> {
    /// In lower case.
    pub text: &'a [u8],
    /// [`word_hash`] of the text.
    pub hash: u64,
    /// The first bytes of the text, and others behind it if it is shorter.
    // So that a short word can be written in one step.
    pub first: &'a [u8; 8],
}

/// Gives each word of an attribute value in lower case: runs of letters, split where lower case turns to upper
/// (`postTitle` gives `post`, `title`), two bytes or longer. The value is text, which may be cut inside its last
/// character; words are text.
#[inline(always)]
pub(crate) fn split(vectors: Vectors, value: &[u8], mut give: impl FnMut(ValueWord)) {
    let mut from = 0;
    while let Some(rest) = value.get(from..)
        && !rest.is_empty()
    {
        // 64 bytes at a time: where words end no processor foresees, and a wrong guess costs as much as ten bytes.
        let part = vectors.run(ReadPart(rest));
        let mut begins = part.begins;
        let mut next = from + 64;
        while begins != 0 {
            let start = begins.trailing_zeros() as usize;
            begins &= begins - 1;
            let len = 1 + (part.ends >> start >> 1).trailing_zeros() as usize;
            let mut end = start + len.min(64 - start);
            if end == 64 {
                if rest.len() > 64 && start > 0 {
                    // It may go on: the next part begins with it.
                    next = from + start;
                    break;
                }
                end = if start == 0 { behind_word(rest) } else { end };
                next = from + end;
                if end - start < 2 {
                    break;
                }
            }
            let Some(text) = part.lower.get(start..end.min(start + MAX_WORD_BYTES)) else { break };
            let (text, hash) = match text {
                // A cut inside a character leaves a tail that is no text.
                text if part.wide >> start & 1_u64.unbounded_shl(text.len() as u32).wrapping_sub(1) != 0 => {
                    let text = valid_part(text);
                    (text, word_hash(text))
                }
                text => (text, hash_of(text, &part.lower, start)),
            };
            if let Some(first) = part.lower.get(start..).and_then(|lower| lower.first_chunk())
                && !text.is_empty()
            {
                give(ValueWord { text, hash, first });
            }
        }
        from = next;
    }
}

/// [`word_hash`] of a text that stands in `bytes` from `start` on.
#[inline(always)]
fn hash_of(text: &[u8], bytes: &[u8], start: usize) -> u64 {
    match bytes.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(eight) if text.len() <= 8 => {
            let bytes = u64::from_le_bytes(*eight) & u64::MAX >> (64 - 8 * text.len());
            trommel_text::word_hash_step(0, bytes)
        }
        _ => word_hash(text),
    }
}

#[cold]
#[inline(never)]
fn valid_part(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Ok(_) => text,
        Err(error) => text.get(..error.valid_up_to()).unwrap_or_default(),
    }
}

/// The end of the word at the start of `bytes`, which takes up more than 64 of them.
#[cold]
#[inline(never)]
fn behind_word(bytes: &[u8]) -> usize {
    let mut after_lower = false;
    let end = bytes.iter().position(|&byte| {
        let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
        let ends = !is_letter || after_lower && byte.is_ascii_uppercase();
        after_lower = byte.is_ascii_lowercase();
        ends
    });
    end.unwrap_or(bytes.len())
}

/// 64 bytes of a value, or as many as there are.
struct ValuePart {
    /// In lower case, filled up with 0, and some more of these so that eight bytes are to be had from every place.
    lower: [u8; 72],
    /// One bit for each byte with which a word of two bytes or more begins.
    begins: u64,
    /// One bit for each byte with which no word goes on: it is no letter, or begins the next word.
    ends: u64,
    /// One bit for each byte beyond ASCII; these are letters without case.
    wide: u64,
}

struct ReadPart<'a>(&'a [u8]);

impl ByteTask for ReadPart<'_> {
    type Output = ValuePart;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> ValuePart {
        let bytes = form.load_start(self.0);
        let small = form.lower(bytes);
        let wide = form.wide(bytes);
        let ascii = form.range(small, b'a', b'z');
        let upper = form.range(bytes, b'A', b'Z');
        let letters = ascii | wide;
        // A capital right behind a small letter begins a word, as in `postTitle`.
        let turns = upper & (ascii & !upper) << 1;
        let ends = !letters | turns;
        // Single letters are parts of generated names (`a_b3`) and say nothing. Of the last byte it is not known.
        let begins = letters & (!(letters << 1) | turns) & !(ends >> 1);
        let mut lower = [0; 72];
        let (chunk, _) = lower.split_at_mut(64);
        chunk.copy_from_slice(&form.store(small));
        ValuePart { lower, begins, ends, wide }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_by(vectors: Vectors, value: &[u8]) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        split(vectors, value, |word| {
            assert_eq!(word.hash, word_hash(word.text));
            let len = word.text.len().min(8);
            assert_eq!(word.first[..len], word.text[..len]);
            out.push(word.text.to_vec());
        });
        out
    }

    fn words(value: &str) -> Vec<String> {
        let words = words_by(Vectors::default(), value.as_bytes()).into_iter();
        words.map(|word| String::from_utf8(word).unwrap()).collect()
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

    /// The words of a value, byte by byte.
    fn plain_words(value: &[u8]) -> Vec<Vec<u8>> {
        let mut words: Vec<Vec<u8>> = vec![Vec::new()];
        let mut after_lower = false;
        for &byte in value {
            let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
            if !is_letter || after_lower && byte.is_ascii_uppercase() {
                words.push(Vec::new());
            }
            if is_letter {
                words.last_mut().unwrap().push(byte.to_ascii_lowercase());
            }
            after_lower = byte.is_ascii_lowercase();
        }
        words.retain(|word| word.len() > 1);
        for word in &mut words {
            word.truncate(MAX_WORD_BYTES);
            let valid = std::str::from_utf8(word).map_or_else(|error| error.valid_up_to(), |_| word.len());
            word.truncate(valid);
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn words_had_by_masks_are_those_of_the_plain_loop() {
        const BYTES: &[u8] = b"abzAZ-_ @[`{09\x00\xC3\xA9\xFFyMmq";
        let mut state = 1u64;
        let mut random = |most: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % most
        };
        for round in 0..20_000 {
            let len = random(200);
            // Some of long words, others of short ones.
            let letters = if round % 2 == 0 { BYTES.len() } else { 3 };
            let bytes: Vec<u8> =
                (0..len).map(|_| BYTES[if random(40) == 0 { random(BYTES.len()) } else { random(letters) }]).collect();
            for vectors in Vectors::available() {
                assert_eq!(words_by(vectors, &bytes), plain_words(&bytes), "{vectors:?} {bytes:?}");
            }
        }
    }
}
