//! Lexes markup, and extracts plain text from strings that may hold markup, such as those of JSON-LD.

pub(crate) mod fast_lexer;
pub(crate) mod lexer;
mod tag;

use trommel_text::{NoSigns, plain_run, vectors::Vectors};

use crate::markup::lexer::{Markup, markup};

pub use tag::Tag;
pub(crate) use tag::{Traits, by_tag};

/// Maximum number of bytes of a tag's name that are examined.
// A bound, so that a text full of `<` costs no more than its length.
const MAX_NAME_BYTES: usize = 40;

/// Returns the plain text of a string that may hold markup, with a line break at each block-level tag or line end.
/// Tags and comments are dropped, and white space is folded. Character references are decoded, also where the markup
/// was escaped as a whole. Time is linear in the length.
pub fn strip_markup(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return lines(text);
    }
    let once = strip(text);
    // Feeds and shop systems escape the markup of descriptions as a whole. A tag beside it shows that they did not.
    if !text.contains('<') && (once.contains("</") || once.contains("<br")) {
        // All of the markup was escaped.
        lines(&strip(&once))
    } else if text.contains("&amp;") {
        // `&amp;amp;`: escaped once too often.
        lines(&htmlize::unescape(once))
    } else {
        lines(&once)
    }
}

/// Folds each run of white space, line ends included, to a single space and trims the text.
pub fn fold_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Folds the white space in each line of a text, and drops empty lines.
fn lines(text: &str) -> String {
    let vectors = Vectors::default();
    let mut out = String::with_capacity(text.len());
    // What stands between the last character and the next.
    let mut between = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run = plain_run(vectors, rest.as_bytes(), true, NoSigns);
        let (part, behind) = rest.split_at_checked(run.max(c.len_utf8())).unwrap_or((rest, ""));
        rest = behind;
        if run == 0 && c.is_whitespace() {
            let is_line = matches!(c, '\n' | '\r') || between == Some('\n');
            between = Some(if is_line { '\n' } else { ' ' });
            continue;
        }
        let between = between.take().filter(|_| !out.is_empty());
        out.extend(between);
        out.push_str(part);
    }
    out
}

/// Drops the tags and comments of a text and decodes its character references once.
fn strip(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let mut at = 0;
    let mut skip: Option<Tag> = None;
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        let open = at + found;
        let rest = bytes.get(open..).unwrap_or_default();
        let (end, tag, is_end) = if rest.starts_with(b"<!--") {
            let len = memchr::memmem::find(rest, b"-->").map_or(rest.len(), |at| at + 3);
            (open + len, None, false)
        } else if !is_html(rest) {
            at = open + 1;
            continue;
        } else {
            match markup(bytes, open) {
                Markup::Tag(raw) => {
                    let name = bytes.get(raw.name.0..raw.name.1).unwrap_or_default();
                    (raw.end, Some(Tag::from_name(name)), raw.is_end)
                }
                Markup::Skip(end) => (end, None, false),
                Markup::Cut { .. } => break,
            }
        };
        if skip.is_none() {
            decode(text.get(from..open).unwrap_or_default(), &mut out);
        }
        match (skip, tag) {
            (Some(open), Some(tag)) if is_end && tag == open => skip = None,
            // Their content is no text, and may hold anything that looks like a tag.
            (None, Some(tag @ (Tag::Script | Tag::Style))) if !is_end => skip = Some(tag),
            (None, Some(tag)) if tag == Tag::Br || !tag.is_inline() => out.push('\n'),
            _ => {}
        }
        from = end;
        at = end;
    }
    if skip.is_none() {
        decode(text.get(from..).unwrap_or_default(), &mut out);
    }
    out
}

/// Returns whether the `<` at the start of `rest` begins a tag of HTML, of a custom element or of another vocabulary
/// (`o:p`), by its name. Text such as `a < b` or `List<String>` begins none.
fn is_html(rest: &[u8]) -> bool {
    let rest = rest.get(1..).unwrap_or_default();
    let name = rest.strip_prefix(b"/").unwrap_or(rest);
    let len = name
        .iter()
        .take(MAX_NAME_BYTES)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'))
        .count();
    let name = name.get(..len).unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && (Tag::from_name(name) != Tag::Other || name.iter().any(|byte| matches!(byte, b'-' | b':')))
}

fn decode(text: &str, out: &mut String) {
    if memchr::memchr(b'&', text.as_bytes()).is_some() {
        out.push_str(&htmlize::unescape(text));
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_lines() {
        assert_eq!(
            strip_markup("<p>One <b>t</b>wo</p>\n\n<p>three<br/>four</p><!-- x --><ul><li>five</ul>"),
            "One two\nthree\nfour\nfive"
        );
        assert_eq!(strip_markup("a<script>b < c</script>d<style>e</style>"), "ad");
        assert_eq!(strip_markup("  one\r\n  two   three "), "one\ntwo three");
    }

    #[test]
    fn escaped_markup_is_markup() {
        assert_eq!(strip_markup("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;A &amp;amp; B&amp;nbsp;C"), "One\nA & B C");
        assert_eq!(strip_markup("Q&amp;amp;A"), "Q&A");
    }

    #[test]
    fn what_is_no_markup_stays() {
        assert_eq!(strip_markup("a < b && c > d <3"), "a < b && c > d <3");
        assert_eq!(strip_markup("List<String> and <o-p>x</o-p>"), "List<String> and\nx");
        assert_eq!(strip_markup("open <a href="), "open <a href=");
    }

    #[test]
    fn stripping_takes_linear_time() {
        for piece in ["<x ", "<b ", "<!", "<!--", "</", "<a '", "&amp;lt;", "<script>"] {
            let text = piece.repeat(200_000);
            assert!(strip_markup(&text).len() <= text.len(), "{piece}");
        }
    }

    #[test]
    fn folding_joins_lines() {
        assert_eq!(fold_space(" a \n b\u{a0}c "), "a b c");
    }

    #[test]
    fn lines_are_folded_as_word_by_word() {
        let plainly = |text: &str| {
            let lines = text.split(['\n', '\r']).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        };
        const CHARACTERS: [char; 14] =
            ['a', 'b', ' ', ' ', '\n', '\r', '\t', '\u{b}', '\u{a0}', '\u{200b}', '\u{2028}', '\u{1}', 'é', '磨'];
        let mut state = 1u64;
        for length in 0..4_000 {
            let text: String = (0..length % 150)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    CHARACTERS[(state >> 33) as usize % if length % 2 == 0 { CHARACTERS.len() } else { 4 }]
                })
                .collect();
            assert_eq!(lines(&text), plainly(&text), "{text:?}");
        }
    }
}
