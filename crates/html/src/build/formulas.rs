//! Finds the TeX of a page's formulas and takes it over as text; other copies of the same formula are left out.
//!
//! A formula is read at the place of its element and joins the text around it, so that it cuts no paragraph. The
//! output of MathJax 2 waits for the script behind it, which holds the source.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use trommel_text::{hash, word_hash};

use super::{Builder, Capture, Skip, blocks::narrow, notation::Marks};
use crate::build::tex::{given_tex, has_data, is_prose, is_source, plain_tex, tex_of_address, text_of_mathml};
use crate::markup::lexer::{Key, TagText};
use crate::{limits::up_to, markup::Tag, page::NotationKind};

/// Maximum number of elements around a formula that are examined for being hidden or for a class such as `display`.
// Display classes are set on wrappers of one or two levels; a bound keeps each formula at constant cost.
const ANCESTORS: usize = 4;
/// Parts of image addresses by which services that draw formulas are recognised.
const SERVICES: [&str; 7] =
    ["latex.codecogs.com", "latex.php", "mathtex.cgi", "mimetex.cgi", "cht=tx", "/math/render/", "quicklatex"];

/// TeX of a formula, with its byte range in the page.
#[derive(Clone, Debug, Default)]
pub(super) struct Formula {
    tex: String,
    display: bool,
    start: usize,
    end: usize,
}

/// State of the reader of formulas while it reads a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Formulas {
    /// Markup or TeX inside the formula that is being read.
    source: String,
    /// TeX source found in an attribute of the formula or of an element in it; empty if there is none.
    given: String,
    display: bool,
    start: usize,
    end: usize,
    /// Formula as laid out by MathJax 2, held back until the script with its TeX source comes or proves to be missing.
    // MathJax 2 writes its layout before the script that has the source. Only one of the two may become text.
    pub(super) pending: Option<Formula>,
    /// True if white space has been read after the formula that is held back.
    space_after: bool,
    /// Hash of the block's latest formula, and the byte in the block's text at which the formula ends.
    // Pages show a formula twice (an image and hidden TeX): the same source at the same place is dropped.
    pub(super) last: Option<(u64, usize)>,
}

impl Builder {
    /// Returns how the content of a skipped element is read as a formula, by its start tag; `Capture::Nothing` if it is
    /// no formula.
    pub(super) fn formula_capture(&mut self, text: &TagText, offset: usize) -> Capture {
        let capture = match text.tag {
            Tag::Math | Tag::MjxContainer => Capture::Mathml,
            Tag::Script => {
                let kind = text.value(Key::Type).unwrap_or_default().trim_ascii();
                let is = |name: &[u8]| kind.get(..name.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(name));
                if is(b"math/mml") {
                    Capture::MathmlScript
                } else if is(b"math/tex") || is(b"math/asciimath") {
                    Capture::TexScript
                } else {
                    return Capture::Nothing;
                }
            }
            _ => return Capture::Nothing,
        };
        let display = match text.tag {
            Tag::Script => {
                let kind = text.value(Key::Type).unwrap_or_default();
                memmem::find(kind, b"display").is_some()
            }
            _ => {
                let is = |name: &str, value: &str| {
                    text.other_value(name).is_some_and(|stated| stated.trim().eq_ignore_ascii_case(value))
                };
                is("display", "block") || is("display", "true") || is("mode", "display")
            }
        };
        // Attributes hold the author's TeX, which is better than the text of the layout.
        let given = match text.tag {
            Tag::Script => String::new(),
            _ => given_tex(text)
                .or_else(|| text.other_value("alttext").filter(|text| !text.trim().is_empty() && !is_prose(text)))
                .unwrap_or_default(),
        };
        self.begin_formula(text, offset, display);
        self.formulas.given = given;
        capture
    }

    fn begin_formula(&mut self, text: &TagText, offset: usize, display: bool) {
        let formulas = &mut self.formulas;
        formulas.source.clear();
        formulas.given.clear();
        formulas.display = display;
        formulas.start = offset;
        formulas.end = offset + text.len();
    }

    /// Appends a start tag inside a formula to the formula's markup.
    pub(super) fn formula_tag(&mut self, text: &TagText, offset: usize) {
        let given = given_tex(text);
        let formulas = &mut self.formulas;
        formulas.end = offset + text.len();
        if formulas.given.is_empty()
            && let Some(given) = given
        {
            formulas.given = given;
        }
        // Cut at whole tags, so that what was kept still parses.
        if formulas.source.len() + text.name().len() > self.limits.formula {
            return;
        }
        formulas.source.push('<');
        formulas.source.push_str(&String::from_utf8_lossy(text.name()));
        let attributes = text.attribute_bytes();
        if attributes.len() > 1 && formulas.source.len() + attributes.len() < self.limits.formula {
            // Those that count are picked out when the formula is written.
            formulas.source.push(' ');
            formulas.source.push_str(&String::from_utf8_lossy(attributes));
            if formulas.source.ends_with('>') {
                formulas.source.pop();
            }
        }
        formulas.source.push('>');
    }

    /// Appends an end tag inside a formula to the formula's markup.
    pub(super) fn formula_end_tag(&mut self, name: &[u8]) {
        let formulas = &mut self.formulas;
        // `</`, the name and `>`.
        formulas.end += name.len() + 3;
        if formulas.source.len() + name.len() <= self.limits.formula {
            formulas.source.push_str("</");
            formulas.source.push_str(&String::from_utf8_lossy(name));
            formulas.source.push('>');
        }
    }

    /// Appends text inside a formula to the formula's markup.
    pub(super) fn formula_text(&mut self, raw: &str, offset: usize) {
        let formulas = &mut self.formulas;
        let room = self.limits.formula.saturating_sub(formulas.source.len());
        formulas.source.push_str(up_to(raw, room));
        formulas.end = offset + raw.len();
    }

    /// Ends an element that was read as a formula. Adds the formula to the text, or holds it back until its TeX source
    /// has been read.
    pub(super) fn end_formula(&mut self, capture: Capture) {
        let formulas = &mut self.formulas;
        let given = std::mem::take(&mut formulas.given);
        let source = std::mem::take(&mut formulas.source);
        let tex = match capture {
            // In order of trust: what an attribute gives, then the annotation and elements of MathML, then the script
            // itself.
            _ if !given.is_empty() => given,
            Capture::Mathml | Capture::LaidOut => text_of_mathml(&source),
            Capture::MathmlScript => text_of_mathml(source.trim()),
            _ => source.clone(),
        };
        let formula =
            Formula { tex: plain_tex(&tex), display: formulas.display, start: formulas.start, end: formulas.end };
        formulas.source = source;
        match capture {
            Capture::LaidOut => {
                self.settle_formula();
                self.formulas.pending = Some(formula).filter(|formula| !formula.tex.is_empty());
                self.formulas.space_after = false;
            }
            _ => {
                let laid_out = self.formulas.pending.take();
                if formula.tex.is_empty() {
                    self.formulas.pending = laid_out;
                    self.settle_formula();
                    return;
                }
                // The layout knows whether the formula is set apart; its source often does not say so.
                let display = laid_out.as_ref().is_some_and(|formula| formula.display);
                let start = laid_out.map_or(formula.start, |formula| formula.start);
                self.push_formula(Formula { display: formula.display || display, start, ..formula });
            }
        }
    }

    /// Adds the formula that was held back to the text as MathJax laid it out, because no TeX source follows.
    pub(super) fn settle_formula(&mut self) {
        if let Some(formula) = self.formulas.pending.take() {
            self.push_formula(formula);
            if self.formulas.space_after {
                self.fold.blank(&[]);
            }
        }
    }

    /// Returns whether the latest content of the block is a formula, which may still be held back.
    fn is_behind_formula(&self) -> bool {
        self.formulas.pending.is_some() || self.formulas.last.is_some_and(|(_, len)| len == self.fold.len())
    }

    fn push_formula(&mut self, formula: Formula) {
        let tex = up_to(&formula.tex, self.text_room);
        if tex.is_empty() {
            return;
        }
        let tex_hash = hash(tex.as_bytes());
        if self.formulas.last == Some((tex_hash, self.fold.len())) {
            // An image of the formula right before.
            return;
        }
        let is_first = self.current.is_none();
        self.text_room -= tex.len();
        // Into the text around it: a formula cuts no paragraph.
        self.fold.push_whole(tex, formula.start, formula.end, self.keep_space > 0);
        self.note_text();
        if is_first && let Some(shown) = self.innermost_shown() {
            // Formulas for screen readers are hidden, and yet what is read.
            if let Some(current) = &mut self.current {
                (current.element, current.container) = shown;
            }
        }
        let kind =
            if formula.display || self.is_set_apart() { NotationKind::DisplayFormula } else { NotationKind::Formula };
        let to = self.fold.len();
        let element = self.stack.last().map_or(crate::page::NONE, |open| open.element);
        self.note(kind, element, narrow(to - tex.len()), narrow(to));
        self.formulas.last = Some((tex_hash, to));
    }

    /// Returns the indices of the nearest visible element around the innermost open element, and of its block-level
    /// element. `None` if the innermost element itself is visible, or none of its nearest ancestors is.
    fn innermost_shown(&self) -> Option<(u32, u32)> {
        let is_hidden = |at: u32| self.page.element(at).is_some_and(|element| element.hidden);
        let last = self.stack.last()?;
        if !is_hidden(last.element) {
            return None;
        }
        let shown = self.stack.iter().rev().take(ANCESTORS);
        // A block takes the place of its first text, and a hidden place would drop the whole paragraph.
        shown.map(|open| (open.element, open.container)).find(|(element, _)| !is_hidden(*element))
    }

    fn is_set_apart(&self) -> bool {
        const DISPLAY: u64 = word_hash(b"display");
        let around = self.stack.iter().rev().take(ANCESTORS);
        around
            // A class `display` around a whole paragraph or page says nothing about a formula in it.
            .take_while(|open| open.tag != Tag::Body && open.tag != Tag::P)
            .filter_map(|open| self.page.element(open.element))
            .any(|element| {
                let words = self.page.attribute_words(element);
                words.iter().any(|word| word.hash == DISPLAY)
            })
    }

    /// Handles an element with the classes or attributes of formulas, after its row has been written.
    pub(super) fn formula_element(&mut self, text: &TagText, offset: usize, marks: Marks) {
        if text.tag == Tag::Img {
            return self.formula_image(text, offset, marks.contains(Marks::MATH));
        }
        let class = text.value(Key::Class).unwrap_or_default();
        let has = |name: &[u8]| text.has_class(name);
        let is_inside = self.stack.last().is_some_and(|open| open.element as usize + 1 == self.page.elements.len());
        if !is_inside {
            return;
        }
        let may_hold = text.tag.is_inline() || matches!(text.tag, Tag::Div | Tag::P | Tag::Other);
        let given = match text.tag {
            _ if !may_hold => None,
            _ if marks.contains(Marks::SOURCE) => given_tex(text),
            _ => ["data-entry", "data-expr", "data-formula", "data-equation"]
                .iter()
                .filter(|_| has_data(text))
                .find_map(|name| text.other_value(name))
                .filter(|tex| is_source(tex)),
        };
        let mut capture = Capture::Nothing;
        if let Some(given) = given {
            let start = text.len();
            let display = text.tag == Tag::Div || has(b"display");
            self.settle_formula();
            self.push_formula(Formula { tex: plain_tex(&given), display, start: offset, end: offset + start });
        // KaTeX writes MathML and then glyphs. Without MathML before them the glyphs are all there is.
        } else if has(b"katex-html") && self.is_behind_formula() || has(b"MathJax_Preview") {
            // The source has been read, or follows.
        } else if [
            &b"MathJax"[..],
            b"MathJax_Display",
            b"MathJax_SVG",
            b"MathJax_SVG_Display",
            b"MathJax_CHTML",
            b"MathJax_PHTML",
            b"MathJax_MathML",
            b"mjx-chtml",
        ]
        .iter()
        .any(|name| has(name))
        {
            let display = memmem::find(class, b"isplay").is_some()
                || memmem::find(text.attribute_bytes(), b"display=&quot;block").is_some();
            self.begin_formula(text, offset, display);
            if let Some(mathml) = text.value(Key::Mathml) {
                let mathml = htmlize::unescape_attribute(String::from_utf8_lossy(mathml));
                self.formulas.given = text_of_mathml(up_to(&mathml, self.limits.formula));
            }
            capture = Capture::LaidOut;
        } else {
            return;
        }
        self.skip =
            Some(Skip { tag: text.tag, depth: 1, islands: 0, from: offset + text.len(), capture, keeps_row: true });
    }

    /// Adds the formula of an image, if its `alt`, `title` or address gives TeX.
    fn formula_image(&mut self, text: &TagText, offset: usize, is_math: bool) {
        let alt = text.other_value("alt").unwrap_or_default();
        let source = text.other_value("src").unwrap_or_default();
        let service = SERVICES.iter().find(|service| source.contains(*service));
        if !is_math && service.is_none() {
            return;
        }
        let title = || text.other_value("title").unwrap_or_default();
        let looks_like_tex = |text: &String| {
            let text = text.trim();
            !text.is_empty()
                && !is_prose(text)
                // Alternative texts of up to three characters are single symbols, such as `x` or `n!`.
                && (text.contains(['\\', '^', '_', '=', '+', '{', '<', '>', '$']) || text.chars().count() <= 3)
        };
        let tex = Some(alt)
            .filter(looks_like_tex)
            .or_else(|| Some(title()).filter(looks_like_tex))
            .or_else(|| service.and_then(|_| tex_of_address(&source)));
        let Some(tex) = tex else { return };
        let display = memmem::find(text.value(Key::Class).unwrap_or_default(), b"isplay").is_some();
        self.settle_formula();
        self.push_formula(Formula { tex: plain_tex(&tex), display, start: offset, end: offset + text.len() });
    }

    /// Returns whether an image may show a formula, by typical parts of its attributes such as `tex` or `/math/`.
    pub(super) fn may_be_formula_image(text: &TagText) -> bool {
        /// Searchers for `tex`, `/math/` and `cht=tex`, which occur in the addresses or classes of images of formulas.
        // Three searches pass over nearly all images before their attributes are read one by one.
        static SIGNS: LazyLock<[Finder; 3]> = LazyLock::new(|| ["tex", "/math/", "cht=tx"].map(Finder::new));
        let attributes = text.attribute_bytes();
        SIGNS.iter().any(|sign| sign.find(attributes).is_some())
    }

    /// Handles text after a formula that is held back; returns true if the text was white space and needs nothing more.
    pub(super) fn text_while_pending(&mut self, raw: &str) -> bool {
        if raw.bytes().all(|byte| byte.is_ascii_whitespace()) {
            self.formulas.space_after = true;
            return true;
        }
        self.settle_formula();
        false
    }
}

#[cfg(test)]
mod tests;
