//! Splitting attribute values into tokens.

use trommel_text::{EMPTY_HASH, hash_step};

/// Longest token in bytes; longer ones are machine-made and cut.
const LONGEST: usize = 40;

/// Gives each token of an attribute value in lower case with its [`hash`](crate::hash): runs of
/// letters, split where lower case turns to upper (`postTitle` gives `post`, `title`), two bytes or
/// longer. The value is text, which may be cut inside its last character; tokens are text.
pub(crate) fn split(value: &[u8], mut give: impl FnMut(&[u8], u64)) {
    let mut token = [0u8; LONGEST];
    let mut len = 0;
    let mut hash = EMPTY_HASH;
    let mut is_wide = false;
    let mut after_lower = false;
    let mut end = |token: &[u8], hash: u64, is_wide: bool| match token {
        [] | [_] => {}
        // A cut inside a character leaves a tail that is no text.
        token if is_wide => {
            let valid = match std::str::from_utf8(token) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            match token.get(..valid) {
                Some([]) | None => {}
                Some(valid) => give(valid, trommel_text::hash(valid)),
            }
        }
        token => give(token, hash),
    };
    for &byte in value {
        let class = LETTERS[usize::from(byte)];
        if class & LETTER == 0 || (after_lower && class & UPPER != 0) {
            end(token.get(..len).unwrap_or_default(), hash, is_wide);
            (len, hash, is_wide) = (0, EMPTY_HASH, false);
        }
        if class & LETTER != 0
            && let Some(slot) = token.get_mut(len)
        {
            *slot = byte | (class & UPPER);
            hash = hash_step(hash, *slot);
            is_wide |= byte >= 0x80;
            len += 1;
        }
        after_lower = class & LOWER != 0;
    }
    end(token.get(..len).unwrap_or_default(), hash, is_wide);
}

const LETTER: u8 = 1;
const LOWER: u8 = 2;
/// Also the bit that makes an upper case letter a lower case one.
const UPPER: u8 = 0x20;

/// What each byte is in a token; bytes beyond ASCII are letters without case.
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

    fn tokens(value: &str) -> Vec<String> {
        let mut out = Vec::new();
        split(value.as_bytes(), |token, own| {
            assert_eq!(own, hash(token));
            out.push(str::from_utf8(token).unwrap().to_owned());
        });
        out
    }

    #[test]
    fn splits_at_punctuation_digits_and_camel_case() {
        assert_eq!(
            tokens("post-title_main col2right"),
            ["post", "title", "main", "col", "right"]
        );
        assert_eq!(
            tokens("postTitle HTMLBody x"),
            ["post", "title", "htmlbody"]
        );
        assert_eq!(tokens("größe"), ["größe"]);
        assert!(tokens("a 1 -").is_empty());
    }

    #[test]
    fn long_tokens_are_cut_at_a_character() {
        let long = tokens(&"ä".repeat(50));
        assert_eq!(long, ["ä".repeat(20)]);
        assert_eq!(
            tokens(&format!("x{}", "ä".repeat(50))),
            [format!("x{}", "ä".repeat(19))]
        );
    }
}
