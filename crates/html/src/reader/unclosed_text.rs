//! Finds the end of text without markup (raw text, scripts, comments), even if it is never closed.
//!
//! After a script, comment or quote that is never closed a browser loses the rest of the page. This reader continues at
//! the first place that looks like markup of the page, and drops the part before it. If a page was cut inside a script,
//! its source must not become text. Therefore markup in strings, templates and comments of a script does not count,
//! unless the last tag shows that the page is whole.

use crate::{markup::Tag, markup::lexer::is_space};

/// Kind of markup, such as an element or comment, that is still open at the end of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnclosedMarkup {
    /// Script or style sheet without an end tag.
    Code(Tag),
    /// `template` without an end tag, or an unclosed script of an unknown type, because such scripts hold templates.
    Template(Tag),
    /// Other element that holds text only, such as `title`, without an end tag.
    Text(Tag),
    Comment,
    /// CDATA section, in svg or math, without an end.
    Cdata,
    /// `title` or `desc` of an svg without an end tag.
    SvgName,
    /// Quoted value of an attribute without a closing quote.
    Quote,
}

impl UnclosedMarkup {
    /// Returns the kind of an element whose end tag is missing; `None` if the text after it is shown or read anyway
    /// (`xmp`). `kind` is the `type` of a script.
    pub fn of(tag: Tag, kind: Option<&[u8]>) -> Option<Self> {
        match tag {
            Tag::Script if !kind.is_none_or(is_code) => Some(UnclosedMarkup::Template(tag)),
            Tag::Script | Tag::Style => Some(UnclosedMarkup::Code(tag)),
            Tag::Textarea | Tag::Title | Tag::Iframe | Tag::Noembed | Tag::Noframes => Some(UnclosedMarkup::Text(tag)),
            _ => None,
        }
    }

    /// Returns the kind of an open `template`, or of an svg with an open `title` or `desc`.
    pub fn skipped(tag: Tag) -> Self {
        match tag {
            Tag::Svg => UnclosedMarkup::SvgName,
            tag => UnclosedMarkup::Template(tag),
        }
    }

    /// Returns the tag of the open element; `None` for other markup.
    pub fn tag(self) -> Option<Tag> {
        match self {
            UnclosedMarkup::Code(tag) | UnclosedMarkup::Template(tag) | UnclosedMarkup::Text(tag) => Some(tag),
            UnclosedMarkup::Comment | UnclosedMarkup::Cdata | UnclosedMarkup::SvgName | UnclosedMarkup::Quote => None,
        }
    }
}

/// Returns whether the `type` of a script names code or data, and not a template.
fn is_code(kind: &[u8]) -> bool {
    let kind = kind.trim_ascii();
    let has = |known: &[u8]| {
        let mut parts = kind.windows(known.len());
        parts.any(|part| part.eq_ignore_ascii_case(known))
    };
    kind.is_empty() || has(b"script") || has(b"json") || has(b"module")
}

/// State of reading a page again in which an element never ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Recovery {
    /// Elements, comments and CDATA sections known to have no end in the rest of the page, so that their ends are not
    /// searched again.
    // Each kind is searched for its end once. A page full of unclosed scripts would else be quadratic.
    endless: Vec<UnclosedMarkup>,
    /// True if reading may continue at tags inside strings and comments of scripts, too.
    anywhere: bool,
}

impl Recovery {
    /// Returns whether markup of this kind is known to have no end in the rest of the page.
    pub fn is_endless(&self, unclosed: UnclosedMarkup) -> bool {
        self.endless.iter().any(|known| *known == unclosed || known.tag().is_some() && known.tag() == unclosed.tag())
    }

    /// Records that markup of this kind has no end in the rest of the page.
    pub fn note_endless(&mut self, unclosed: UnclosedMarkup) {
        if !self.is_endless(unclosed) {
            self.endless.push(unclosed);
        }
    }

    /// Returns the byte in `rest`, the text after the start of the unclosed markup, at which reading continues; `None`
    /// if the rest of the page is dropped.
    pub fn resume(&mut self, unclosed: UnclosedMarkup, rest: &str) -> Option<usize> {
        if unclosed != UnclosedMarkup::Template(Tag::Template) {
            // Templates nest: that one is open to the end does not mean that none inside it ends.
            self.note_endless(unclosed);
        }
        let bytes = rest.as_bytes();
        let code = match unclosed {
            UnclosedMarkup::Code(tag) => {
                !self.anywhere && {
                    if let Some(at) = markup_outside_strings(bytes, tag == Tag::Script) {
                        return Some(at);
                    }
                    true
                }
            }
            UnclosedMarkup::Template(_) => !self.anywhere,
            _ => false,
        };
        // The crawler cut the page inside of the script: what is left is source, not a page.
        if code && !ends_page(bytes) {
            return None;
        }
        // From here on no script is trusted to have an end, so its strings are not skipped again.
        self.anywhere |= code;
        memchr::memchr_iter(b'<', bytes).find(|at| is_markup(bytes, *at))
    }
}

/// Returns whether the page ends with `</html>` or `</body>`.
fn ends_page(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_end();
    let tail = bytes.get(bytes.len().saturating_sub(7)..).unwrap_or_default();
    tail.eq_ignore_ascii_case(b"</html>") || tail.eq_ignore_ascii_case(b"</body>")
}

/// Returns whether the `<` at `at` begins a tag of a page: of a block-level element, or of an element of the head.
fn is_markup(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at + 1..).unwrap_or_default();
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    // The longest names of block-level elements have ten letters; one more byte shows that a name ends.
    let len = rest.iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let ends = rest.get(len).is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    let tag = Tag::from_name(rest.get(..len).unwrap_or_default());
    ends && tag != Tag::Other
        && (!tag.is_inline()
            || matches!(tag, Tag::Meta | Tag::Link | Tag::Base | Tag::Script | Tag::Style | Tag::Template))
}

/// Returns the index of the first markup in a script or style sheet that is outside of its strings and comments.
fn markup_outside_strings(bytes: &[u8], script: bool) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'<' if is_markup(bytes, start) => return Some(start),
            // Strings of one line: an apostrophe in a comment or a regular expression must not swallow the rest.
            b'"' | b'\'' => at = end_of_string(bytes, at, byte, true),
            b'`' if script => at = end_of_string(bytes, at, byte, false),
            b'/' => match bytes.get(at) {
                Some(b'*') => {
                    let rest = bytes.get(at + 1..)?;
                    at += 1 + memchr::memmem::find(rest, b"*/")? + 2;
                }
                Some(b'/') if script => at += memchr::memchr(b'\n', bytes.get(at..)?)?,
                _ => {}
            },
            _ => {}
        }
    }
    None
}

/// Returns the index after the quote that ends a string whose text begins at `at`, or after the end of its line.
fn end_of_string(bytes: &[u8], at: usize, quote: u8, one_line: bool) -> usize {
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'\n' if one_line => break,
            _ if byte == quote => break,
            _ => {}
        }
    }
    at
}

/// Returns the index of the end tag `</name` in `bytes`, from `at` on, which ends raw text.
pub(super) fn end_of_raw(bytes: &[u8], at: usize, name: &str) -> Option<usize> {
    let rest = bytes.get(at..)?;
    memchr::memchr_iter(b'<', rest).find(|lt| is_end_tag(rest.get(*lt..).unwrap_or_default(), name)).map(|lt| at + lt)
}

/// Returns whether `bytes` begin with an end tag of the given name.
fn is_end_tag(bytes: &[u8], name: &str) -> bool {
    let Some((b"</", rest)) = bytes.split_at_checked(2) else { return false };
    is_word(rest, name)
}

/// Returns whether `bytes` begin with the given name, in any case, followed by a byte that ends a name.
fn is_word(bytes: &[u8], name: &str) -> bool {
    bytes.split_at_checked(name.len()).is_some_and(|(start, rest)| {
        start.eq_ignore_ascii_case(name.as_bytes())
            && rest.first().is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
    })
}

/// State of reading a script: in `<!-- <script>`, the next end tag does not end the outer script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptState {
    Plain,
    Escaped,
    DoubleEscaped,
}

/// Returns the index of the end tag of a script whose text begins at `at`.
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

/// Returns the state and index after the dashes from `at` on, which follow a `--`; a `>` after them ends the escape.
fn after_dashes(bytes: &[u8], at: usize, state: ScriptState) -> (ScriptState, usize) {
    let rest = bytes.get(at..).unwrap_or_default();
    let dashes = rest.iter().take_while(|&&byte| byte == b'-').count();
    match rest.get(dashes) {
        Some(b'>') => (ScriptState::Plain, at + dashes + 1),
        _ => (state, at + dashes),
    }
}

/// Returns the index after the `>` that ends a comment whose text begins at `at`, directly after `<!--`.
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
