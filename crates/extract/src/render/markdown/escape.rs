//! Escapes text that Markdown would take for markup, and renders code: fences and spans.
//!
//! TeX is written so that none of its signs is markup to a reader of Markdown, who may know no formulas.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use trommel_text::vectors::{Compare, Vectors};
use trommel_text::{EndSigns, RunEnds, plain_run};

/// Place in the Markdown at which a text is written, which decides which characters need an escape.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// True in a paragraph, where a line may start a block such as a list.
    pub lines: bool,
    /// True in the text of a link, between its brackets.
    pub link: bool,
    /// True in a heading, where `#` at the end must be escaped so that it stays text.
    pub heading: bool,
    /// True in a block with formulas, where a dollar sign would begin another formula.
    pub math: bool,
    /// Markdown that is written for a line break in the text.
    pub line_break: &'static str,
}

/// Appends `text[from..to]` to `out`, escaped for Markdown with regard to the text around that range.
pub(super) fn escape(text: &str, from: usize, to: usize, context: Context, out: &mut String) {
    escape_by(text, from, to, context, out, |at| plain_start(text.get(at..to).unwrap_or_default()));
}

/// Places in the joined texts of a page where characters may need a Markdown escape, found once for all kept blocks.
#[derive(Debug)]
pub(super) struct PageSigns {
    ends: RunEnds,
    /// Byte range of the page's joined texts that was searched for characters that may need an escape.
    known: Range<usize>,
}

impl PageSigns {
    /// Finds the characters that may need a Markdown escape in the byte range `known` of the page's joined texts.
    pub fn of(texts: &str, known: Range<usize>) -> Self {
        let ends = RunEnds::of(*VECTORS, texts.get(known.clone()).unwrap_or_default(), Signs);
        Self { ends, known }
    }

    /// Returns whether `text`, which starts at byte `start` of the page's joined texts, is a Markdown paragraph that
    /// needs no escape.
    pub fn is_plain_paragraph(&self, start: usize, text: &str) -> bool {
        let first = text.as_bytes().first();
        first.is_some_and(|first| !(first.is_ascii_digit() || first.is_ascii_punctuation()))
            && self.plain(start, text, 0, text.len()).len() == text.len()
    }

    /// Appends `text[from..to]`, escaped for Markdown. The text starts at byte `start` of the page's joined texts.
    pub fn escape(&self, start: usize, text: &str, (from, to): (usize, usize), context: Context, out: &mut String) {
        escape_by(text, from, to, context, out, |at| self.plain(start, text, at, to));
    }

    /// Returns the longest part of a text from byte `at`, up to byte `to`, that needs no escape within a line.
    #[inline]
    fn plain<'t>(&self, start: usize, text: &'t str, at: usize, to: usize) -> &'t str {
        // A space that begins a part may have to go.
        if text.as_bytes().get(at) == Some(&b' ') {
            return "";
        }
        // Notes may stand before and behind what is kept.
        let known = (start + at).checked_sub(self.known.start).filter(|_| start + to <= self.known.end);
        let Some(from) = known else { return plain_start(text.get(at..to).unwrap_or_default()) };
        let len = self.ends.first(from, from + (to - at)) - from;
        text.get(at..at + len).unwrap_or_default()
    }
}

/// Appends `text[from..to]`, escaped for Markdown; `plain` returns the longest part from a byte that needs no escape.
#[inline(always)]
fn escape_by<'t>(
    text: &'t str,
    from: usize,
    to: usize,
    context: Context,
    out: &mut String,
    plain: impl Fn(usize) -> &'t str,
) {
    let bytes = text.as_bytes();
    // A line that started further back is past the place where the start matters.
    let near = from.saturating_sub(MAX_LINE_START_BYTES);
    let near_bytes = bytes.get(near..from).unwrap_or_default();
    let mut line = near_bytes.iter().rposition(|byte| *byte == b'\n').map_or(near, |at| near + at + 1);
    let mut at = from;
    while let Some(segment) = text.get(at..to)
        && let Some(c) = segment.chars().next()
    {
        let may_start = context.lines && may_start_block(bytes, line, at);
        let plain = if may_start { letters(segment) } else { plain(at) };
        if !plain.is_empty() {
            out.push_str(plain);
            at += plain.len();
            continue;
        }
        let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
        if c.is_whitespace() {
            // Only text in a `pre` that is written as a paragraph has more than one at a place.
            let starts = out.is_empty() || out.ends_with(context.line_break);
            if c == '\n' {
                line = at + 1;
                if !starts {
                    out.push_str(context.line_break);
                }
            } else if starts {
                line = at + c.len_utf8();
            } else if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            let prev = text.get(..at).and_then(|before| before.chars().next_back());
            // At an end a mark of ours may stand beside it.
            let at_end = at == from || at + c.len_utf8() == to;
            let marks = in_line(c, prev, rest.chars().next(), rest, context)
                || at_end && matches!(c, '*' | '~' | '\\')
                || may_start && at_line(c, line, at, text, rest);
            if marks {
                out.push('\\');
            }
            out.push(c);
        }
        at += c.len_utf8();
    }
}

/// Returns whether the character at byte `at` may begin a Markdown block, or end a number such as `1.` that does. Its
/// line starts at byte `line`.
fn may_start_block(bytes: &[u8], line: usize, at: usize) -> bool {
    let first = bytes.get(line).copied().unwrap_or_default();
    at - line < MAX_LINE_START_BYTES && (first.is_ascii_digit() || at == line && first.is_ascii_punctuation())
}

/// Returns the ASCII letters and digits at the start of a text.
fn letters(text: &str) -> &str {
    let len = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    text.get(..len).unwrap_or_default()
}

/// Returns the longest start of a text that needs no escape within a line.
fn plain_start(text: &str) -> &str {
    text.get(..plain_run(*VECTORS, text.as_bytes(), true, Signs)).unwrap_or_default()
}

static VECTORS: LazyLock<Vectors> = LazyLock::new(Vectors::default);

/// Set of the characters that may be Markdown markup within a line.
#[derive(Clone, Copy, Debug)]
struct Signs;

impl EndSigns for Signs {
    #[inline(always)]
    fn find<C: Compare>(form: C, bytes: C::Bytes) -> u64 {
        form.range(bytes, b'#', b'$')
            | form.equal(bytes, b'&')
            | form.equal(bytes, b'*')
            | form.equal(bytes, b'<')
            | form.range(bytes, b'[', b']')
            | form.range(bytes, b'_', b'`')
            | form.equal(bytes, b'~')
    }
}

/// Maximum bytes at the start of a line that can begin a Markdown block: a number of nine digits and a sign.
// And the sign behind them, as an ordered item begins.
const MAX_LINE_START_BYTES: usize = 10;

/// Returns whether the character `c`, between `prev` and `next`, could be Markdown markup anywhere in a line.
fn in_line(c: char, prev: Option<char>, next: Option<char>, rest: &str, context: Context) -> bool {
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    // Not at a line end, where the next character is the backslash of a break.
    let alone = prev == Some(' ') && next == Some(' ');
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '`' => true,
        '$' => context.math,
        '\\' => next.is_none_or(|next| next.is_ascii_punctuation() || next == '\n'),
        '*' => !alone,
        // Within words GFM takes no underscore for emphasis: `snake_case` stays readable.
        '_' => !(alone || word(prev) && word(next)),
        // `[^1]` would refer to a note.
        '[' => context.link || next == Some('^'),
        ']' => context.link || matches!(next, Some('(' | '[' | ':')),
        '<' => next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
        '&' => is_reference(rest),
        '~' => !space(prev),
        '#' => {
            context.heading && prev.is_none_or(char::is_whitespace) && rest.trim_start_matches('#').trim().is_empty()
        }
        _ => false,
    }
}

/// Returns whether the character at byte `at` of a text could begin a Markdown block. Its line starts at byte `line`.
pub(super) fn at_line(c: char, line: usize, at: usize, text: &str, rest: &str) -> bool {
    let ends = |rest: &str| rest.chars().next().is_none_or(char::is_whitespace);
    if at > line {
        let start = text.get(line..at).unwrap_or_default();
        return matches!(c, '.' | ')') && start.bytes().all(|b| b.is_ascii_digit()) && ends(rest);
    }
    let only = |set: &[char]| {
        let line = rest.split('\n').next().unwrap_or_default();
        // All white space becomes a space.
        line.trim_end().chars().all(|c| set.contains(&c) || c.is_whitespace() && set.contains(&' '))
    };
    match c {
        '>' | '|' | '[' => true,
        '#' => ends(rest.trim_start_matches('#')),
        '+' | '*' => ends(rest),
        '-' => ends(rest) || only(&['-', '|', ':', ' ']),
        // Three would begin or end a division.
        ':' => rest.starts_with("::") || only(&['-', '|', ':', ' ']),
        '=' => only(&['=']),
        _ => false,
    }
}

/// Returns whether `&` followed by `rest` is an HTML character reference such as `&amp;`.
pub(super) fn is_reference(rest: &str) -> bool {
    const MAX_REFERENCE_BYTES: usize = 40;
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let len = name.bytes().take(MAX_REFERENCE_BYTES).take_while(u8::is_ascii_alphanumeric).count();
    len > 0 && name.as_bytes().get(len) == Some(&b';')
}

/// Returns a text as a fenced code block in Markdown, without a line end at its end.
pub(super) fn fence(language: &str, text: &str) -> String {
    // Three at least, as CommonMark asks for.
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Returns whether the Markdown of a segment is a fenced code block.
pub(super) fn is_fence(body: &str) -> bool {
    body.starts_with("```")
}

/// Returns a text as Markdown code within a line, between back ticks.
pub(super) fn span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Returns the length of the longest run of back ticks in a text; a code fence around the text must be longer.
fn longest_run(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut longest, mut at) = (0, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(b'`', rest)) {
        let run = bytes.iter().skip(at + next).take_while(|byte| **byte == b'`').count();
        longest = longest.max(run);
        at += next + run;
    }
    longest
}

/// Returns TeX of the same meaning without links, HTML, code, and lines that would begin Markdown blocks. If
/// `has_own_lines` is true, the first line is at the start of a line and is checked for blocks, too.
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

/// Returns whether the text after `[` makes the bracket the mark of a Markdown footnote (`^1]`).
fn is_note(rest: &str) -> bool {
    const MAX_LABEL_BYTES: usize = 12;
    let label = rest.strip_prefix('^').unwrap_or_default();
    let len = label.bytes().take(MAX_LABEL_BYTES).take_while(u8::is_ascii_alphanumeric).count();
    len > 0 && label.as_bytes().get(len) == Some(&b']')
}

/// Returns whether a line would begin a Markdown block or be a horizontal rule.
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

    fn escaped(text: &str, context: Context) -> String {
        let mut out = String::new();
        escape(text, 0, text.len(), context, &mut out);
        out
    }

    #[test]
    fn starts_of_blocks_are_text() {
        let context = Context { lines: true, line_break: "\n", ..Context::default() };
        for (text, shown) in [
            ("# a\n#a\n#", "\\# a\n#a\n\\#"),
            ("- a\n-a\n---\n-|-", "\\- a\n-a\n\\---\n\\-|-"),
            ("+ a\n* a\n> a\n| a", "\\+ a\n\\* a\n\\> a\n\\| a"),
            ("1. a\n12) a\n1.5\n1234567890. a", "1\\. a\n12\\) a\n1.5\n1234567890. a"),
            ("===\n:--\n[a]: b", "\\===\n\\:--\n\\[a\\]: b"),
            ("==\u{a0}\n--\u{a0}|\n::: a\n:: a", "\\== \n\\-- |\n\\::: a\n:: a"),
            ("~~~\n```", "\\~\\~\\~\n\\`\\`\\`"),
        ] {
            assert_eq!(escaped(text, context), shown, "{text}");
        }
    }

    #[test]
    fn every_sign_that_may_be_markup_is_looked_at() {
        let all = Context { link: true, heading: true, math: true, line_break: " ", ..Context::default() };
        let neighbours = [None, Some(' '), Some('a'), Some('!'), Some('(')];
        for sign in ('\u{21}'..'\u{7f}').filter(|sign| plain_start(&format!("a{sign}b")).len() == 3) {
            for (prev, next) in neighbours.iter().flat_map(|prev| neighbours.iter().map(move |next| (*prev, *next))) {
                for rest in ["", "#1;", "a"] {
                    assert!(!in_line(sign, prev, next, rest, all), "{prev:?} {sign} {next:?}");
                }
            }
        }
    }

    #[test]
    fn white_space_at_line_ends_is_none() {
        let context = Context { lines: true, line_break: "\\\n", ..Context::default() };
        assert_eq!(escaped("  # a  b\n\n  - c", context), "\\# a b\\\n\\- c");
    }

    #[test]
    fn markup_inside_lines_is_text() {
        for (text, shown) in [
            ("a*b 2 * 3 *c*", "a\\*b 2 * 3 \\*c\\*"),
            ("snake_case _x_ __y", "snake_case \\_x\\_ \\_\\_y"),
            ("[1] [a](b) x[^1]", "[1] [a\\](b) x\\[^1]"),
            ("a < b <b> </a", "a < b \\<b> \\</a"),
            ("AT&T &amp; &#65;", "AT&T \\&amp; \\&#65;"),
            ("C:\\dir \\* x\\", "C:\\dir \\\\\\* x\\\\"),
            ("from ~5 to ~10, a~~b~~", "from ~5 to ~10, a\\~\\~b\\~\\~"),
            ("# a", "# a"),
        ] {
            let context = Context { line_break: "\n", ..Context::default() };
            assert_eq!(escaped(text, context), shown, "{text}");
        }
    }

    #[test]
    fn signs_of_a_page_are_those_of_each_of_its_texts() {
        let texts = "a*b é  c*d\ne\u{a0} f_ g";
        let places: Vec<usize> = texts.char_indices().map(|(at, _)| at).chain([texts.len()]).collect();
        let pairs =
            || places.iter().flat_map(|from| places.iter().map(move |to| *from..*to)).filter(|range| !range.is_empty());
        let context = Context { lines: true, line_break: "\n", ..Context::default() };
        for known in [0..texts.len(), 0..3, 4..9, 12..12] {
            let signs = PageSigns::of(texts, known.clone());
            for range in pairs() {
                for start in places.iter().filter(|start| **start <= range.start) {
                    let text = &texts[*start..];
                    let part = (range.start - start, range.end - start);
                    let mut out = String::new();
                    signs.escape(*start, text, part, context, &mut out);
                    let mut expected = String::new();
                    escape(text, part.0, part.1, context, &mut expected);
                    assert_eq!(out, expected, "{text:?} {part:?} {known:?}");
                }
            }
        }
    }

    #[test]
    fn places_have_their_own_rules() {
        let link = Context { link: true, line_break: " ", ..Context::default() };
        assert_eq!(escaped("[1]", link), "\\[1\\]");
        let heading = Context { heading: true, line_break: " ", ..Context::default() };
        assert_eq!(escaped("1. C#\nand ##", heading), "1. C# and \\##");
        let cell = Context { line_break: " ", ..Context::default() };
        assert_eq!(escaped("a\nb", cell), "a b");
    }

    #[test]
    fn fences_are_longer_than_the_runs_inside() {
        assert_eq!(fence("rust", "a"), "```rust\na\n```");
        assert_eq!(fence("", "x ```` y"), "`````\nx ```` y\n`````");
        assert_eq!(span("a"), "`a`");
        assert_eq!(span("a`b"), "``a`b``");
        assert_eq!(span("`a``"), "``` `a`` ```");
    }

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
