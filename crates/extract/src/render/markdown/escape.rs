//! Escapes text that Markdown would take for markup.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use trommel_text::vectors::{ByteTask, Compare, Vectors};

/// The place of a text, which decides what could be markup.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// Lines may start blocks: a paragraph.
    pub lines: bool,
    /// Between the brackets of a link.
    pub link: bool,
    /// In a heading, where number signs at the end are not text.
    pub heading: bool,
    /// Beside formulas, where dollar signs would begin others.
    pub math: bool,
    /// The replacement of a line break.
    pub line_break: &'static str,
}

/// Finds more than one space at a place.
static WIDE_SPACE: LazyLock<Finder> = LazyLock::new(|| Finder::new(b"  "));

/// Appends `text[from..to]` to `out`, escaped; the rest of `text` is what stands around it.
pub(super) fn escape(text: &str, from: usize, to: usize, context: Context, out: &mut String) {
    let before = text.get(..from).unwrap_or_default();
    // A line that started further back is past the place where the start matters.
    let near = from.saturating_sub(MAX_LINE_START_BYTES);
    let near_text = before.as_bytes().get(near..).unwrap_or_default();
    let mut line = memchr::memrchr(b'\n', near_text).map_or(near, |at| near + at + 1);
    // Texts have single spaces, but for those of a `pre`.
    let segment = text.as_bytes().get(from..to).unwrap_or_default();
    let has_wide_space = WIDE_SPACE.find(segment).is_some();
    let mut at = from;
    while let Some(c) = text.get(at..to).and_then(|segment| segment.chars().next()) {
        let segment = text.get(at..to).unwrap_or_default();
        let may_start = context.lines && at - line < MAX_LINE_START_BYTES;
        let plain = match c {
            ' ' => "",
            _ if may_start || has_wide_space => start_of(segment, &IS_LETTER),
            _ => plain_start(segment),
        };
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

/// Whether a byte stands for itself within a line; `false` also for the first bytes of characters some of which are
/// white space.
static IS_PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut at = 0;
    while at < 256 {
        let is_space = matches!(at as u8, 0..b' ' | 0x7f | 0xc2 | 0xe1..=0xe3);
        let is_sign = matches!(at as u8, b'`' | b'$' | b'\\' | b'*' | b'_' | b'[' | b']' | b'<' | b'&' | b'~' | b'#');
        plain[at] = !is_space && !is_sign;
        at += 1;
    }
    plain
};

/// Whether a byte stands for itself wherever it is.
static IS_LETTER: [bool; 256] = {
    let mut letter = IS_PLAIN;
    let mut at = 0;
    while at < 128 {
        letter[at] = letter[at] && (at as u8).is_ascii_alphanumeric();
        at += 1;
    }
    letter
};

/// The bytes at the start of a text that a table names; it names all bytes of a character behind its first.
// Four at a time and not an iterator: this loop is run for each byte of Markdown, also in builds that optimize little.
fn start_of<'t>(text: &'t str, table: &[bool; 256]) -> &'t str {
    let holds = |byte: &u8| table[usize::from(*byte)];
    let mut rest = text.as_bytes();
    while let [one, two, three, four, behind @ ..] = rest
        && holds(one) & holds(two) & holds(three) & holds(four)
    {
        rest = behind;
    }
    while let [byte, behind @ ..] = rest
        && holds(byte)
    {
        rest = behind;
    }
    text.get(..text.len() - rest.len()).unwrap_or_default()
}

/// The start of a text that stands for itself within a line.
fn plain_start(text: &str) -> &str {
    let bytes = text.as_bytes();
    // Between signs that stand close to each other vectors do not pay.
    let is_long = bytes.first_chunk::<4>().is_some_and(|start| start.iter().all(|byte| IS_PLAIN[usize::from(*byte)]));
    if !is_long {
        return start_of(text, &IS_PLAIN);
    }
    text.get(..VECTORS.run(PlainRun { bytes })).unwrap_or_default()
}

static VECTORS: LazyLock<Vectors> = LazyLock::new(Vectors::default);

/// Counts the bytes at the start of a text that stand for themselves within a line, 64 at a time.
struct PlainRun<'t> {
    bytes: &'t [u8],
}

impl ByteTask for PlainRun<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> usize {
        let mut at = 0;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            // Bytes of 0 behind the end stop the run.
            let chunk = form.load_start(rest);
            let stops = form.range(chunk, 0, 0x1F)
                | form.range(chunk, b'#', b'$')
                | form.equal(chunk, b'&')
                | form.equal(chunk, b'*')
                | form.equal(chunk, b'<')
                | form.range(chunk, b'[', b']')
                | form.range(chunk, b'_', b'`')
                | form.range(chunk, b'~', 0x7F);
            let len = stops.trailing_zeros() as usize;
            let mut wide = form.wide(chunk) & 1_u64.unbounded_shl(len as u32).wrapping_sub(1);
            while wide != 0 {
                let next = wide.trailing_zeros() as usize;
                if rest.get(next).is_none_or(|byte| !IS_PLAIN[usize::from(*byte)]) {
                    return at + next;
                }
                wide &= wide - 1;
            }
            at += len;
            if len < 64 {
                return at;
            }
        }
    }
}

/// Bytes of a line after which nothing can start a block: nine digits.
// And the sign behind them, as an ordered item begins.
const MAX_LINE_START_BYTES: usize = 10;

/// Whether the character could be markup anywhere.
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
        '[' => context.link,
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

/// Whether the character could be markup at `at` in the line that starts at `line`.
fn at_line(c: char, line: usize, at: usize, text: &str, rest: &str) -> bool {
    let ends = |rest: &str| rest.chars().next().is_none_or(char::is_whitespace);
    if at > line {
        let start = text.get(line..at).unwrap_or_default();
        return matches!(c, '.' | ')') && start.bytes().all(|b| b.is_ascii_digit()) && ends(rest);
    }
    let only = |set: &[char]| {
        let line = rest.split('\n').next().unwrap_or_default();
        line.chars().all(|c| set.contains(&c))
    };
    match c {
        '>' | '|' | '[' => true,
        '#' => ends(rest.trim_start_matches('#')),
        '+' | '*' => ends(rest),
        '-' => ends(rest) || only(&['-', '|', ':', ' ']),
        ':' => only(&['-', '|', ':', ' ']),
        '=' => only(&['=']),
        _ => false,
    }
}

/// Whether `&` and then `rest` is a character reference.
fn is_reference(rest: &str) -> bool {
    const MAX_REFERENCE_BYTES: usize = 40;
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let len = name.bytes().take(MAX_REFERENCE_BYTES).take_while(u8::is_ascii_alphanumeric).count();
    len > 0 && name.as_bytes().get(len) == Some(&b';')
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
            ("~~~\n```", "\\~\\~\\~\n\\`\\`\\`"),
        ] {
            assert_eq!(escaped(text, context), shown, "{text}");
        }
    }

    #[test]
    fn vectors_find_what_the_table_says() {
        let parts =
            ["letters and digits 12", ".", "é", "磨坊", "\u{a0}", "の", "\u{2003}", "*", "[a]", "~", "\n", "\u{7f}"];
        for first in parts {
            for second in parts {
                for repeats in [1, 2, 5] {
                    let text = format!("{}{second}{first}", first.repeat(repeats));
                    let expected = start_of(&text, &IS_PLAIN).len();
                    for vectors in Vectors::available() {
                        assert_eq!(vectors.run(PlainRun { bytes: text.as_bytes() }), expected, "{text:?}");
                    }
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
            ("[1] [a](b)", "[1] [a\\](b)"),
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
    fn places_have_their_own_rules() {
        let link = Context { link: true, line_break: " ", ..Context::default() };
        assert_eq!(escaped("[1]", link), "\\[1\\]");
        let heading = Context { heading: true, line_break: " ", ..Context::default() };
        assert_eq!(escaped("1. C#\nand ##", heading), "1. C# and \\##");
        let cell = Context { line_break: "<br>", ..Context::default() };
        assert_eq!(escaped("a\nb", cell), "a<br>b");
    }
}
