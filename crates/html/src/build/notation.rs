//! Records the parts of a block's text whose formatting has a meaning ([`Notation`]).

use bitflags::bitflags;
use trommel_text::word_hash;

use super::{Builder, blocks::narrow};
use crate::markup::Tag;
use crate::markup::lexer::{Key, TagText};
use crate::page::{Element, ElementKinds, NONE, Notation, NotationKind, PAGE_ROW_WORDS};

bitflags! {
    /// Set of properties that attributes and style sheets give to an element, such as struck out or hidden.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Marks: u16 {
        /// A class of the element is used for formulas.
        const MATH = 1;
        /// The element has an attribute with the TeX or MathML of a formula, or one that may have it.
        const SOURCE = 1 << 1;
        /// A class of the element is used for notes beside the text, such as sidenotes.
        const NOTE = 1 << 2;
        /// The element is hidden, or a word of its class suggests that.
        const HIDDEN = 1 << 3;
        /// A style sheet of the page hides the element by its class or id.
        const SHEET = 1 << 4;
        /// A word of the element's class suggests that the element holds lines of code.
        const CODE = 1 << 5;
        /// The `role` of the element is `heading`.
        const HEADING = 1 << 6;
        /// A word of the element's attributes, such as `pagination`, suggests a row of links to numbered pages.
        const PAGE_ROW = 1 << 7;
        /// The style, class or style sheet of the element displays it as a block.
        const BLOCK = 1 << 8;
        /// A word of the element's class suggests that its text is struck out.
        const STRUCK = 1 << 9;
        /// A word of the element's class suggests that its text is inline code.
        const LITERAL = 1 << 10;
        /// The element is out of sight: by `hidden`, its style, its class or a style sheet.
        const UNSEEN = 1 << 11;
        /// A word of the element's class suggests that it is a box with a note or warning.
        const BOX = 1 << 12;
        /// The style of the element, or a style sheet, preserves its line ends.
        const LINES = 1 << 13;
        /// The style of the element, or a style sheet, displays it as a piece of code.
        const LISTING = 1 << 14;
        /// A style sheet has a rule for the element's class or id together with a tag, so its tag must be checked.
        const OF_TAG = 1 << 15;

        /// Union of the properties that words of a class can give, together with `SHEET`.
        const OF_CLASS = Self::MATH.bits() | Self::NOTE.bits() | Self::HIDDEN.bits() | Self::SHEET.bits()
            | Self::CODE.bits() | Self::PAGE_ROW.bits() | Self::STRUCK.bits() | Self::LITERAL.bits()
            | Self::BOX.bits();
    }
}

/// Properties that words of a class give to an element, each with the hashes of these words (`katex`: formula).
const MARKING: [(Marks, &[u64]); 8] = [
    (Marks::HIDDEN, &hashes(["hidden", "invisible", "none", "reader", "sr", "visuallyhidden"])),
    (Marks::MATH, &hashes(["katex", "jax", "mathjax", "math", "tex", "latex", "mjx"])),
    (Marks::NOTE, &hashes(["footnotes", "sidenote", "marginnote", "ltx"])),
    (
        Marks::CODE,
        &hashes([
            "crayon", "syntaxhighlighter", "cm", "mirror", "codemirror", "monaco", "ace", "highlighter", "enlighter",
            "file", "prism", "fragment", "ql",
        ]),
    ),
    (Marks::PAGE_ROW, &hashes(PAGE_ROW_WORDS)),
    (Marks::STRUCK, &hashes(["through"])),
    (Marks::LITERAL, &hashes(["literal"])),
    (Marks::BOX, &hashes(["admonition", "callout", "alert", "custom", "hint", "starlight"])),
];
/// Quick filter for class words: rules out nearly all words that give no property to their element.
// By bits of the hashes and not by a comparison with each: 2 million instructions of 85 pages less.
static MARKING_WORDS: WordSieve = WordSieve::of(&MARKING);

const fn hashes<const N: usize>(words: [&str; N]) -> [u64; N] {
    let mut hashes = [0; N];
    let mut at = 0;
    while at < N {
        hashes[at] = word_hash(words[at].as_bytes());
        at += 1;
    }
    hashes
}

/// Bit set of the 12 highest bits of known word hashes, by which most other words are ruled out quickly.
struct WordSieve([u64; 64]);

impl WordSieve {
    const fn of(lists: &[(Marks, &[u64])]) -> Self {
        let mut bits = [0; 64];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].1.len() {
                let hash = lists[list].1[at];
                // Twelve bits of the hash choose one of 4,096 bits, of which the marking words set about fifty.
                bits[(hash >> 58) as usize] |= 1 << (hash >> 52 & 63);
                at += 1;
            }
            list += 1;
        }
        Self(bits)
    }

    /// Returns false if the word with this hash is certainly not in the set; true means that it may be.
    #[inline]
    fn may_have(&self, hash: u64) -> bool {
        self.0[(hash >> 58) as usize] >> (hash >> 52 & 63) & 1 == 1
    }
}

impl Marks {
    /// Returns the properties that a word of a class gives to its element, such as hidden; `word` is the word's hash.
    #[inline]
    pub(super) fn of_word(word: u64) -> Self {
        if MARKING_WORDS.may_have(word) { Self::of_marking_word(word) } else { Self::empty() }
    }

    fn of_marking_word(word: u64) -> Self {
        let found = MARKING.iter().find(|(_, words)| words.contains(&word));
        found.map_or(Marks::empty(), |(marks, _)| *marks)
    }
}

/// An open element whose text has a special meaning, such as a superscript or a note.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenNotation {
    pub element: u32,
    kind: NotationKind,
    /// True if the element is a link or button whose text is hidden only if it is at the end of a block.
    is_button: bool,
    /// Byte offset in the block's text at which the element's text starts.
    from: u32,
    /// Number of formulas in the page before the element.
    formulas_before: u32,
    /// Number of images in the block before the element.
    images_before: u32,
}

/// Classes of elements that hold notes beside the text.
const NOTE_CLASSES: [&[u8]; 5] =
    [b"sidenote", b"marginnote", b"ltx_note_outer", b"side-note", b"modern-footnotes-footnote__note"];
/// Characters that are the whole text of links from a heading or term to itself or to the top. Other signs, such as
/// `*`, are marks of notes.
const SELF_LINKS: [char; 8] = ['#', '¶', '↑', '\u{1f517}', '\u{2693}', '\u{fe0e}', '\u{fe0f}', '\u{f0c1}'];

impl Builder {
    /// Records the start of an element whose text has a special meaning, such as a superscript; adds the opening sign
    /// of a quotation or ruby reading.
    pub(super) fn open_notation(&mut self, text: &TagText, element: u32, marks: Marks) {
        let is_inline = self.page.element(element).is_some_and(|element| element.tag.is_inline());
        let is_hidden_part = is_inline
            && (marks.contains(Marks::SHEET)
                || marks.contains(Marks::HIDDEN) && (is_hidden(text) || self.says_again(text, element)))
            || text.tag == Tag::Button && self.is_beside_heading(element);
        let kind = match text.tag {
            _ if is_hidden_part => NotationKind::Hidden,
            Tag::Sup => NotationKind::Superscript,
            Tag::Sub => NotationKind::Subscript,
            Tag::Del | Tag::S | Tag::Strike => NotationKind::Deleted,
            Tag::Q => return self.begin_quote(element),
            Tag::Rt => return self.begin_reading(element),
            Tag::Other if self.is_reading(text) => return self.begin_reading(element),
            Tag::Span if marks.contains(Marks::STRUCK) && text.has_class(b"line-through") => NotationKind::Deleted,
            // TeX that a script will lay out, as Pandoc writes it for KaTeX.
            Tag::Span if marks.contains(Marks::MATH) && text.has_class(b"math") => match text.has_class(b"display") {
                true => NotationKind::DisplayFormula,
                false => NotationKind::Formula,
            },
            // A button beside the words of a heading (`Copy`) does something with them; one around them is the heading.
            // Beside the words of a block, a button is a control: whether it stands there is known at the block's end.
            Tag::A | Tag::Button if (is_button(text) || opens_map(text)) && !self.is_in_heading(element) => {
                NotationKind::Hidden
            }
            Tag::A => match text.value(Key::Href) {
                // Only links with a fragment can be marks of notes; whether they are is decided when text is written.
                Some(href) if memchr::memchr(b'#', href).is_some() => NotationKind::FragmentLink,
                Some(_) => NotationKind::LinkedImage,
                None => return,
            },
            Tag::Span | Tag::Small | Tag::Aside if marks.contains(Marks::NOTE) => {
                if !text.classes().any(|name| NOTE_CLASSES.contains(&name)) {
                    return;
                }
                NotationKind::InlineNote
            }
            _ => return,
        };
        self.open_notations.push(OpenNotation {
            element,
            kind,
            is_button: kind == NotationKind::Hidden && !is_hidden_part && matches!(text.tag, Tag::A | Tag::Button),
            from: narrow(self.fold.len()),
            formulas_before: self.formulas_noted,
            images_before: self.images,
        });
    }

    /// Records the text of an element that ends as a part with a special meaning, if it is one and is not empty.
    pub(super) fn close_notation(&mut self, element: u32) {
        let open = self.open_notations.iter();
        let Some(at) = open.rev().position(|open_notation| open_notation.element == element) else { return };
        let at = self.open_notations.len() - 1 - at;
        let open_notation = self.open_notations.remove(at);
        let to = narrow(self.fold.len());
        // Formulas hide their source.
        let has_formula = self.formulas_noted > open_notation.formulas_before;
        // Empty parts say nothing, except for a link around an image alone, which Markdown writes at its place.
        let is_noted = match open_notation.kind {
            NotationKind::LinkedImage => {
                open_notation.from == to && to > 0 && self.images > open_notation.images_before
            }
            NotationKind::Hidden => open_notation.from < to && !has_formula,
            // A formula with elements in it is laid out already, and its text is not TeX.
            NotationKind::Formula | NotationKind::DisplayFormula => {
                open_notation.from < to && !has_formula && element as usize + 1 == self.page.elements.len()
            }
            _ => open_notation.from < to,
        };
        if open_notation.is_button {
            if is_noted {
                self.buttons.push((open_notation.from, to, element));
            }
        } else if is_noted {
            let is_self_link = open_notation.kind == NotationKind::FragmentLink && self.is_self_link(open_notation, to);
            // A sign that leads to the heading it stands in (`¶`, `#`) is no text.
            let kind = if is_self_link { NotationKind::Hidden } else { open_notation.kind };
            self.note(kind, element, open_notation.from, to);
        }
    }

    fn is_in_heading(&self, element: u32) -> bool {
        self.page.element(element).is_some_and(|element| element.within.contains(ElementKinds::HEADING))
    }

    /// Returns whether an element starts directly inside a heading, after words of the heading.
    fn is_beside_heading(&self, element: u32) -> bool {
        let parent = self.page.element(element).and_then(|element| self.page.element(element.parent));
        parent.is_some_and(|parent| parent.tag.is_heading()) && self.fold.as_str().contains(char::is_alphabetic)
    }

    /// Returns whether an element for screen readers only repeats the element before it, such as a price that is struck
    /// out.
    fn says_again(&self, text: &TagText, element: u32) -> bool {
        let parent = self.page.element(element).map_or(NONE, |element| element.parent);
        let path = element.checked_sub(1).into_iter().flat_map(|last| self.page.path(last));
        let mut beside = path.take(MAX_PRICE_DEPTH).map(|(_, around)| around).filter(|around| around.parent == parent);
        beside.next().is_some_and(|before| before.hidden && matches!(before.tag, Tag::Del | Tag::Ins))
            && text.classes().any(is_aid)
    }

    /// Returns whether the text of a link up to byte `to` of the block is only a sign by which a heading or term links
    /// to itself.
    fn is_self_link(&self, link: OpenNotation, to: u32) -> bool {
        let is_name = |element: &Element| {
            let is_term = self.page.element(element.parent).is_some_and(|around| around.tag == Tag::Dt);
            is_term || element.within.contains(ElementKinds::HEADING)
        };
        let text = self.fold.as_str().get(link.from as usize..to as usize);
        self.page.element(link.element).is_some_and(is_name)
            && text.is_some_and(|text| text.chars().all(|c| c.is_whitespace() || SELF_LINKS.contains(&c)))
    }

    /// Records that bytes `from` to `to` of the current block's text have a special meaning, such as a formula.
    pub(super) fn note(&mut self, kind: NotationKind, element: u32, from: u32, to: u32) {
        let is_formula = matches!(kind, NotationKind::Formula | NotationKind::DisplayFormula);
        self.formulas_noted = self.formulas_noted.saturating_add(u32::from(is_formula));
        self.notations.push(Notation { text: (from, to), kind, element });
    }

    /// Marks the buttons at the end of a block ("Share", "Reply") as hidden text, if other words precede them.
    #[cold]
    #[inline(never)]
    fn note_buttons(&mut self) {
        let mut buttons = std::mem::take(&mut self.buttons);
        let text = self.fold.as_str();
        let mut end = text.len();
        // Looked for once: a page may have many buttons behind a long line of signs.
        let first_word = text.find(char::is_alphanumeric).unwrap_or(end);
        let mut hidden = Vec::new();
        for (from, to, element) in buttons.iter().rev() {
            let (start, stop) = (*from as usize, *to as usize);
            let rest = text.get(stop..end).unwrap_or("?");
            let label = text.get(start..stop).unwrap_or_default();
            if rest.contains(char::is_alphanumeric)
                || label.split_whitespace().count() > MAX_BUTTON_WORDS
                || start <= first_word
            {
                break;
            }
            hidden.push((*from, *to, *element));
            end = start;
        }
        for (from, to, element) in hidden {
            self.note(NotationKind::Hidden, element, from, to);
        }
        buttons.clear();
        self.buttons = buttons;
    }

    /// Adds the formulas, superscripts and the like of a finished block to the page; the block starts at byte `start`
    /// of the page's text.
    pub(super) fn write_notations(&mut self, start: u32) {
        if !self.buttons.is_empty() {
            self.note_buttons();
        }
        if self.notations.is_empty() {
            return;
        }
        // An image behind the text stands by itself.
        let end = narrow(self.fold.len());
        self.notations.retain(|notation| notation.kind != NotationKind::LinkedImage || notation.text.0 < end);
        // By start, the longer first: writers open the outer of two parts before the inner one.
        self.notations.sort_by_key(|notation| (notation.text.0, u32::MAX - notation.text.1, notation.element));
        let placed = self.notations.drain(..).map(|notation| Notation {
            text: (start.saturating_add(notation.text.0), start.saturating_add(notation.text.1)),
            ..notation
        });
        self.page.notations.extend(placed);
    }
}

/// Maximum number of words of a button that is hidden at the end of a block.
const MAX_BUTTON_WORDS: usize = 6;
/// Maximum number of nested elements examined to find the element that an element for screen readers may repeat.
const MAX_PRICE_DEPTH: usize = 6;

/// Returns whether a link or button is displayed as a button, by a word of its class (`button`, `btn`).
fn is_button(text: &TagText) -> bool {
    let class = text.value(Key::Class).unwrap_or_default();
    class.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| word == b"button" || word == b"btn")
}

/// Beginnings of the addresses of maps and calendars, after `https://`.
const MAPS: [&[u8]; 4] = [b"maps.google.", b"www.google.com/maps", b"www.google.com/calendar", b"goo.gl/maps"];

/// Returns whether a link leads to a map or a calendar.
fn opens_map(text: &TagText) -> bool {
    let href = text.value(Key::Href).unwrap_or_default();
    let address = href.strip_prefix(b"https://").or_else(|| href.strip_prefix(b"http://"));
    address.is_some_and(|address| MAPS.iter().any(|map| address.starts_with(map)))
}

/// Returns whether an element is hidden on a wide screen by `hidden`, its style or a class such as `md:hidden`.
/// A class that shows the element (`md:inline`) outweighs a class that hides it.
fn is_hidden(text: &TagText) -> bool {
    let style = text.value(Key::Style);
    let is_by_class = || hides(text.value(Key::Class).unwrap_or_default());
    text.value(Key::Hidden).is_some() || style.is_some_and(super::attribute_values::hides) || is_by_class()
}

fn hides(class: &[u8]) -> bool {
    let names = || class.split(|byte| byte.is_ascii_whitespace());
    // Utility classes hide by default and show from a width on, or the other way round. A wide screen is assumed.
    names().any(is_hiding_class) && !names().any(is_showing_class)
}

/// Returns whether a class attribute hides its element, either from everybody or from all but screen readers.
pub(super) fn is_out_of_sight(class: &[u8]) -> bool {
    class.split(u8::is_ascii_whitespace).any(is_aid) || hides(class)
}

/// Class names of texts that only screen readers present.
// Within a line such a part may say what the eye is shown otherwise, so it is no notation by itself.
const AID_CLASSES: [&[u8]; 4] = [b"screen-reader-text", b"sr-only", b"visually-hidden", b"visuallyhidden"];

/// Returns whether a class name shows text only to screen readers, also after a prefix (`tribe-visuallyhidden`).
fn is_aid(name: &[u8]) -> bool {
    AID_CLASSES.iter().any(|aid| {
        let before = name.strip_suffix(*aid);
        before.is_some_and(|before| before.last().is_none_or(|last| *last == b'-'))
    })
}

/// Class names by which frameworks and wikis hide an element completely, in addition to `hidden` with its variants.
const HIDING_CLASSES: [&[u8]; 3] = [b"d-none", b"hiddenStructure", b"invisible"];

fn is_hiding_class(name: &[u8]) -> bool {
    if HIDING_CLASSES.contains(&name) {
        return true;
    }
    let Some(variant) = name.strip_suffix(b"hidden") else { return false };
    matches!(variant, b"" | b"sm:" | b"md:" | b"lg:" | b"xl:" | b"2xl:")
        || variant.starts_with(b"not-") && variant.ends_with(b":")
}

fn is_showing_class(name: &[u8]) -> bool {
    // `md:block` or `d-md-block`.
    let variant = memchr::memrchr(b':', name).and_then(|at| name.get(at + 1..));
    let variant = variant.or_else(|| name.strip_prefix(b"d-")?.splitn(2, |byte| *byte == b'-').nth(1));
    variant.is_some_and(|shown| {
        let display: [&[u8]; 6] = [b"inline", b"block", b"flex", b"contents", b"grid", b"table"];
        display.iter().any(|display| shown.starts_with(display))
    })
}

#[cfg(test)]
mod tests {
    use super::{MARKING_WORDS, Marks};
    use crate::{Engine, Limits, LolEngine, NotationKind, ScanEngine};
    use trommel_text::word_hash;

    fn shown(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
        let mut shown = Vec::new();
        for block in &page.blocks {
            for notation in page.notations(block) {
                let text = page.text(block);
                let text = &text[notation.text.0 as usize..notation.text.1 as usize];
                shown.push(format!("{:?} {text:?}", notation.kind));
            }
        }
        shown
    }

    #[test]
    fn signs_that_lead_to_their_own_heading_are_hidden() {
        assert_eq!(shown("<h2 id=a>Uses<a class=headerlink href=#a>¶</a></h2>"), ["Hidden \"¶\""]);
        assert_eq!(shown("<dl><dt>run()<a href=#b>#</a></dl>"), ["Hidden \"#\""]);
        // A mark of a note, a title that is a link, and text that is no name.
        assert_eq!(shown("<h2>Uses<a href=#n>*</a></h2>"), ["FragmentLink \"*\""]);
        assert_eq!(shown("<h2><a href=#c>C#</a></h2>"), ["FragmentLink \"C#\""]);
        assert_eq!(shown("<p>Uses<a href=#a>¶</a>"), ["FragmentLink \"¶\""]);
    }

    #[test]
    fn blocks_are_found_by_their_notations() {
        let html = "<p>a<p>b<sup>1</sup> c<sup>2</sup><p><a href=#x>d</a> e<p>f<p><sup>3</sup>g <a href=#y>4</a>";
        let page = ScanEngine.read(html, &Limits::default());
        let with = |kinds: &[NotationKind]| {
            let found = page.blocks_with_notation(kinds);
            found.map(|(at, block)| (at, page.text(block))).collect::<Vec<_>>()
        };
        let raised = NotationKind::Superscript;
        assert_eq!(with(&[raised]), [(1, "b1 c2"), (4, "3g 4")]);
        assert_eq!(with(&[NotationKind::FragmentLink]), [(2, "d e"), (4, "3g 4")]);
        let both = with(&[raised, NotationKind::FragmentLink]);
        assert_eq!(both.iter().map(|place| place.0).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(with(&[NotationKind::Formula]), []);
    }

    #[test]
    fn words_of_classes_are_told_by_their_hashes() {
        let of = |word: &str| Marks::of_word(word_hash(word.as_bytes()));
        for (word, marks) in [
            ("katex", Marks::MATH),
            ("mjx", Marks::MATH),
            ("ltx", Marks::NOTE),
            ("codemirror", Marks::CODE),
            ("file", Marks::CODE),
            ("prism", Marks::CODE),
            ("invisible", Marks::HIDDEN),
            ("pagination", Marks::PAGE_ROW),
            ("admonition", Marks::BOX),
            ("menu", Marks::empty()),
            ("files", Marks::empty()),
        ] {
            assert_eq!(of(word), marks, "{word}");
        }
        // A word that the sieve lets through is none of them yet.
        let other = word_hash(b"katex") ^ 1;
        assert!(MARKING_WORDS.may_have(other));
        assert_eq!(Marks::of_word(other), Marks::empty());
    }

    #[test]
    fn buttons_at_the_end_of_other_words_are_hidden() {
        for (html, hidden) in [
            ("<li>$12 <a class='button add_to_cart' href=a>Add to cart</a>", &["Hidden \" Add to cart\""][..]),
            (
                "<li>$12 <button class=btn>Buy</button> <a class=btn href=a>Compare</a> ›",
                &["Hidden \" Buy\"", "Hidden \" Compare\""],
            ),
            ("<p>Press <button class=btn>Start</button> to begin", &[]),
            ("<p><a class=btn href=a>Read more</a>", &[]),
            ("<p>$12 <a class=buttons href=a>Add to cart</a>", &[]),
            ("<p>Press <button>Start</button>", &[]),
            ("<h2>The mill <a class=btn href=a>by the river</a></h2>", &[]),
            ("<p>$12 <button class=btn>What the miller said of the mill</button>", &[]),
            // Not those of the block before.
            ("<p>$12 <button class=btn>Buy<p>words</button>", &[]),
        ] {
            assert_eq!(shown(html), hidden, "{html}");
        }
    }

    #[test]
    fn parts_are_noted_in_the_order_of_their_starts() {
        assert_eq!(
            shown("<p>10<sup>2</sup> x<sub> i</sub><p>y<sup><a href=#n>1</a></sup><a href=/x>z</a>"),
            ["Superscript \"2\"", "Subscript \" i\"", "Superscript \"1\"", "FragmentLink \"1\""]
        );
        assert_eq!(shown("<p>a<span class='sidenote'>why</span> b<p><sup></sup>c"), ["InlineNote \"why\""]);
        assert_eq!(
            shown("<p>was <del>$5</del> $4, <s>a</s><strike> b</strike> <a href=/x><img alt=c></a> d"),
            ["Deleted \" $5\"", "Deleted \" a\"", "Deleted \" b\"", "LinkedImage \"\""]
        );
        assert_eq!(
            shown(
                "<p>a <span class=line-through>b</span> <span class='math inline'>x_1</span> <span class='math display'>\\[y\\]</span>"
            ),
            ["Deleted \" b\"", "Formula \" x_1\"", "DisplayFormula \" \\\\[y\\\\]\""]
        );
        // What is laid out is no source.
        assert_eq!(
            shown("<p>a <span class='math inline'><i>x</i>y</span> <span class=through>b</span>"),
            Vec::<String>::new()
        );
        // Not through the end of a block, nor an image at one of its ends.
        for html in [
            "<sup>a<p>b</sup>c", "<p><a href=/x><img alt=c></a> d", "<p>d <a href=/x><img alt=c></a>",
            "<p>d <a href=/x><img alt=c> e</a> f",
        ] {
            assert_eq!(shown(html), Vec::<String>::new(), "{html}");
        }
    }
}
