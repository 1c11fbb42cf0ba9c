//! Writes TeX so that none of its signs is markup to a reader of Markdown, who may know no formulas.

use std::borrow::Cow;

use super::escape::{at_line, is_reference};

/// TeX that says the same without links, HTML, code, and lines that would begin blocks. The first line is looked at only
/// if it stands in a line of its own.
pub(super) fn without_markup(tex: &str, has_own_lines: bool) -> Cow<'_, str> {
    if !has_own_lines && !tex.contains(['<', '`', '&', ']', '\n']) {
        return Cow::Borrowed(tex);
    }
    let mut out = String::with_capacity(tex.len());
    // An empty line would end the paragraph, and TeX has none in a formula.
    for line in tex.split('\n').filter(|line| !line.trim().is_empty()) {
        let is_first = out.is_empty();
        if !is_first {
            out.push('\n');
        }
        if (has_own_lines || !is_first) && starts_block(line.trim_start()) {
            // An empty group, which shows nothing.
            out.push_str("{}");
        }
        push_line(line, &mut out);
    }
    Cow::Owned(out)
}

fn push_line(line: &str, out: &mut String) {
    for (at, c) in line.char_indices() {
        let rest = line.get(at + c.len_utf8()..).unwrap_or_default();
        let next = rest.chars().next();
        if c == '`' && out.bytes().rev().take_while(|byte| *byte == b'\\').count().is_multiple_of(2) {
            out.push('\\');
        }
        out.push(c);
        // In formulas a space says nothing.
        let is_markup = match c {
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            ']' => next == Some('('),
            '&' => is_reference(rest),
            _ => false,
        };
        if is_markup {
            out.push(' ');
        }
        if c == '[' && is_note(rest) {
            out.push_str("{}");
        }
    }
}

/// Returns whether the text after a bracket makes it the mark of a note.
fn is_note(rest: &str) -> bool {
    const MAX_LABEL_BYTES: usize = 12;
    let label = rest.strip_prefix('^').unwrap_or_default();
    let len = label.bytes().take(MAX_LABEL_BYTES).take_while(u8::is_ascii_alphanumeric).count();
    len > 0 && label.as_bytes().get(len) == Some(&b']')
}

/// Returns whether a line would begin a block, or be a rule.
fn starts_block(line: &str) -> bool {
    let mut chars = line.chars();
    let Some(first) = chars.next() else { return false };
    let rest = chars.as_str();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_rule = || line.chars().all(|c| c == first || c.is_whitespace());
    match first {
        '0'..='9' => line.get(digits..).is_some_and(|behind| behind.starts_with(['.', ')'])),
        '*' | '_' | '-' if is_rule() => true,
        '~' => rest.starts_with("~~"),
        // No definition of an address can stand within a paragraph.
        '[' => false,
        _ => at_line(first, 0, 0, line, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_hold_no_markup() {
        for (tex, expected) in [
            ("a_1 < b", "a_1 < b"),
            ("[x](javascript:1) <img>", "[x] (javascript:1) < img>"),
            ("a & b &lt; c `x` [^1] [^\\circ]", "a & b & lt; c \\`x\\` [{}^1] [^\\circ]"),
            (
                "a\n\n# b\n- c\n-c\n===\n1. d\n~~~\n  > e\n* * *",
                "a\n{}# b\n{}- c\n-c\n{}===\n{}1. d\n{}~~~\n{}  > e\n{}* * *",
            ),
        ] {
            assert_eq!(without_markup(tex, false), expected, "{tex}");
        }
        assert_eq!((&*without_markup("# a", false), &*without_markup("# a", true)), ("# a", "{}# a"));
    }
}
