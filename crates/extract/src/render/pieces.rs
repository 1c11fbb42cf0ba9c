//! Divides a block's text into pieces: copied, rewritten or left out.
//!
//! TeX between its usual marks stays unchanged in Markdown.

use trommel_html::{Notation, NotationKind};
use trommel_text::{lowered, raised, words};

use super::{MathForm, NoteForm, ReadingForm, ScriptForm, TextOptions, traced};
use crate::notes::Notes;

/// Maximum number of words of a hidden part of a line, such as a label for screen readers, that is always left out.
// Labels for screen readers are short. Longer hidden parts are answers and tabs, which readers can open.
const MAX_HIDDEN_WORDS: u32 = 8;
/// Maximum bytes of a hidden part of a line, such as a label for screen readers, that is always left out.
const MAX_HIDDEN_BYTES: usize = 200;
/// Maximum number of words of a hidden part of a line that is left out because nothing on the page can show it. A
/// longer part is kept.
const MAX_SHUT_WORDS: u32 = 30;

/// Part of a block's text that is written in one way, such as a formula or a footnote mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// First byte, in the block's text, of the part that is copied or replaced.
    pub from: usize,
    /// Byte after the part of the block's text that is copied or replaced.
    pub to: usize,
    pub kind: PieceKind,
}

/// Kind of a [`Piece`], which decides how the piece is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Text that is copied unchanged.
    #[default]
    Text,
    /// Formula whose TeX is the text of the piece; `display` is true if the formula has a line of its own.
    Formula { display: bool },
    /// Mark of the footnote with this number.
    Note(u32),
    /// Text that is struck out.
    Deleted,
    /// Image that is the only content of a link; the number is the index of the link's element.
    LinkedImage(u32),
    /// Text to write instead of the original; empty for a part that is left out.
    Sign(String),
    /// TeX with its delimiters such as `$`, written unchanged; only in Markdown.
    Raw,
    /// Link that is already written as Markdown; not in plain text.
    Link(String),
}

/// Output format for which a text is divided into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Plain text, which shows neither struck-out text nor images.
    Plain,
    /// Markdown, which marks struck-out text and shows images that are links.
    Markdown,
}

/// Divides the text of the block `at` into parts that are written differently, such as formulas; `None` if all is
/// copied unchanged. `is_shut` returns whether nothing on the page can open a hidden element.
pub(crate) fn pieces(
    text: &str,
    at: u32,
    notations: impl Iterator<Item = Notation>,
    notes: Option<&Notes>,
    (form, options): (Form, TextOptions),
    is_shut: impl Fn(u32) -> bool,
) -> Option<Vec<Piece>> {
    let mut changes = Changes { text, changes: Vec::new() };
    if let Some(notes) = notes {
        changes.of_notes(at, notes, options.notes);
    }
    let notations: Vec<Notation> = notations.collect();
    traced::take(notations.len());
    let is_struck =
        notations.iter().any(|notation| notation.kind == NotationKind::Deleted) && all_deleted(text, &notations);
    for notation in notations {
        let (from, to) = (notation.text.0 as usize, notation.text.1 as usize);
        match notation.kind {
            NotationKind::Formula => changes.of_formula(from, to, false, options.math),
            NotationKind::DisplayFormula => changes.of_formula(from, to, true, options.math),
            // A mark is written instead of its script.
            NotationKind::Superscript | NotationKind::Subscript
                if notes.is_some_and(|notes| notes.covers(at, notation.text)) => {}
            NotationKind::Superscript | NotationKind::Subscript => {
                changes.of_script(from, to, notation.kind == NotationKind::Superscript, options.scripts);
            }
            // More than a few words are a section that the page opens, or all there is.
            NotationKind::Hidden if from == 0 && to == text.len() => {}
            NotationKind::Hidden => changes.of_hidden(from, to, || is_shut(notation.element)),
            NotationKind::Deleted => changes.of_deleted(from, to, form, is_struck),
            NotationKind::LinkedImage if form == Form::Markdown => {
                changes.add(from, to, PieceKind::LinkedImage(notation.element));
            }
            NotationKind::Reading if options.readings == ReadingForm::Drop => {
                let to = to + page_bracket(text, from, to).map_or(0, char::len_utf8);
                changes.leave_out(from, to);
            }
            NotationKind::FragmentLink
            | NotationKind::InlineNote
            | NotationKind::LinkedImage
            | NotationKind::Reading => {}
        }
    }
    changes.pieces()
}

/// Changes to the text of a block, in any order.
struct Changes<'a> {
    text: &'a str,
    changes: Vec<Piece>,
}

impl Changes<'_> {
    fn add(&mut self, from: usize, to: usize, kind: PieceKind) {
        let text = self.text;
        if from <= to && to <= text.len() {
            let is_gap = |side: Option<&str>, at_end: bool| {
                side.is_some_and(
                    |side| if at_end { side.is_empty() || side.ends_with(' ') } else { side.starts_with(' ') },
                )
            };
            // What is left out takes one of the spaces around it along.
            let is_left_out = from < to && kind == PieceKind::Sign(String::new());
            let joins = is_left_out && is_gap(text.get(..from), true) && is_gap(text.get(to..), false);
            let to = to + usize::from(joins);
            self.changes.push(Piece { from, to, kind });
        }
    }

    fn leave_out(&mut self, from: usize, to: usize) {
        self.add(from, to, PieceKind::Sign(String::new()));
    }

    /// Returns the number of bytes of white space at the start of a byte range of the text.
    fn space_before(&self, from: usize, to: usize) -> usize {
        let part = self.text.get(from..to).unwrap_or_default();
        part.len() - part.trim_start().len()
    }

    fn of_notes(&mut self, at: u32, notes: &Notes, form: NoteForm) {
        for mark in notes.marks(at) {
            let kind = match form {
                NoteForm::Keep if mark.has_note => PieceKind::Note(mark.number),
                NoteForm::Keep => PieceKind::Sign(format!("[{}]", mark.number)),
                NoteForm::Drop => PieceKind::Sign(String::new()),
            };
            self.add(mark.from as usize, mark.to as usize, kind);
        }
        for (from, to) in notes.cuts(at) {
            self.leave_out(*from as usize, *to as usize);
        }
    }

    fn of_formula(&mut self, from: usize, to: usize, display: bool, form: MathForm) {
        let from = from + self.space_before(from, to);
        match form {
            MathForm::Tex => self.add(from, to, PieceKind::Formula { display }),
            MathForm::Plain => {}
            MathForm::Off => self.leave_out(from, to),
        }
    }

    fn of_hidden(&mut self, from: usize, to: usize, is_shut: impl Fn() -> bool) {
        let hidden = self.text.get(from..to).unwrap_or_default();
        let is_label = hidden.len() <= MAX_HIDDEN_BYTES && words::count(hidden) <= MAX_HIDDEN_WORDS;
        if is_label || words::count(hidden) <= MAX_SHUT_WORDS && is_shut() {
            // White space before it stays.
            self.leave_out(from + self.space_before(from, to), to);
        }
    }

    /// Adds signs such as `^` to a superscript or subscript that would run together with the text before it.
    fn of_script(&mut self, from: usize, to: usize, is_sup: bool, form: ScriptForm) {
        let text = self.text;
        let script_text = text.get(from..to).unwrap_or_default();
        let before = text.get(..from).unwrap_or_default();
        let inner = script_text.trim();
        let Some(last) = before.chars().next_back() else { return };
        let joins = last.is_alphanumeric() || matches!(last, ')' | ']' | '}' | '%' | '"' | '\u{2019}');
        let mut chars = inner.chars();
        let first = chars.next().unwrap_or(' ');
        let signed = matches!(first, '-' | '+' | '\u{2212}' | '\u{2013}' | '\u{b1}');
        let says = first.is_alphanumeric() || signed && chars.next().is_some_and(char::is_alphanumeric);
        let is_number = inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit());
        if script_text.starts_with(char::is_whitespace) || !says {
            return;
        }
        let word = before.chars().rev().take(2 * MIN_WORD_LETTERS);
        let word = word.take_while(|c| c.is_alphanumeric());
        let is_behind_word =
            word.clone().all(char::is_alphabetic) && word.take(MIN_WORD_LETTERS).count() == MIN_WORD_LETTERS;
        let is_behind_sentence = matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '”' | '"' | '»');
        if is_sup && is_number && (is_behind_word || is_behind_sentence) {
            // The mark of a note that is not known: no power of what is before.
            let tail = from + script_text.trim_end().len();
            self.add(from, from, PieceKind::Sign("[".to_owned()));
            return self.add(tail, tail, PieceKind::Sign("]".to_owned()));
        }
        if !joins {
            return;
        }
        let word: String = {
            let back = before.chars().rev().take_while(|c| c.is_alphanumeric());
            back.take(20).collect()
        };
        let is_word = inner.chars().all(char::is_alphabetic);
        if is_sup && is_word && is_ordinal(inner, last.is_ascii_digit()) {
            return;
        }
        if is_word
            && inner.chars().count() >= MIN_WORD_LETTERS
            && word.chars().count() >= MIN_WORD_LETTERS
            && word.chars().all(char::is_alphabetic)
        {
            // A badge, or a remark: no script of what is before.
            return self.add(from, from, PieceKind::Sign(" ".to_owned()));
        }
        if form == ScriptForm::Unicode
            && let Some(signs) = inner.chars().map(if is_sup { raised } else { lowered }).collect::<Option<String>>()
        {
            return self.add(from, to, PieceKind::Sign(signs));
        }
        let mark = if is_sup { "^" } else { "_" };
        let bare = inner.strip_prefix(first).filter(|_| signed).unwrap_or(inner);
        let is_one = bare.split(['.', ',']).all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric));
        let tail = from + script_text.trim_end().len();
        if is_one {
            self.add(from, from, PieceKind::Sign(mark.to_owned()));
        } else {
            self.add(from, from, PieceKind::Sign(format!("{mark}(")));
            self.add(tail, tail, PieceKind::Sign(")".to_owned()));
        }
    }

    /// Adds the change for struck-out text: marked in Markdown, and usually left out of plain text. `is_struck` is true
    /// if all words of the text are struck out; plain text then keeps them.
    fn of_deleted(&mut self, from: usize, to: usize, form: Form, is_struck: bool) {
        let space = self.space_before(from, to);
        match form {
            Form::Markdown => self.add(from + space, to, PieceKind::Deleted),
            // Where nothing else is said it is what the line says.
            Form::Plain if is_struck => {}
            // The old price beside the new one, on a label. In a sentence it would be said.
            Form::Plain if self.text.get(..from).is_some_and(begins_label) && self.is_price(from, to) => {}
            Form::Plain => {
                let behind = self.text.get(to..).and_then(|rest| rest.chars().next());
                let ends = behind.is_none_or(|c| ".,;:!?)]}%”’»".contains(c));
                let space = if ends { 0 } else { space };
                self.leave_out(from + space, to);
            }
        }
    }

    /// Returns whether a byte range that ends a word is a price: a number with the sign or the letters of a currency.
    fn is_price(&self, from: usize, to: usize) -> bool {
        let price = self.text.get(from..to).unwrap_or_default();
        let letters = price.chars().filter(|c| c.is_alphabetic()).count();
        let has_sign = price.contains(|c: char| c == '$' || matches!(c, '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20cf}'));
        let is_money = has_sign && letters == 0 || (MIN_CURRENCY_LETTERS..=MAX_CURRENCY_LETTERS).contains(&letters);
        let ends = self.text.get(to..).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        is_money && ends && price.contains(|c: char| c.is_ascii_digit())
    }

    /// Returns the pieces of the whole text, in order; `None` if nothing changes.
    fn pieces(self) -> Option<Vec<Piece>> {
        let Self { text, mut changes } = self;
        if changes.is_empty() {
            return None;
        }
        // Of two that overlap the one that starts first counts, of such the longer.
        // Pieces must not overlap: writers copy what lies between them.
        changes.sort_by_key(|piece| (piece.from, text.len() - piece.to));
        let mut pieces = Vec::with_capacity(2 * changes.len() + 1);
        let mut at = 0;
        for piece in changes {
            if piece.from < at {
                continue;
            }
            if piece.from > at {
                pieces.push(Piece { from: at, to: piece.from, kind: PieceKind::Text });
            }
            at = piece.to;
            pieces.push(piece);
        }
        if at < text.len() {
            pieces.push(Piece { from: at, to: text.len(), kind: PieceKind::Text });
        }
        leave_no_space_at_end(text, &mut pieces);
        Some(pieces)
    }
}

/// Returns the closing bracket directly after a ruby reading, if the reading begins with the matching opening one.
fn page_bracket(text: &str, from: usize, to: usize) -> Option<char> {
    let open = text.get(from..)?.chars().next()?;
    let mut behind_open = "()（）[]［］【】《》〈〉〔〕".chars().skip_while(|c| *c != open);
    let close = behind_open.nth(1)?;
    let is_closed = text.get(from..to)?.ends_with(close);
    (!is_closed && text.get(to..)?.starts_with(close)).then_some(close)
}

/// Removes the spaces before parts that are left out at the end of a text.
fn leave_no_space_at_end(text: &str, pieces: &mut [Piece]) {
    let is_left_out = |piece: &Piece| matches!(&piece.kind, PieceKind::Sign(sign) if sign.is_empty());
    let left_out = pieces.iter().rev().take_while(|piece| is_left_out(piece)).count();
    let (said, left_out) = pieces.split_at_mut(pieces.len() - left_out);
    if let (Some(Piece { from, to, kind: PieceKind::Text }), Some(first)) = (said.last_mut(), left_out.first_mut()) {
        let end = *from + text.get(*from..*to).unwrap_or_default().trim_end_matches(' ').len();
        *to = end;
        first.from = end;
    }
}

/// Maximum number of words without digits before a struck-out price that is kept, as on a label ("Sale!").
const MAX_LABEL_WORDS: usize = 2;
/// Maximum bytes of text before a struck-out price for it to be on a label, not in a sentence.
// Each part that is struck out reads what stands before it, so this must not grow with the text.
const MAX_LABEL_BYTES: usize = 1024;

fn begins_label(text: &str) -> bool {
    let is_word = |word: &&str| word.contains(char::is_alphabetic) && !word.contains(|c: char| c.is_ascii_digit());
    text.len() <= MAX_LABEL_BYTES && text.split_whitespace().filter(is_word).count() <= MAX_LABEL_WORDS
}

/// Minimum number of letters of the name of a currency (`kr`).
const MIN_CURRENCY_LETTERS: usize = 2;
/// Maximum number of letters of the name of a currency (`EUR`).
const MAX_CURRENCY_LETTERS: usize = 3;

/// Returns whether all letters and digits of a text are struck out.
fn all_deleted(text: &str, notations: &[Notation]) -> bool {
    let mut at = 0;
    let mut is_said = false;
    let deleted = notations.iter();
    for notation in deleted.filter(|notation| notation.kind == NotationKind::Deleted) {
        let (from, to) = (notation.text.0 as usize, notation.text.1 as usize);
        is_said |= text.get(at..from).is_some_and(|part| part.contains(char::is_alphanumeric));
        at = at.max(to);
    }
    let rest = text.get(at..).unwrap_or_default();
    !(is_said || rest.contains(char::is_alphanumeric))
}

/// Minimum letters of a superscript, and of the word before it, for a space to be written between them.
const MIN_WORD_LETTERS: usize = 3;

/// Trade marks in lower case that are usually superscripts and need no `^`.
const TRADE_MARKS: [&str; 4] = ["tm", "sm", "mc", "\u{ae}"];
/// Ends of ordinal numbers that are usually superscripts and need no `^`.
const NUMBER_ENDS: [&str; 22] = [
    "st", "nd", "rd", "th", "er", "ers", "re", "ère", "nde", "e", "es", "ème", "eme", "o", "os", "a", "as", "º", "ª",
    "te", "ste", "de",
];
/// Ends of abbreviated titles (`Mme`) that are usually superscripts and need no `^`.
const TITLE_ENDS: [&str; 5] = ["me", "mes", "lle", "lles", "gr"];

/// Returns whether superscript letters are a trade mark, or the end of an ordinal number or of an abbreviated title.
fn is_ordinal(letters: &str, behind_digit: bool) -> bool {
    let letters = letters.to_lowercase();
    let ends = if behind_digit { &NUMBER_ENDS[..] } else { &TITLE_ENDS };
    TRADE_MARKS.contains(&letters.as_str()) || ends.contains(&letters.as_str())
}

/// Maximum bytes between the delimiters of a TeX formula, such as `$`; longer text is no formula.
// Farther apart two dollar signs are two prices.
const MAX_FORMULA_BYTES: usize = 4096;
const PAIRS: [(&str, &str); 4] = [("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("\\begin{", "\\end{")];

/// Returns the TeX of a formula without its delimiters, and whether they are those of a displayed formula (`$$`).
pub(crate) fn bare(text: &str) -> (&str, bool) {
    let text = text.trim();
    let marks = [("$$", "$$", true), ("\\[", "\\]", true), ("\\(", "\\)", false), ("$", "$", false)];
    let inner = |(open, close, display): (&str, &str, bool)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        // With the mark inside there are two formulas.
        (!inner.contains(close)).then(|| (inner.trim(), display))
    };
    marks.into_iter().find_map(inner).unwrap_or((text, false))
}

/// Returns whether a text is a single displayed formula with its delimiters, such as `$$x^2$$`.
pub(crate) fn is_displayed(text: &str) -> bool {
    text.starts_with(['$', '\\'])
        && (bare(text).1 || text.starts_with("\\begin{"))
        && formulas(text).first().is_some_and(|span| *span == (0, text.len()))
}

/// Returns the byte ranges of the formulas in a text, with their delimiters, in order.
pub(crate) fn formulas(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    // Where each closing mark stands next: what one opening mark has found, the next need not search for.
    // Without it each opening mark would search to the end of the text.
    let mut closing = [0usize; PAIRS.len()];
    while let Some(next) = text.as_bytes().get(at..).and_then(|rest| memchr::memchr2(b'$', b'\\', rest)) {
        let start = at + next;
        let rest = text.get(start..).unwrap_or_default();
        let pair = PAIRS.iter().zip(&mut closing).find(|((open, _), _)| rest.starts_with(open));
        let end = match pair {
            Some(((open, close), known)) => end_of(text, start + open.len(), close, known),
            None if rest.starts_with('$') => dollars(text, start).map(|len| start + len),
            None => None,
        };
        match end {
            Some(end) => {
                found.push((start, end));
                at = end;
            }
            None => at = start + 1,
        }
    }
    found
}

/// Returns the byte after a formula whose content starts at byte `from` and ends at the delimiter `close`, if any.
/// `known` caches the place of that delimiter.
fn end_of(text: &str, from: usize, close: &str, known: &mut usize) -> Option<usize> {
    if *known <= from {
        let next = text.get(from..)?.find(close);
        *known = next.map_or(usize::MAX, |at| from + at);
    }
    if *known <= from || *known - from > MAX_FORMULA_BYTES {
        return None;
    }
    let end = *known + close.len();
    if close.ends_with('{') {
        let name = text.get(end..)?.bytes().take(40).position(|byte| byte == b'}')?;
        return Some(end + name + 1);
    }
    Some(end)
}

/// Returns the number of bytes of a formula with its single dollar signs; `None` if the signs belong to prices. The
/// signs of a formula touch its content, no letter or digit follows, and the content looks like TeX.
fn dollars(text: &str, start: usize) -> Option<usize> {
    let before = text.get(..start)?.chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '\\' | '$')) {
        return None;
    }
    let inner = text.get(start + 1..)?;
    let mut len = MAX_FORMULA_BYTES.min(inner.len());
    while !inner.is_char_boundary(len) {
        len -= 1;
    }
    let end = inner.get(..len)?.find('$')?;
    let formula = inner.get(..end)?;
    let after = inner.get(end + 1..).and_then(|rest| rest.chars().next());
    let touches = !formula.starts_with(char::is_whitespace)
        && !formula.ends_with(char::is_whitespace)
        && !formula.ends_with('\\');
    let is_tex = formula.contains(['\\', '^', '_', '=', '<', '>', '{'])
        || formula.chars().count() <= 3 && formula.chars().any(char::is_alphabetic)
        || !formula.contains(char::is_whitespace)
            && formula.contains(['(', '+', '|', '/'])
            && !formula.starts_with(|c: char| c.is_ascii_digit());
    (touches && !formula.is_empty() && is_tex && !formula.contains('\n') && !after.is_some_and(|c| c.is_alphanumeric()))
        .then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::{bare, formulas, is_displayed, *};
    use trommel_html::{Engine, Limits, ScanEngine};

    fn shown(html: &str, options: TextOptions) -> String {
        let page = ScanEngine.read(html, &Limits::default());
        let block = &page.blocks[0];
        let text = page.text(block);
        let form = (Form::Plain, options);
        let Some(pieces) = pieces(text, 0, page.notations(block), None, form, |_| false) else {
            return text.to_owned();
        };
        pieces
            .iter()
            .map(|piece| match &piece.kind {
                PieceKind::Text => text[piece.from..piece.to].to_owned(),
                PieceKind::Formula { display: true } => format!("$${}$$", &text[piece.from..piece.to]),
                PieceKind::Formula { .. } => format!("${}$", &text[piece.from..piece.to]),
                PieceKind::Note(number) => format!("[^{number}]"),
                PieceKind::Sign(sign) => sign.clone(),
                other => panic!("{other:?} in plain text"),
            })
            .collect()
    }

    #[test]
    fn scripts_do_not_run_together_with_what_is_before() {
        for (html, text) in [
            ("100<sup>2</sup> x<sub>i</sub>", "100^2 x_i"),
            ("10<sup>−3</sup> a<sub>n+1</sub>b", "10^−3 a_(n+1)b"),
            ("H<sub>2</sub>O", "H_2O"),
            ("1<sup>st</sup> 2<sup>e</sup> M<sup>me</sup> X<sup>TM</sup>", "1st 2e Mme XTM"),
            ("x <sup>2</sup> word<sup>[3]</sup> a<sup>*</sup>", "x 2 word[3] a*"),
            ("Pricing<sup>New</sup>", "Pricing New"),
            ("without credit<sup>5</sup> in 30 minutes.<sup>16</sup>", "without credit[5] in 30 minutes.[16]"),
            ("km<sup>2</sup> und m<sup>3</sup>", "km^2 und m^3"),
            ("2<sup>1.5</sup>", "2^1.5"),
        ] {
            assert_eq!(shown(html, TextOptions::default()), text, "{html}");
        }
        let unicode = TextOptions::default().with_scripts(ScriptForm::Unicode);
        assert_eq!(shown("100<sup>2</sup> x<sub>i</sub> y<sub>q</sub>", unicode), "100² xᵢ y_q");
    }

    #[test]
    fn readings_are_given_as_asked() {
        let options = TextOptions::default().with_readings(ReadingForm::Drop);
        for (html, kept, dropped) in [
            ("この<ruby>橋<rt>はし</rt></ruby>は", "この橋（はし）は", "この橋は"),
            ("<ruby>橋<rp>(</rp><rt>はし</rt><rp>)</rp></ruby>(長い)", "橋(はし)(長い)", "橋(長い)"),
            ("<ruby><rb>長<rb>崎<rt>なが<rt>さき</ruby>と", "長崎（ながさき）と", "長崎と"),
            ("a (<ruby>橋<rt>はし</rt></ruby>) b", "a (橋（はし）) b", "a (橋) b"),
            ("<ruby>汉<rtc><rt>hàn</rt></rtc></ruby> 好", "汉（hàn） 好", "汉 好"),
        ] {
            assert_eq!(shown(html, TextOptions::default()), kept, "{html}");
            assert_eq!(shown(html, options), dropped, "{html}");
        }
    }

    #[test]
    fn what_a_line_hides_is_left_out() {
        for (html, text) in [
            ("a <span style='display:none'>(2020)</span> b", "a b"),
            ("a <b hidden>x</b>b", "a b"),
            ("a b <i hidden>x</i> <b hidden>y</b>", "a b"),
            ("<i class='md:hidden'>Sept</i><i class='hidden md:inline'>September</i> 1", "September 1"),
            ("a <i class='print:hidden dark:hidden'>b</i>", "a b"),
            ("<span class=hidden>all there is</span>", "all there is"),
            ("<h2>Enum <button>Copy path</button></h2>", "Enum"),
            ("<h2>1. <button>Which one?</button></h2>", "1. Which one?"),
            ("<h2>Parts<b><button>1x</button> <button>2x</button></b></h2>", "Parts1x 2x"),
            ("<p>Press <button>Start</button>", "Press Start"),
            // So do links to maps, and what readers' aids are told of prices that the eye sees.
            ("<p>12 Mill Road <a href='https://maps.google.com/?q=x'>+ Map</a>", "12 Mill Road"),
            ("<p>12 Mill Road <a href='https://maps.example/?q=x'>+ Map</a>", "12 Mill Road + Map"),
            (
                "<del aria-hidden=true><b>$5</b></del> <span class=screen-reader-text>Old: $5.</span> \
                 <ins aria-hidden=true>$4</ins> <span class=shop-sr-only>New</span>",
                "$5 $4",
            ),
            ("<b aria-hidden=true>5</b> <span class=sr-only>five</span>", "5 five"),
            ("<del aria-hidden=true>$5</del> <span class=sr>five</span>", "$5 five"),
            ("<del>$5</del> <span class=sr-only>five</span>", "$5 five"),
            ("<style>.m{display:none}</style>a <i class=m>x</i>b", "a b"),
            ("a <span hidden>1 2 3 4 5 6 7 8 9</span>", "a 1 2 3 4 5 6 7 8 9"),
            ("a <span hidden><math><mi>x</mi></math></span>", "a $x$"),
        ] {
            assert_eq!(shown(html, TextOptions::default()), text, "{html}");
        }
    }

    #[test]
    fn what_is_struck_out_does_not_read_as_if_it_were_said() {
        for (html, text) in [
            ("The lamp costs <del>$5</del> <ins>$4</ins> now", "The lamp costs $4 now"),
            ("was <del>$5</del>$4", "was $4"),
            ("<s>old</s>new <strike>ten</strike> nine<del> words</del>.", "new nine."),
            // A label has the old price and the new one.
            ("Sale! <del>$5</del> <ins>$4</ins>", "Sale! $5 $4"),
            ("<del>5,00 kr</del> <ins>4,00 kr</ins>", "5,00 kr 4,00 kr"),
            ("<del>5</del> <ins>4</ins> lamps", "4 lamps"),
            ("<del>five kroner</del> 4 kr", "4 kr"),
            // All that a line says.
            ("<del>$5</del>", "$5"),
            ("<del>done</del> <s>too</s>.", "done too."),
            ("a<del> b<sup>2</sup></del> c", "a c"),
        ] {
            assert_eq!(shown(html, TextOptions::default()), text, "{html}");
        }
    }

    #[test]
    fn formulas_are_given_as_asked() {
        let html = "a <math><mi>x</mi></math> b <math display=block><mi>y</mi></math>";
        let tex = TextOptions::default();
        assert_eq!(shown(html, tex), "a $x$ b $$y$$");
        assert_eq!(shown(html, tex.with_math(MathForm::Plain)), "a x b y");
        assert_eq!(shown(html, tex.with_math(MathForm::Off)), "a b");
    }

    fn found(text: &str) -> Vec<&str> {
        formulas(text).iter().map(|(a, b)| &text[*a..*b]).collect()
    }

    #[test]
    fn formulas_are_told_from_prices() {
        assert_eq!(
            found("Here $f(x) = \\sum_i a_i$ and $x$, costs $100 per unit and $5, \\(E = mc^2\\) $$h_i$$."),
            ["$f(x) = \\sum_i a_i$", "$x$", "\\(E = mc^2\\)", "$$h_i$$"]
        );
        assert_eq!(
            found("\\[F = ma\\] \\begin{align} x_1 \\end{align}"),
            ["\\[F = ma\\]", "\\begin{align} x_1 \\end{align}"]
        );
        for none in ["$5 and $6", "a$b$c", "$ x $", "\\(never", "$$", "$PATH and $HOME", "US$3 or US$4"] {
            assert_eq!(found(none), Vec::<&str>::new(), "{none}");
        }
    }

    #[test]
    fn marks_around_formulas_are_no_part_of_them() {
        assert_eq!(bare("\\( x \\)"), ("x", false));
        assert_eq!(bare("\\[x\\]"), ("x", true));
        assert_eq!(bare("$$x$$"), ("x", true));
        assert_eq!(bare("$x$"), ("x", false));
        assert_eq!(bare("x"), ("x", false));
        for several in ["\\(a\\) and \\(b\\)", "$a$ and $b$", "$$a$$, $$b$$"] {
            assert_eq!(bare(several), (several, false));
        }
        assert!(is_displayed("\\[x\\]") && is_displayed("\\begin{align}x\\end{align}"));
        assert!(!is_displayed("\\[x\\] and \\[y\\]") && !is_displayed("\\(x\\)"));
    }

    #[test]
    fn many_marks_take_linear_time() {
        let text = "\\( \\[ $$ $x".repeat(50_000);
        assert!(formulas(&text).len() < 200_000);
    }

    #[test]
    fn labels_before_prices_are_short() {
        assert!(begins_label("Sale! 20% off: "));
        assert!(!begins_label("It is not on sale "));
        // Without a word, but read again before each part that is struck out.
        assert!(!begins_label(&"1 ".repeat(MAX_LABEL_BYTES)));
    }
}
