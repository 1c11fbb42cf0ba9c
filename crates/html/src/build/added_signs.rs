//! Adds signs to the text that the page shows by elements: quotation marks of `q`, brackets of ruby, images of signs.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{Builder, OpenElement, OpenState, blocks::narrow};
use crate::markup::lexer::{Key, TagText};
use crate::{markup::Tag, page::NotationKind};

/// Pairs of an opening bracket and its closing bracket, as used around ruby readings.
const BRACKETS: [(char, char); 8] =
    [('(', ')'), ('（', '）'), ('[', ']'), ('［', '］'), ('【', '】'), ('《', '》'), ('〈', '〉'), ('〔', '〕')];
/// Maximum number of characters, from the end of a text, that are searched for the opening bracket of a ruby reading.
const MAX_READING_CHARS: usize = 200;
/// Maximum length in bytes of an image's `alt` that is added to the text as a sign (`☎`) without a class that says so.
const MAX_SIGN_BYTES: usize = 16;
const MAX_NAMED_BYTES: usize = 48;
/// Maximum number of characters of an image's `alt` that is added to the text as a sign (`☎`) unless a class says so.
const MAX_SIGN_CHARS: usize = 4;
/// Maximum width and height, in pixels, of an image whose `alt` is added to the text as a sign, such as an emoji.
const MAX_SIGN_PIXELS: u32 = 64;
/// Characters that only decorate lists, links and buttons; an image with one of them as its `alt` adds no text.
const ORNAMENTS: &str = "•·●■▪◦»›►▸▶▼▲▾▴×✕✖";
/// Parts of class names that show that an image stands for a character, such as an emoji.
const SIGN_CLASSES: [&str; 3] = ["emo", "smil", "gaiji"];

impl Builder {
    /// Appends `sign` to the block's text and records bytes `start` to `end` of the page as its source.
    fn add_sign(&mut self, sign: &str, start: usize, end: usize) {
        if self.text_room >= sign.len() {
            self.text_room -= sign.len();
            self.fold.push_whole(sign, start, end, self.keep_space > 0);
            self.note_text();
        }
    }

    /// Appends a closing sign directly after the block's text, before any pending white space.
    fn add_sign_behind(&mut self, sign: char) {
        let end = self.current.as_ref().map_or(0, |current| current.end);
        let space = self.fold.take_space();
        self.add_sign(sign.encode_utf8(&mut [0; 4]), end, end);
        self.fold.put_space(space);
    }

    fn note_open(&mut self, state: OpenState) {
        if let Some(open) = self.stack.last_mut() {
            open.state |= state;
        }
    }

    /// Appends the opening quotation mark for a `q` element that has just been opened.
    pub(super) fn begin_quote(&mut self, element: u32) {
        let start = self.page.element(element).map_or(0, |element| element.start as usize);
        let (mark, _) = self.quotation_marks();
        self.add_sign(mark.encode_utf8(&mut [0; 4]), start, start);
        self.note_open(OpenState::QUOTED);
    }

    /// Returns the quotation marks (opening, closing) for the innermost open `q`, by the language of the page.
    fn quotation_marks(&self) -> (char, char) {
        let lang = self.page.head.lang.as_deref().unwrap_or_default();
        let lang = lang.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        let is_inner = self.open[Tag::Q as usize].is_multiple_of(2);
        match (lang.as_str(), is_inner) {
            ("de" | "cs" | "sk" | "sl" | "bg" | "is" | "lt", false) => ('„', '“'),
            ("de" | "cs" | "sk" | "sl" | "bg" | "is" | "lt", true) => ('‚', '‘'),
            ("pl" | "ro" | "hu", false) => ('„', '”'),
            ("fr" | "es" | "it" | "pt" | "ru" | "uk" | "el" | "no" | "nb", false) => ('«', '»'),
            ("fr" | "es" | "it" | "pt" | "ru" | "uk" | "el" | "no" | "nb", true) => ('“', '”'),
            ("ja", false) => ('「', '」'),
            ("ja", true) => ('『', '』'),
            (_, false) => ('“', '”'),
            (_, true) => ('‘', '’'),
        }
    }

    /// Returns whether an unknown element is `rtc`, the container of ruby readings, inside an open ruby.
    pub(super) fn is_reading(&self, text: &TagText) -> bool {
        self.open[Tag::Ruby as usize] > 0 && text.name().eq_ignore_ascii_case(b"rtc")
    }

    /// Appends the opening bracket of a ruby reading whose element has just been opened, unless the page has one.
    pub(super) fn begin_reading(&mut self, element: u32) {
        let is_ruby = self.open[Tag::Ruby as usize] > 0;
        let Some(last) = self.fold.as_str().chars().next_back().filter(|_| is_ruby) else { return };
        // White space around the parts of a ruby is that of the source.
        self.fold.take_space();
        // The page has a bracket of its own, in `rp`, or the reading is one of several.
        let is_inner = self.stack.iter().nth_back(1).is_some_and(|around| around.state.contains(OpenState::READING));
        if is_inner || BRACKETS.iter().any(|(open, _)| *open == last) {
            return self.note_open(OpenState::READING);
        }
        if self.reading_end == Some(self.fold.len()) {
            self.fold.pop();
        } else {
            let place = self.page.element(element).map_or(0, |element| element.start as usize);
            // As wide as the letters around them.
            let bracket = if last >= '\u{2e80}' && !('\u{ac00}'..='\u{d7a3}').contains(&last) { "（" } else { "(" };
            self.add_sign(bracket, place, place);
        }
        self.note_open(OpenState::READING | OpenState::BRACKETED);
    }

    /// Appends the closing quotation mark or bracket of an element that has ended.
    pub(super) fn end_sign(&mut self, open: OpenElement) {
        if self.fold.is_empty() {
            return;
        }
        if open.state.contains(OpenState::QUOTED) {
            // The element has ended already, and counts no more.
            self.open[Tag::Q as usize] += 1;
            let (_, mark) = self.quotation_marks();
            self.open[Tag::Q as usize] -= 1;
            return self.add_sign_behind(mark);
        }
        let text = self.fold.as_str();
        let is_bracketed = open.state.contains(OpenState::BRACKETED);
        let bracket = |c: char| BRACKETS.iter().find(|(open, _)| *open == c);
        let mut back = text.char_indices().rev().take(MAX_READING_CHARS);
        let Some((from, (_, close))) = back.find_map(|(at, c)| Some((at, *bracket(c)?))) else { return };
        if text.chars().next_back().is_some_and(|last| bracket(last).is_some()) {
            // An empty reading, as of the kana of a word.
            if is_bracketed {
                self.fold.pop();
            }
            return;
        }
        if is_bracketed {
            self.fold.take_space();
            self.add_sign_behind(close);
            self.reading_end = Some(self.fold.len());
        }
        self.note(NotationKind::Reading, open.element, narrow(from), narrow(self.fold.len()));
    }

    /// Appends the `alt` of an image to the block's text if it is a sign, such as an emoji.
    pub(super) fn add_image(&mut self, text: &TagText, offset: usize) {
        let is_hidden = self.page.elements.last().is_none_or(|element| element.hidden);
        let value = |name: &str| text.other_value(name);
        let is_large = |name: &str| {
            let pixels = value(name).and_then(|pixels| pixels.trim().parse::<u32>().ok());
            pixels.is_some_and(|pixels| !(2..=MAX_SIGN_PIXELS).contains(&pixels))
        };
        let alt = value("alt").unwrap_or_default();
        let sign = alt.trim();
        if is_hidden || is_large("width") || is_large("height") || sign.is_empty() {
            return;
        }
        let is_named = is_named_sign(text);
        let begins_line = self.fold.is_empty();
        let is_sign = is_named || is_sign(sign, begins_line);
        // The source of a formula has been taken over.
        if is_sign && !self.is_behind_formula_image(offset) {
            self.end_text_run();
            self.add_sign(sign, offset, offset + text.len());
        }
    }

    /// Returns whether the image at byte `offset` has already been added to the block's text as a formula.
    fn is_behind_formula_image(&self, offset: usize) -> bool {
        self.current.as_ref().is_some_and(|current| current.end > offset)
    }
}

/// Returns whether an image's `alt` is a sign that belongs in the text: a smiley, a few signs, or a non-ASCII letter.
fn is_sign(sign: &str, begins_line: bool) -> bool {
    // `:)`, `:D` and `:tada:`.
    let is_face = sign.starts_with([':', ';']) && sign.len() > 1 && !sign.contains(char::is_whitespace);
    let is_letter = sign.chars().count() == 1 && sign.chars().all(char::is_alphabetic);
    let is_wide = |c: char| c >= '\u{2e80}' && !('\u{e000}'..='\u{f8ff}').contains(&c);
    let is_said = |c: char| !c.is_ascii() || "@=<&%$".contains(c);
    let is_kind = is_letter || !sign.contains(char::is_alphanumeric);
    if is_face && (sign.len() <= MAX_SIGN_CHARS || sign.ends_with(':')) {
        return true;
    }
    // What else begins a line is its ornament, or the initial of a chapter.
    let is_short = sign.chars().count() <= MAX_SIGN_CHARS;
    is_short
        && is_kind
        && sign.chars().all(|c| if begins_line { is_wide(c) } else { is_said(c) && !ORNAMENTS.contains(c) })
}

fn is_named_sign(text: &TagText) -> bool {
    static PARTS: LazyLock<[Finder; 3]> = LazyLock::new(|| SIGN_CLASSES.map(Finder::new));
    text.value(Key::Class).is_some_and(|class| PARTS.iter().any(|part| part.find(class).is_some()))
}

/// Returns whether the `alt` of an image may be a sign, by its length and first byte, or by a class of the image.
pub(super) fn is_sign_image(text: &TagText) -> bool {
    static ALT: LazyLock<Finder> = LazyLock::new(|| Finder::new("alt="));
    let attributes = text.attribute_bytes();
    let Some(alt) = ALT.find(attributes).and_then(|at| attributes.get(at + 4..)) else { return false };
    let (alt, end) = match alt.split_first() {
        Some((quote @ (b'"' | b'\''), rest)) => (rest, memchr::memchr(*quote, rest)),
        _ => (alt, alt.iter().position(u8::is_ascii_whitespace).or(Some(alt.len()))),
    };
    let Some(first) = alt.first().filter(|_| end.is_some_and(|len| (1..=MAX_NAMED_BYTES).contains(&len))) else {
        return false;
    };
    // Most are words, which are none unless a class says so.
    !first.is_ascii_alphanumeric() && end <= Some(MAX_SIGN_BYTES) || is_named_sign(text)
}

#[cfg(test)]
mod tests {
    use crate::tests::block_texts as text;
    use crate::{Engine, Limits, ScanEngine, source_range};

    #[test]
    fn readings_stand_in_brackets_behind_their_base() {
        for (html, wanted) in [
            ("<p>この<ruby>橋<rt>はし</rt></ruby>は長い。", "この橋（はし）は長い。"),
            ("<p><ruby>橋<rp>(</rp><rt>はし</rt><rp>)</rp></ruby>は", "橋(はし)は"),
            ("<p><ruby>長<rt>なが</rt>崎<rt>さき</rt></ruby>と", "長（なが）崎（さき）と"),
            ("<p><ruby><rb>長<rb>崎<rt>なが<rt>さき</ruby>と", "長崎（ながさき）と"),
            ("<p><ruby>\n <rb aria-hidden=true>長崎</rb>\n <rt>ながさき</rt>\n</ruby>\nと", "長崎（ながさき）と"),
            ("<ruby>食<rt>た</rt>べ<rt></rt></ruby>る", "食（た）べる"),
            ("<ruby><rb>汉字</rb><rtc><rt>hàn</rt><rt>zì</rt></rtc></ruby>好", "汉字（hànzì）好"),
            ("<ruby>WWW<rt>World Wide Web</ruby> is <ruby>한<rt>韓</rt></ruby>", "WWW(World Wide Web) is 한(韓)"),
            ("<p>a <rt>b</rt> c", "a b c"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
        let page = ScanEngine.read("<p><ruby><rb aria-hidden=true>橋</rb><rt>はし</ruby>", &Limits::default());
        assert!(page.elements.iter().all(|element| !element.hidden));
    }

    #[test]
    fn quotations_have_the_marks_of_their_language() {
        for (html, wanted) in [
            ("<p>She said <q>come <q>home</q> now</q>.", "She said “come ‘home’ now”."),
            ("<html lang=de-AT><p>Sie rief <q>Komm <b>her</b> </q>laut.", "Sie rief „Komm her“ laut."),
            ("<html lang=fr><p>Il dit <q>oui</q>", "Il dit «oui»"),
            ("<html lang=ja><p>彼は<q>はい</q>と", "彼は「はい」と"),
            ("<p><q>No</q>, he said<p>x", "“No”, he said|x"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }

    #[test]
    fn images_that_are_signs_are_text() {
        for (html, wanted) in [
            ("<p>n <img src=ge.gif alt='&ge;' width=11> 4", "n ≥ 4"),
            ("<p>Gut <img class='wp-smiley x' alt=':-)'> so", "Gut :-) so"),
            ("<p><img class=emoji alt=🎉 src=x> Fest <img src=y alt='👍🏽'>", "🎉 Fest 👍🏽"),
            ("<p>Merci <img alt=':D' src=s.gif> et <img alt=:tada: src=t.png>", "Merci :D et :tada:"),
            ("<p>作家の森<img src=g1.png alt=鷗>外は", "作家の森鷗外は"),
            ("<p><img src=g2.png alt=𠮷>野さん", "𠮷野さん"),
            ("<p>ana<img alt=@ src=at.gif>mill.example, 5 &lt;<img alt='='> 6", "ana@mill.example, 5 <= 6"),
            ("<p>see <a href=x><img alt=→ src=a></a> <img alt='⇒ ' src=b> y", "see → ⇒ y"),
            // Pictures, ornaments and what counts readers are none.
            ("<p><img alt='*' src=dot.gif> one <img alt='' src=x> two <img alt=photo src=x>", "one two"),
            (
                "<p>a <img alt='≥' aria-hidden=true> b <img alt=森 width=300> c <img alt=… width=1 height=1> d <img alt=x>",
                "a b c d",
            ),
            ("<p>a <img alt='A view of the mill'> b <img src=x>", "a b"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }

    #[test]
    fn added_signs_do_not_hide_the_place_of_what_is_around_them() {
        let html = "<p>so <q>yes</q> <ruby>橋<rt>はし</rt></ruby> <img alt='≥' src=x> end";
        let page = ScanEngine.read(html, &Limits::default());
        let (text, span) = (page.text(&page.blocks[0]), page.blocks[0].span);
        for (part, source) in [
            ("yes", "yes"),
            ("はし", "はし"),
            ("≥", "<img alt='≥' src=x>"),
            ("≥ end", "<img alt='≥' src=x> end"),
            ("“yes”", "<q>yes</q>"),
        ] {
            let from = text.find(part).unwrap();
            let (start, end) = source_range(html, span, text, (from, from + part.len()));
            assert_eq!(&html[start as usize..end as usize], source, "{part}");
        }
    }
}
