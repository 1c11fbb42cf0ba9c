//! Splitting attribute values into words.

use trommel_text::{EMPTY_HASH, hash_step};

/// Bytes of a word; longer ones are machine-made and cut.
const MAX_WORD_BYTES: usize = 40;

/// Gives each word of an attribute value in lower case with its [`hash`](trommel_text::hash()): runs of
/// letters, split where lower case turns to upper (`postTitle` gives `post`, `title`), two bytes or
/// longer. The value is text, which may be cut inside its last character; words are text.
pub(crate) fn split(value: &[u8], mut give: impl FnMut(&[u8], u64)) {
    let mut word = [0u8; MAX_WORD_BYTES];
    let mut len = 0;
    let mut hash = EMPTY_HASH;
    let mut is_wide = false;
    let mut after_lower = false;
    let mut end = |word: &[u8], hash: u64, is_wide: bool| match word {
        [] | [_] => {}
        // A cut inside a character leaves a tail that is no text.
        word if is_wide => {
            let valid = match std::str::from_utf8(word) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            match word.get(..valid) {
                Some([]) | None => {}
                Some(valid) => give(valid, trommel_text::hash(valid)),
            }
        }
        word => give(word, hash),
    };
    for &byte in value {
        let class = LETTERS[usize::from(byte)];
        if class & LETTER == 0 || (after_lower && class & UPPER != 0) {
            end(word.get(..len).unwrap_or_default(), hash, is_wide);
            (len, hash, is_wide) = (0, EMPTY_HASH, false);
        }
        if class & LETTER != 0
            && let Some(slot) = word.get_mut(len)
        {
            *slot = byte | (class & UPPER);
            hash = hash_step(hash, *slot);
            is_wide |= byte >= 0x80;
            len += 1;
        }
        after_lower = class & LOWER != 0;
    }
    end(word.get(..len).unwrap_or_default(), hash, is_wide);
}

const LETTER: u8 = 1;
const LOWER: u8 = 2;
/// Also the bit that makes an upper case letter a lower case one.
const UPPER: u8 = 0x20;

/// What each byte is in a word; bytes beyond ASCII are letters without case.
const LETTERS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b >= 0x80 {
            class[byte] = LETTER;
        } else if b.is_ascii_lowercase() {
            class[byte] = LETTER | LOWER;
        } else if b.is_ascii_uppercase() {
            class[byte] = LETTER | UPPER;
        }
        byte += 1;
    }
    class
};

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_text::hash;

    fn words(value: &str) -> Vec<String> {
        let mut out = Vec::new();
        split(value.as_bytes(), |word, own| {
            assert_eq!(own, hash(word));
            out.push(str::from_utf8(word).unwrap().to_owned());
        });
        out
    }

    #[test]
    fn splits_at_punctuation_digits_and_camel_case() {
        assert_eq!(
            words("post-title_main col2right"),
            ["post", "title", "main", "col", "right"]
        );
        assert_eq!(words("postTitle HTMLBody x"), ["post", "title", "htmlbody"]);
        assert_eq!(words("größe"), ["größe"]);
        assert!(words("a 1 -").is_empty());
    }

    #[test]
    fn long_tokens_are_cut_at_a_character() {
        let long = words(&"ä".repeat(50));
        assert_eq!(long, ["ä".repeat(20)]);
        assert_eq!(
            words(&format!("x{}", "ä".repeat(50))),
            [format!("x{}", "ä".repeat(19))]
        );
    }
}
