//! Reads the lines of gold files, also those with values that are none of JSON.

use serde_json::{Error, Value};

use crate::pages::Gold;

/// Keys of texts.
const TEXTS: [&str; 2] = ["gold", "gold_comments"];
/// Numbers that some programs write, and JSON does not know.
const NO_NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];

/// The gold object of a line, and whether anything in it that is no text was taken for an absent one.
///
/// # Errors
/// If the line is no gold object.
pub(crate) fn gold_of(line: &str) -> Result<(Gold, bool), Error> {
    let (mut value, mut is_mended): (Value, bool) = match serde_json::from_str(line) {
        Ok(value) => (value, false),
        Err(error) => match without_no_numbers(line) {
            Some(line) => (serde_json::from_str(&line)?, true),
            None => return Err(error),
        },
    };
    for key in TEXTS {
        if let Some(text) = value.get_mut(key)
            && !matches!(text, Value::String(_) | Value::Null)
        {
            *text = Value::Null;
            is_mended = true;
        }
    }
    Ok((serde_json::from_value(value)?, is_mended))
}

/// The line with `null` in the place of numbers that are none; nothing if there are none.
fn without_no_numbers(line: &str) -> Option<String> {
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    let (mut is_text, mut is_found) = (false, false);
    while let Some(c) = rest.chars().next() {
        let word = NO_NUMBERS.iter().find(|word| !is_text && rest.starts_with(**word));
        let taken = match (word, c) {
            (Some(word), _) => {
                out.push_str("null");
                is_found = true;
                rest = rest.get(word.len()..)?;
                continue;
            }
            // Whatever is escaped ends no text.
            (None, '\\') => c.len_utf8() + rest.get(1..)?.chars().next().map_or(0, char::len_utf8),
            (None, _) => c.len_utf8(),
        };
        is_text ^= c == '"';
        let (part, behind) = rest.split_at_checked(taken)?;
        out.push_str(part);
        rest = behind;
    }
    is_found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_absent() {
        let gold = |line: &str| gold_of(line).map(|(gold, is_mended)| (gold.gold, is_mended)).ok();
        assert_eq!(gold(r#"{"record_id": "a", "gold": "NaN \" NaN"}"#), Some((Some("NaN \" NaN".into()), false)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": NaN}"#), Some((None, true)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": 5}"#), Some((None, true)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": "\\", "date": -Infinity}"#), Some((Some("\\".into()), true)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": null}"#), Some((None, false)));
        for wrong in [r#"{"record_id": NaN}"#, r#"{"record_id": "a" NaN"#, "{", r#"{"a": "\"#] {
            assert!(gold(wrong).is_none(), "{wrong}");
        }
    }
}
