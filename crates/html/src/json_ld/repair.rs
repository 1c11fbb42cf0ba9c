//! Parses the scripts of JSON-LD, and repairs broken ones.
//!
//! Scripts on the web are often broken. They are parsed first unchanged, then repaired. A script that cannot be
//! repaired gives the values before its fault.

use std::borrow::Cow;

use serde_json::{Deserializer, Value};

/// Returns the JSON values of a script, which may hold several, up to the first fault that cannot be repaired.
pub(super) fn values(script: &str) -> Vec<Value> {
    // Nearly all scripts are sound, so they pay for no repair.
    let (values, whole) = read(script);
    if whole {
        return values;
    }
    let (mended, _) = read(&mend(&unescape(script)));
    // Mending guesses; where it reads less than the script as it stands, its guess was wrong.
    if mended.len() < values.len() { values } else { mended }
}

/// Parses the JSON values in a text up to the first fault; returns them and true if there is no fault.
fn read(text: &str) -> (Vec<Value>, bool) {
    let mut values = Vec::new();
    for value in Deserializer::from_str(text).into_iter() {
        match value {
            Ok(value) => values.push(value),
            Err(_) => return (values, false),
        }
    }
    (values, true)
}

/// Returns a script with its character references decoded if its quotes are written as references, or else unchanged.
fn unescape(script: &str) -> Cow<'_, str> {
    let start = script.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '['));
    // Only if the first quote is escaped: elsewhere references are part of a text that holds markup.
    if ["&quot;", "&#34;", "&#x22;", "&#034;"].iter().any(|quote| start.starts_with(quote)) {
        htmlize::unescape(script)
    } else {
        Cow::Borrowed(script)
    }
}

/// Rewrites a script as JSON: drops comments, CDATA marks, semicolons and spare commas; escapes control characters and
/// quotes that end no string; drops the backslash of unknown escapes.
fn mend(script: &str) -> String {
    let mut out = String::with_capacity(script.len() + script.len() / 16);
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '"' => {
                let len = string(after, &mut out);
                rest = after.get(len..).unwrap_or_default();
                continue;
            }
            '<' | '-' | ']' | '/' if mark(rest) > 0 => {
                rest = rest.get(mark(rest)..).unwrap_or_default();
                continue;
            }
            ',' if ends_with(&out, &[',', '[', '{']) => {}
            '}' | ']' => {
                if ends_with(&out, &[',']) {
                    out.truncate(out.trim_end().len() - 1);
                }
                out.push(c);
            }
            ';' | '\u{feff}' => {}
            c if c.is_control() || c.is_whitespace() => {
                // One space at most, so that looking back over it is cheap.
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
        rest = after;
    }
    if ends_with(&out, &[',']) {
        out.truncate(out.trim_end().len() - 1);
    }
    out
}

fn ends_with(out: &str, ends: &[char]) -> bool {
    out.trim_end().ends_with(ends)
}

/// Returns the length in bytes of the comment or CDATA mark at the start of `rest`; 0 if there is none.
fn mark(rest: &str) -> usize {
    for mark in ["<!--", "-->", "<![CDATA[", "]]>"] {
        if rest.starts_with(mark) {
            return mark.len();
        }
    }
    let until =
        |end: &str| memchr::memmem::find(rest.as_bytes(), end.as_bytes()).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("/*") {
        return until("*/");
    }
    let Some(line) = rest.strip_prefix("//") else { return 0 };
    let text = line.trim_start_matches([' ', '\t']);
    if ["<![CDATA[", "]]>", "<!--", "-->"].iter().any(|mark| text.starts_with(mark)) { 2 } else { until("\n") }
}

/// Writes the string whose opening quote is directly before `text` to `out` as JSON; returns its length in bytes in
/// `text`, with the closing quote.
fn string(text: &str, out: &mut String) -> usize {
    out.push('"');
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            // Authors write quotes into texts without escaping them; what follows tells which kind a quote is.
            '"' if closes(rest) => {
                out.push('"');
                return at + 1;
            }
            '"' => out.push_str("\\\""),
            // JSON knows few escapes; others (`\'`, `\-`) come from scripts of servers.
            '\\' => match rest.chars().next() {
                Some(next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
                    out.push('\\');
                    out.push(next);
                    chars.next();
                }
                Some('u') if is_hex(rest.get(1..5)) => out.push('\\'),
                _ => {}
            },
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    text.len()
}

fn is_hex(digits: Option<&str>) -> bool {
    digits.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Returns whether the quote directly before `rest` ends its string; otherwise it is an unescaped quote inside of the
/// string.
fn closes(rest: &str) -> bool {
    let rest = rest.trim_start();
    let mut chars = rest.chars();
    match chars.next() {
        None | Some(':' | '}' | ']' | ';') => true,
        Some(',') => match chars.as_str().trim_start().chars().next() {
            None => true,
            Some(c) => matches!(c, '"' | '{' | '[' | '}' | ']' | '-' | ',') || c.is_ascii_digit(),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sound_scripts_are_taken_as_they_stand() {
        assert_eq!(values(" {\"a\": 1}\n"), [json!({"a": 1})]);
        assert_eq!(values("{\"a\":1}{\"b\":2} []"), [json!({"a": 1}), json!({"b": 2}), json!([])]);
        assert!(values("").is_empty());
    }

    #[test]
    fn marks_commas_and_semicolons_are_dropped() {
        let sound = [json!({"a": [1, 2], "b": "x"})];
        for script in [
            "<!-- {\"a\":[1,2],\"b\":\"x\"} -->",
            "//<![CDATA[\n{\"a\":[1,2],\"b\":\"x\"}\n//]]>",
            "<![CDATA[{\"a\":[1,2],\"b\":\"x\"}]]>",
            "/* <![CDATA[ */ {\"a\":[1,2],\"b\":\"x\"} /* ]]> */",
            "{\"a\":[1,2,],\"b\":\"x\",\n}",
            "{\"a\":[1,,2],,\"b\":\"x\"};",
            "\u{feff}{\"a\":[1,2], // two\n\"b\":\"x\"},",
            "{&quot;a&quot;:[1,2],&quot;b&quot;:&quot;x&quot;}",
        ] {
            assert_eq!(values(script), sound, "{script}");
        }
    }

    #[test]
    fn strings_are_mended() {
        assert_eq!(
            values("{\"a\":\"one\ntwo\tthree \\'four\\' \\x \\u00e9 \\uzz\"}"),
            [json!({"a": "one\ntwo three 'four' x é uzz"})]
        );
        assert_eq!(
            values("{\"a\":\"he said \"no\", and \"yes\".\",\"b\":\"c\"}"),
            [json!({"a": "he said \"no\", and \"yes\".", "b": "c"})]
        );
    }

    #[test]
    fn what_stands_before_a_fault_is_kept() {
        assert_eq!(values("{\"a\":1} {\"b\": oops}"), [json!({"a": 1})]);
        assert!(values("{\"a\": {{ template }} }").is_empty());
        assert!(values("var x = 1;").is_empty());
    }

    #[test]
    fn repair_takes_linear_time() {
        for piece in ["\" ", ", ", "/*", "//", "<!--", "\\", "[,"] {
            let script = format!("{{{}", piece.repeat(200_000));
            assert!(values(&script).is_empty(), "{piece}");
        }
    }
}
