//! Finds the end of text without markup: raw text, scripts, comments (HTML standard, 13.2.5).

use crate::markup::lex::is_space;

/// Index of the `<` of the end tag of that name in `bytes`, from `at` on: the end of raw text.
pub(super) fn end_of_raw(bytes: &[u8], at: usize, name: &str) -> Option<usize> {
    let rest = bytes.get(at..)?;
    memchr::memchr_iter(b'<', rest).find(|lt| is_end_tag(rest.get(*lt..).unwrap_or_default(), name)).map(|lt| at + lt)
}

/// Returns whether an end tag of that name begins at the start of `bytes`.
fn is_end_tag(bytes: &[u8], name: &str) -> bool {
    let Some((b"</", rest)) = bytes.split_at_checked(2) else { return false };
    is_word(rest, name)
}

/// Returns whether a name stands at the start of `bytes` and ends there.
fn is_word(bytes: &[u8], name: &str) -> bool {
    bytes.split_at_checked(name.len()).is_some_and(|(start, rest)| {
        start.eq_ignore_ascii_case(name.as_bytes())
            && rest.first().is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
    })
}

/// The state of reading a script: inside `<!--` a second `<script>` hides its end tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptState {
    Plain,
    Escaped,
    DoubleEscaped,
}

/// Index of the `<` of the end tag of a script whose text begins at `at`.
pub(super) fn end_of_script(bytes: &[u8], at: usize) -> Option<usize> {
    let mut state = ScriptState::Plain;
    let mut at = at;
    loop {
        let rest = bytes.get(at..)?;
        if state == ScriptState::Plain {
            at += memchr::memchr(b'<', rest)?;
            let rest = bytes.get(at..)?;
            if is_end_tag(rest, "script") {
                return Some(at);
            }
            at += 1;
            if rest.starts_with(b"<!--") {
                at += 3;
                // `<!-->` ends the escape that it begins.
                (state, at) = after_dashes(bytes, at, ScriptState::Escaped);
            }
            continue;
        }
        at += memchr::memchr2(b'<', b'-', rest)?;
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"--") {
            (state, at) = after_dashes(bytes, at + 2, state);
        } else if rest.starts_with(b"<") {
            let (escaped, other, tag) = match state {
                ScriptState::DoubleEscaped => (ScriptState::DoubleEscaped, ScriptState::Escaped, 2),
                _ => (ScriptState::Escaped, ScriptState::DoubleEscaped, 1),
            };
            if state == ScriptState::Escaped && is_end_tag(rest, "script") {
                return Some(at);
            }
            let opens = rest.get(1) == Some(&b'/');
            at += 1;
            state = escaped;
            if opens == (tag == 2) && is_word(rest.get(tag..).unwrap_or_default(), "script") {
                state = other;
                at += tag - 1 + "script".len() + 1;
            }
        } else {
            at += 1;
        }
    }
}

/// State and place behind `--` and further dashes: `>` ends the escape.
fn after_dashes(bytes: &[u8], at: usize, state: ScriptState) -> (ScriptState, usize) {
    let rest = bytes.get(at..).unwrap_or_default();
    let dashes = rest.iter().take_while(|&&byte| byte == b'-').count();
    match rest.get(dashes) {
        Some(b'>') => (ScriptState::Plain, at + dashes + 1),
        _ => (state, at + dashes),
    }
}

/// One past the `>` of a comment whose text begins at `at`, directly after `<!--`.
pub(super) fn end_of_comment(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b">") {
        return Some(at + 1);
    }
    if rest.starts_with(b"->") {
        return Some(at + 2);
    }
    memchr::memchr_iter(b'>', rest)
        // A comment also ends at `--!>`; `<!-->` and `<!--->`, above, are whole comments.
        .find(|gt| rest.get(..*gt).is_some_and(|text| text.ends_with(b"--") || text.ends_with(b"--!")))
        .map(|gt| at + gt + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_text_ends_with_its_own_end_tag() {
        let end = |text: &str| end_of_raw(text.as_bytes(), 0, "style");
        assert_eq!(end("a</styl></styles></STYLE >"), Some(17));
        assert_eq!(end("</style/>"), Some(0));
        assert_eq!(end("</style"), None);
    }

    #[test]
    fn a_script_in_a_comment_in_a_script_hides_its_end() {
        let end = |text: &str| end_of_script(text.as_bytes(), 0);
        assert_eq!(end("a<b</script>"), Some(3));
        assert_eq!(end("<!--</script>"), Some(4));
        assert_eq!(end("<!--<script></script></script>"), Some(21));
        assert_eq!(end("<!--<script>--></script>"), Some(15));
        assert_eq!(end("<!--<scripts></script>"), Some(13));
        assert_eq!(end("<!-- --><script></script>"), Some(16));
        assert_eq!(end("<!--<script></script"), None);
    }

    #[test]
    fn comments_end_as_in_the_standard() {
        let end = |text: &str| end_of_comment(text.as_bytes(), 0);
        assert_eq!(end(">x"), Some(1));
        assert_eq!(end("->x"), Some(2));
        assert_eq!(end("-->x"), Some(3));
        assert_eq!(end("a-> --!>x"), Some(8));
        assert_eq!(end("!> -- >"), None);
    }
}
