//! Splitting attribute values into tokens.

/// Longest token in bytes; longer ones are machine-made and cut.
const LONGEST: usize = 40;

/// Gives each token of an attribute value in lower case: runs of letters, split where lower case
/// turns to upper (`postTitle` gives `post`, `title`), two bytes or longer.
pub(crate) fn split(value: &[u8], mut give: impl FnMut(&str)) {
    let mut token = [0u8; LONGEST];
    let mut len = 0;
    let mut after_lower = false;
    let mut end = |token: &[u8]| {
        if token.len() > 1 {
            // A cut inside a character leaves a tail that is no UTF-8: keep what is.
            let text = match std::str::from_utf8(token) {
                Ok(text) => text,
                Err(error) => token
                    .get(..error.valid_up_to())
                    .and_then(|valid| std::str::from_utf8(valid).ok())
                    .unwrap_or_default(),
            };
            if !text.is_empty() {
                give(text);
            }
        }
    };
    for &byte in value {
        let letter = byte.is_ascii_alphabetic() || byte >= 0x80;
        if !letter || (after_lower && byte.is_ascii_uppercase()) {
            end(token.get(..len).unwrap_or_default());
            len = 0;
        }
        if letter && let Some(slot) = token.get_mut(len) {
            *slot = byte.to_ascii_lowercase();
            len += 1;
        }
        after_lower = byte.is_ascii_lowercase();
    }
    end(token.get(..len).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(value: &str) -> Vec<String> {
        let mut out = Vec::new();
        split(value.as_bytes(), |token| out.push(token.to_owned()));
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
