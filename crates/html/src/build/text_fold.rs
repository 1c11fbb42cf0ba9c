//! Folds text: decodes character references and collapses white space, and tracks positions in the source.
//!
//! A line feed in the source is no space between characters of Chinese and Japanese.

use trommel_text::{NoSigns, plain_run, vectors::Vectors};

use super::blocks::SeamKind;

/// Kind of a run of text, which determines how its character references are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Ordinary text, `title` or `textarea`: character references are decoded.
    Decoded,
    /// Text of `xmp`, `plaintext`, CDATA or a script, which is taken as written.
    Raw,
    /// Text like [`TextKind::Decoded`] that is known to contain no character reference.
    WithoutReferences,
}

/// Byte range in the page that the latest appended text was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceSpan {
    /// Byte offset in the page of the range's first byte.
    pub start: usize,
    /// Byte offset in the page after the range's last byte.
    pub end: usize,
}

/// Growing text of a block: white space is folded and character references are decoded as pieces are appended. A
/// reference that is cut at the end of a piece is completed by the next piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextFold {
    out: String,
    space: SpaceBefore,
    /// Kind of the seam before the next character: a place where two inline elements meet; `None` if there is none.
    seam: Option<SeamKind>,
    /// Byte offset in the text of the latest seam (place where two inline elements meet).
    met: usize,
    /// White space since the last character as it was written, for elements that preserve white space.
    kept: String,
    /// Beginning of an incomplete character reference (`&am`), which waits for more text; empty if there is none.
    waiting: String,
    waiting_at: usize,
    source: Option<SourceSpan>,
    vectors: Vectors,
}

/// Kind of white space since the last character of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SpaceBefore {
    #[default]
    None,
    Space,
    /// White space with a line feed, after a character of a script that may be written without spaces, such as Han.
    Feed,
    /// White space beyond ASCII, such as a no-break space, which always becomes a plain space.
    Wide,
    Line,
}

/// Zero-width joiner: it joins the characters around it, so it is dropped at the start of a text.
const JOINER: char = '\u{200d}';
/// Maximum capacity in bytes of a text buffer that is kept for the next page.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Maximum length in bytes of a character reference; longer ones are plain text (the longest name has 32).
pub(crate) const MAX_REFERENCE_BYTES: usize = 48;

impl TextFold {
    /// Sets the vector (SIMD) instructions with which the text is read.
    pub fn use_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
    }

    pub fn as_str(&self) -> &str {
        &self.out
    }

    pub fn len(&self) -> usize {
        self.out.len()
    }

    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Returns whether a character reference is incomplete, or [`TextFold::take_source`] has not been called since text
    /// was appended.
    #[inline]
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty() || self.source.is_some()
    }

    /// Returns whether no text has been appended yet except white space that is folded.
    #[inline]
    pub fn is_clear(&self) -> bool {
        self.out.is_empty() && self.kept.is_empty() && !self.waits()
    }

    /// Drops the white space before the next text, and forgets that two inline elements meet there.
    #[inline]
    pub fn forget_space(&mut self) {
        self.space = SpaceBefore::None;
        self.seam = None;
        self.met = 0;
    }

    /// Empties the text for another block, with its white space and incomplete character reference.
    pub fn clear(&mut self) {
        self.out.clear();
        self.kept.clear();
        self.waiting.clear();
        self.source = None;
        self.forget_space();
    }

    /// Returns an empty `TextFold` that reuses the memory of this one, unless its buffers are unusually large.
    pub fn emptied(mut self) -> Self {
        if self.out.capacity().max(self.kept.capacity()) > MAX_KEPT_BYTES {
            return Self::default();
        }
        self.clear();
        self
    }

    /// Takes the byte range in the page of the text appended since the last call; `None` if nothing was appended.
    pub fn take_source(&mut self) -> Option<SourceSpan> {
        self.source.take()
    }

    /// Inserts a line break between the appended text and the next text.
    pub fn line_break(&mut self) {
        self.space = SpaceBefore::Line;
        self.kept.push('\n');
    }

    /// Inserts folded white space between the appended text and the next text.
    /// Returns false if an incomplete character reference must end first.
    pub fn blank(&mut self, blank: &[u8]) -> bool {
        if !self.waiting.is_empty() {
            return false;
        }
        self.note_space(blank);
        true
    }

    /// Inserts a line break between the appended text and the next text, except where white space is preserved.
    pub fn part_lines(&mut self) {
        self.space = SpaceBefore::Line;
    }

    /// Records white space before the next character; `bytes` start with that white space.
    #[inline]
    fn note_space(&mut self, bytes: &[u8]) {
        // Most texts are of scripts with spaces, whose white space is not looked at.
        let may_feed = self.out.as_bytes().last().is_some_and(|last| *last >= 0x80);
        let space = if may_feed && has_feed(bytes) { SpaceBefore::Feed } else { SpaceBefore::Space };
        self.space = self.space.max(space);
    }

    /// Removes the white space before the next text and returns it, so that [`TextFold::put_space`] can restore it.
    pub fn take_space(&mut self) -> SpaceBefore {
        std::mem::take(&mut self.space)
    }

    /// Restores the white space that [`TextFold::take_space`] removed.
    pub fn put_space(&mut self, space: SpaceBefore) {
        self.space = space;
    }

    /// Returns whether the next text begins a new word, because the text ends with white space, an opening sign, or a
    /// character of a script without spaces.
    pub fn ends_word(&self) -> bool {
        let last = self.out.chars().next_back();
        self.space != SpaceBefore::None
            || last.is_some_and(|last| "([{“\"'„«‘/-–—=:#$€£@".contains(last))
            || is_written_without_spaces(last, last)
    }

    /// Returns whether the text so far and the start of `next` would join into one word.
    pub fn runs_into(&self, next: &str) -> bool {
        let next = next.chars().next();
        let is_word = self.space == SpaceBefore::None && next.is_some_and(char::is_alphanumeric);
        is_word && !is_written_without_spaces(self.out.chars().next_back(), next)
    }

    /// Removes the last character of the text.
    pub fn pop(&mut self) {
        self.out.pop();
    }

    /// Records that two inline elements meet between the text so far and the next text.
    pub fn seam(&mut self, kind: SeamKind) {
        self.seam = Some(kind);
    }

    /// Adds a space before the character `next` if two inline elements meet here and divide two words.
    #[inline(never)]
    fn close_seam(&mut self, next: char) {
        let Some(kind) = self.seam.take() else { return };
        let before = self.out.get(self.met..).unwrap_or_default();
        if self.space == SpaceBefore::None && kind.divides(before, next) {
            self.space = SpaceBefore::Space;
        }
        self.met = self.out.len();
    }

    /// Appends text that is at byte `offset` of the page.
    pub fn push(&mut self, raw: &str, offset: usize, kind: TextKind, keep_space: bool) {
        let is_literal = match kind {
            TextKind::Raw => true,
            TextKind::WithoutReferences => self.waiting.is_empty(),
            TextKind::Decoded => false,
        };
        if is_literal {
            return self.append(raw, offset, keep_space);
        }
        let mut rest = raw;
        let mut at = offset;
        if !self.waiting.is_empty() {
            let take = reference_end(&self.waiting, rest);
            let (head, tail) = rest.split_at_checked(take).unwrap_or((rest, ""));
            self.waiting.push_str(head);
            rest = tail;
            at += head.len();
            if rest.is_empty() && is_open(&self.waiting) {
                return;
            }
            self.resolve(keep_space);
        }
        while let Some(amp) = memchr::memchr(b'&', rest.as_bytes()) {
            let (before, from) = rest.split_at_checked(amp).unwrap_or((rest, ""));
            self.append(before, at, keep_space);
            at += amp;
            let end = reference_end("", from);
            let (reference, tail) = from.split_at_checked(end).unwrap_or((from, ""));
            self.waiting_at = at;
            self.waiting.push_str(reference);
            at += reference.len();
            rest = tail;
            if rest.is_empty() && is_open(&self.waiting) {
                return;
            }
            self.resolve(keep_space);
        }
        self.append(rest, at, keep_space);
    }

    /// Appends a text that stands for the markup between bytes `start` and `end` of the page, such as a formula.
    pub fn push_whole(&mut self, text: &str, start: usize, end: usize, keep_space: bool) {
        if !self.waiting.is_empty() {
            self.resolve(keep_space);
        }
        self.seam = None;
        self.open_space(keep_space, text);
        self.out.push_str(text);
        self.note_source(start, end);
    }

    /// Ends a run of text: an incomplete character reference becomes text.
    pub fn end_run(&mut self, keep_space: bool) {
        if !self.waiting.is_empty() {
            self.resolve(keep_space);
        }
    }

    /// Appends the decoded text of the character reference read last; all its characters get the reference's byte
    /// range.
    fn resolve(&mut self, keep_space: bool) {
        let waiting = std::mem::take(&mut self.waiting);
        let (start, end) = (self.waiting_at, self.waiting_at + waiting.len());
        if let Some(c) = common_reference(&waiting) {
            self.character(c, start, end, keep_space);
        } else {
            let decoded = htmlize::unescape(waiting.as_str());
            for c in decoded.chars() {
                self.character(c, start, end, keep_space);
            }
        }
        self.waiting = waiting;
        self.waiting.clear();
    }

    fn append(&mut self, text: &str, offset: usize, keep_space: bool) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..)
            && let Some(&first) = rest.first()
        {
            if !keep_space && matches!(first, b' ' | b'\n' | b'\t' | b'\r') {
                self.note_space(rest);
                at += rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).unwrap_or(rest.len());
                continue;
            }
            let len = plain_run(self.vectors, rest, !keep_space, NoSigns);
            if len > 0 {
                let run = text.get(at..at + len).unwrap_or_default();
                if self.seam.is_some()
                    && let Some(next) = run.chars().next()
                {
                    self.close_seam(next);
                }
                self.open_space(keep_space, run);
                self.out.push_str(run);
                self.note_source(offset + at, offset + at + len);
                at += len;
                continue;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            let end = at + c.len_utf8();
            self.character(c, offset + at, offset + end, keep_space);
            at = end;
        }
    }

    fn character(&mut self, c: char, start: usize, end: usize, keep_space: bool) {
        if c.is_whitespace() {
            let space = if c.is_ascii() { SpaceBefore::Space } else { SpaceBefore::Wide };
            self.space = self.space.max(space);
            if keep_space && c != '\r' {
                self.kept.push(if c == '\u{a0}' { ' ' } else { c });
            }
        } else if !is_ignored(c) && (c != JOINER || !self.out.is_empty()) {
            if self.seam.is_some() {
                self.close_seam(c);
            }
            self.open_space(keep_space, c.encode_utf8(&mut [0; 4]));
            self.out.push(c);
            self.note_source(start, end);
        }
    }

    /// Appends the white space that has been read before `next`, unless no space is needed there.
    #[inline]
    fn open_space(&mut self, keep_space: bool, next: &str) {
        if self.space != SpaceBefore::None {
            if keep_space {
                // The first line's indent counts, empty lines before it do not.
                let kept = if self.out.is_empty() {
                    self.kept.rsplit('\n').next().unwrap_or_default()
                } else {
                    self.kept.as_str()
                };
                self.out.push_str(kept);
            } else if !self.out.is_empty() && !self.is_joined_to(next) {
                self.out.push(if self.space == SpaceBefore::Line { '\n' } else { ' ' });
            }
            self.space = SpaceBefore::None;
        }
        self.kept.clear();
    }

    /// Returns whether the white space before `next` is dropped: a line feed between two characters of a script without
    /// spaces, such as Han.
    fn is_joined_to(&self, next: &str) -> bool {
        // As CSS says (Text 3, 4.1.3): the lines of the source are no lines of such a text.
        self.space == SpaceBefore::Feed && is_written_without_spaces(self.out.chars().next_back(), next.chars().next())
    }

    fn note_source(&mut self, start: usize, end: usize) {
        match &mut self.source {
            Some(source) => source.end = end,
            None => self.source = Some(SourceSpan { start, end }),
        }
    }
}

/// Names of the most common character references, with their characters.
const COMMON_NAMES: [(&str, char); 18] = [
    ("amp", '&'),
    ("apos", '\''),
    ("bull", '\u{2022}'),
    ("copy", '\u{a9}'),
    ("gt", '>'),
    ("hellip", '\u{2026}'),
    ("laquo", '\u{ab}'),
    ("ldquo", '\u{201c}'),
    ("lsquo", '\u{2018}'),
    ("lt", '<'),
    ("mdash", '\u{2014}'),
    ("middot", '\u{b7}'),
    ("nbsp", '\u{a0}'),
    ("ndash", '\u{2013}'),
    ("quot", '"'),
    ("raquo", '\u{bb}'),
    ("rdquo", '\u{201d}'),
    ("rsquo", '\u{2019}'),
];

/// Returns the character of a complete reference with a common name or a plain number; `None` for all others.
/// Decoding by the table of all names would allocate memory for each.
fn common_reference(reference: &str) -> Option<char> {
    let body = reference.strip_prefix('&')?.strip_suffix(';')?;
    let Some(number) = body.strip_prefix('#') else {
        let known = COMMON_NAMES.iter().find(|(name, _)| *name == body);
        return known.map(|(_, c)| *c);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let is_number = digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let code = u32::from_str_radix(digits, radix).ok().filter(|_| is_number)?;
    // Others are controls, or stand for something else.
    let is_plain = matches!(code, 0x20..0x7F | 0xA0..0xD800);
    char::from_u32(code).filter(|_| is_plain)
}

/// Returns whether the white space at the start of `bytes` contains a line feed.
fn has_feed(bytes: &[u8]) -> bool {
    let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
    blank.copied().any(|byte| byte == b'\n')
}

/// Returns whether a character is dropped from text: a control or invisible character, which would only divide words.
pub(crate) fn is_ignored(c: char) -> bool {
    c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// Returns the byte in `rest` at which a character reference ends, whose beginning `begun` was read before. If `begun`
/// is empty, the reference starts with the `&` at the start of `rest`.
fn reference_end(begun: &str, rest: &str) -> usize {
    let room = MAX_REFERENCE_BYTES.saturating_sub(begun.len());
    let mut second = begun.len() == 1;
    for (at, byte) in rest.bytes().enumerate() {
        if begun.is_empty() && at == 0 {
            second = true;
            continue;
        }
        if at >= room {
            return at;
        }
        if byte == b';' {
            return at + 1;
        }
        if !(byte.is_ascii_alphanumeric() || second && byte == b'#') {
            return at;
        }
        second = false;
    }
    rest.len()
}

/// Returns whether an incomplete character reference may go on in the next text.
fn is_open(reference: &str) -> bool {
    reference.len() < MAX_REFERENCE_BYTES && !reference.ends_with(';')
}

/// Returns whether two neighbouring characters are written without a space: Han, kana or their punctuation.
/// One of them may be a sign that Latin texts use, too.
pub(super) fn is_written_without_spaces(before: Option<char>, next: Option<char>) -> bool {
    let (Some(before), Some(next)) = (before, next) else { return false };
    match (is_of_script(before), is_of_script(next)) {
        (true, true) => true,
        (true, false) => is_shared_sign(next),
        (false, true) => is_shared_sign(before),
        (false, false) => false,
    }
}

/// Returns whether a character is Han, kana, Bopomofo or their wide punctuation; not Hangul, which uses spaces.
fn is_of_script(c: char) -> bool {
    matches!(u32::from(c),
        0x2E80..=0x2FFF    // Radicals
        | 0x3001..=0x312F  // Punctuation, kana, Bopomofo
        | 0x3190..=0x31FF
        | 0x3220..=0x325F | 0x3280..=0x4DBF // Signs made of Han, Han extension A
        | 0x4E00..=0x9FFF  // Han
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE4F | 0xFF01..=0xFF9F | 0xFFE0..=0xFFE6 // Wide and upright forms
        | 0x1B000..=0x1B16F // Kana
        | 0x20000..=0x3FFFD) // Han extensions
}

/// Returns whether a character is a quote, dash or dot that both Chinese and Latin texts use.
fn is_shared_sign(c: char) -> bool {
    matches!(c, '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' | '\u{2014}' | '\u{2026}' | '\u{b7}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Limits, LolEngine, ScanEngine};

    /// Returns the folded text of the pieces, and the byte range of its characters; the first piece is at byte 10.
    fn fold(pieces: &[&str], keep_space: bool) -> (String, Option<SourceSpan>) {
        let mut fold = TextFold::default();
        let mut at = 10;
        for piece in pieces {
            fold.push(piece, at, TextKind::Decoded, keep_space);
            at += piece.len();
        }
        fold.end_run(keep_space);
        (fold.as_str().to_owned(), fold.take_source())
    }

    #[test]
    fn white_space_folds_and_ends_are_trimmed() {
        let (text, marks) = fold(&["  a \n\t b&nbsp; "], false);
        assert_eq!(text, "a b");
        assert_eq!(marks, Some(SourceSpan { start: 12, end: 18 }));
    }

    #[test]
    fn references_decode_as_in_the_standard() {
        assert_eq!(
            fold(&["&amp;lt; &eacute;&#233;&#xE9; &notit; &AMP &x; 3 & 4"], false).0,
            "&lt; ééé ¬it; & &x; 3 & 4"
        );
        assert_eq!(fold(&["caf&eacute ol&eacute"], false).0, "café olé");
        assert_eq!(fold(&["&#0;&#128;"], false).0, "\u{fffd}€");
    }

    #[test]
    fn common_references_are_decoded_as_all_are() {
        let names = COMMON_NAMES.iter().map(|(name, _)| format!("&{name};"));
        let numbers = (0..0x12000).flat_map(|code| [format!("&#{code};"), format!("&#x{code:X};")]);
        let mut known = 0;
        for reference in names.chain(numbers) {
            if let Some(c) = common_reference(&reference) {
                let expected = htmlize::unescape(reference.as_str());
                assert_eq!(c.to_string(), expected, "{reference}");
                known += 1;
            }
        }
        assert!(known > 100_000, "{known}");
        for none in ["&#128;", "&#0;", "&#xD800;", "&#+65;", "&#;", "&#x;", "&eacute;", "&amp", "& ;"] {
            assert_eq!(common_reference(none), None, "{none}");
        }
    }

    #[test]
    fn any_split_gives_the_same() {
        let text = "x &hellip;&amp; y&#8217;s &notin; &copy 2 &&lt;";
        let whole = fold(&[text], false);
        for cut in 0..=text.len() {
            assert_eq!(fold(&[&text[..cut], &text[cut..]], false), whole, "cut at {cut}");
        }
        let single: Vec<&str> = text.split_inclusive(|_| true).collect();
        assert_eq!(fold(&single, false), whole);
    }

    #[test]
    fn kept_white_space_loses_only_its_ends() {
        assert_eq!(fold(&["\n\n  if x:\r\n\n    y&nbsp;\n"], true).0, "  if x:\n\n    y");
    }

    #[test]
    fn invisible_characters_do_not_divide_words() {
        assert_eq!(fold(&["hy&shy;phen\u{200b}at&NoBreak;e\u{2060}d\0"], false).0, "hyphenated");
    }

    #[test]
    fn every_character_is_copied_folded_or_dropped() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            if c == '&' || c == '<' {
                continue;
            }
            let expected = if c.is_whitespace() {
                "a b".to_owned()
            } else if is_ignored(c) {
                "ab".to_owned()
            } else {
                format!("a{c}b")
            };
            assert_eq!(fold(&[&format!("a{c}b")], false).0, expected, "{c:?}");
        }
    }

    #[test]
    fn a_break_is_a_line() {
        let mut fold = TextFold::default();
        fold.push("a ", 0, TextKind::Decoded, false);
        fold.line_break();
        fold.push(" b", 7, TextKind::Decoded, false);
        assert_eq!(fold.as_str(), "a\nb");
    }

    #[test]
    fn lines_of_the_source_part_no_word_of_a_script_without_spaces() {
        for (html, wanted) in [
            ("<p>雨が\n  降る。\r\n傘は「\n黒い\n」</p>", "雨が降る。傘は「黒い」"),
            ("<p>庭の<b>桜</b>\n<i>の木</i>\n が</p>", "庭の桜の木が"),
            ("<p>他说：“好。”\n她笑了……\n然后</p>", "他说：“好。”她笑了……然后"),
            ("<p>電話\n03-12\n番、ＡＢ\nＣ カナ\nｶﾅ</p>", "電話 03-12 番、ＡＢＣ カナｶﾅ"),
            // A space, a wide space and a break are what they say.
            ("<p>東 京　\n大 阪<br>\n京\u{a0}都</p>", "東 京 大 阪\n京 都"),
            ("<p>우리\n집의\n東京\n여행</p>", "우리 집의 東京 여행"),
            ("<p>one\ntwo\né\nà 🎉\n次</p>", "one two é à 🎉 次"),
            ("<pre>雨が\n降る</pre>", "雨が\n降る"),
        ] {
            let page = ScanEngine.read(html, &Limits::default());
            assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
            let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
            assert_eq!(texts, [wanted], "{html}");
        }
        let page = ScanEngine.read("<title>雨の\n日</title>", &Limits::default());
        assert_eq!(page.head.title, "雨の日");
    }
}
