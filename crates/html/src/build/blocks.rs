//! Turns the text between two boundaries of block-level elements into a row of the block table.
//!
//! A seam is a place where inline elements meet without white space. A space is added at seams between two words.

use bitflags::bitflags;
use trommel_text::{words, words::TextSize};

use super::{Builder, Current};
use crate::limits::Caps;
use crate::markup::lexer::{Key, TagText};
use crate::markup::{Tag, by_tag};
use crate::page::{Block, Element, ElementKinds, NONE, cut_styles};

/// Maximum length in bytes of a block that still takes in the text of later blocks beyond the cap on blocks.
// Below it the merged blocks of a huge page still are of a size that can be judged one by one.
const MAX_MERGED_BYTES: u32 = 32 << 10;

/// Maximum number of elements around a text that are searched for a heading.
const HEADING_LEVELS: usize = 4;
/// Maximum number of words of a heading.
const MAX_HEADING_WORDS: u32 = 40;

/// Ending of a line drawn with underscores, after which a signature begins in forums and mails.
const LINE_OF_SIGNS: &str = "_____";

impl Builder {
    /// Updates the current block for text that was just appended: its byte range and its number of pieces between tags.
    pub(super) fn note_text(&mut self) {
        let Some(source) = self.fold.take_source() else { return };
        let tag_count = self.tag_count;
        match &mut self.current {
            Some(current) => {
                // Text of one node may come in several calls; a piece counts only where a tag came between.
                current.pieces += u32::from(current.last_tag != tag_count);
                current.last_tag = tag_count;
                current.end = source.end;
            }
            None => {
                let inside = self.stack.last();
                self.current = Some(Current {
                    element: inside.map_or(NONE, |open| open.element),
                    container: inside.map_or(NONE, |open| open.container),
                    start: source.start,
                    end: source.end,
                    first_tag: tag_count,
                    last_tag: tag_count,
                    pieces: 1,
                    link_words: 0,
                    measured: (0, TextSize::default()),
                    // The link began before the block, as where a card is one link around several blocks.
                    link_from: (self.links_open > 0).then_some(0),
                });
            }
        }
        // Only breaks that follow each other directly end a block.
        self.breaks = 0;
    }

    /// Ends a text node: an incomplete character reference at its end becomes text as written.
    #[inline]
    pub(super) fn end_text_run(&mut self) {
        if self.in_title || self.fold.waits() {
            self.end_waiting_text();
        }
    }

    #[inline(never)]
    fn end_waiting_text(&mut self) {
        if self.in_title {
            self.title.end_run(false);
            self.title.take_source();
        } else if self.skip.is_none() {
            self.fold.end_run(self.keep_space > 0);
            self.note_text();
        }
    }

    pub(super) fn line_break(&mut self) {
        self.breaks += 1;
        // Behind a line of signs something else begins: a signature in a forum or a mail.
        if self.breaks > 1 || self.fold.as_str().ends_with(LINE_OF_SIGNS) {
            self.flush();
        } else {
            self.fold.line_break();
        }
    }

    pub(super) fn link_starts(&mut self) {
        self.links_open += 1;
        if self.links_open == 1
            && let Some(current) = &mut self.current
        {
            current.link_from = Some(self.fold.len());
        }
    }

    pub(super) fn link_ends(&mut self) {
        self.links_open = self.links_open.saturating_sub(1);
        if self.links_open == 0 {
            self.count_link_words();
        }
    }

    fn count_link_words(&mut self) {
        if let Some(current) = &mut self.current
            && let Some(from) = current.link_from.take()
        {
            let linked = self.fold.as_str().get(from..).unwrap_or_default();
            let size = words::measure(self.vectors, linked);
            // Counted when the link ends: counting at each text would cut words that elements divide.
            current.link_words += size.words;
            if from == 0 {
                current.measured = (linked.len(), size);
            }
        }
    }

    /// Appends the current block's text to the page's last block, because the page has too many blocks; returns false
    /// if that block is full.
    fn extend_last(&mut self, current: &Current, size: TextSize) -> bool {
        let page = &mut self.page;
        let Some(last) = page.blocks.last_mut() else { return false };
        let text = self.fold.as_str();
        // A fresh block is then begun beyond the cap: text is merged, never lost.
        if last.text.1 - last.text.0 >= MAX_MERGED_BYTES {
            return false;
        }
        let end = narrow(page.text.len());
        page.text.push('\n');
        // The line end was not there when they were written.
        for (at, _) in page.styles.iter_mut().rev().take_while(|(at, _)| *at >= end) {
            *at += 1;
        }
        let start = narrow(page.text.len());
        page.text.push_str(text);
        last.text.1 = narrow(page.text.len());
        last.span.1 = narrow(current.end);
        last.inline.1 = narrow(page.inline.len());
        last.words += size.words;
        last.link_words += current.link_words.min(size.words);
        last.chars += 1 + size.chars;
        last.tags_inside += current.last_tag - self.last_text_tag;
        last.pieces += current.pieces;
        last.images += self.images;
        last.inputs += self.inputs;
        self.last_text_tag = current.last_tag;
        self.write_notations(start);
        true
    }

    /// Ends the block that is being built, if any, and adds it to the page.
    #[inline]
    pub(super) fn flush(&mut self) {
        // Most tags of block-level elements have nothing between them but white space.
        let is_empty = self.current.is_none()
            && self.fold.is_clear()
            && self.formulas.pending.is_none()
            && self.notations.is_empty();
        if is_empty {
            self.fold.forget_space();
            self.begin_block();
        } else {
            self.flush_block();
        }
    }

    // Not inlined, or it would save and restore registers for the many tags that have no text between them.
    #[inline(never)]
    fn flush_block(&mut self) {
        // A formula that still waits for its source belongs to the block that ends here.
        self.settle_formula();
        self.count_link_words();
        if let Some(current) = self.current.take() {
            self.emit(current);
        }
        self.fold.clear();
        self.notations.clear();
        self.unknown_line = None;
        self.reading_end = None;
        self.begin_block();
    }

    #[inline(always)]
    fn begin_block(&mut self) {
        self.seam = Seam::empty();
        self.open_notations.clear();
        self.buttons.clear();
        self.formulas.last = None;
        self.inline_from = self.page.inline.len();
        self.breaks = 0;
        self.images = 0;
        self.inputs = 0;
    }

    fn emit(&mut self, current: Current) {
        let text = self.fold.as_str();
        // A text that is a link as a whole, as those of menus are, has been counted.
        let size = match current.measured {
            (bytes, size) if bytes == text.len() => size,
            _ => words::measure(self.vectors, text),
        };
        let words = size.words;
        // Lines without a letter or digit (`---`, a lone brace of code laid out in cells) are no text to judge.
        if words == 0 {
            let end = narrow(self.page.text.len());
            return cut_styles(&mut self.page.styles, end);
        }
        if self.page.blocks.len() >= self.limits.blocks {
            self.page.capped.insert(Caps::BLOCKS);
            if self.extend_last(&current, size) {
                return;
            }
        }
        let container = match self.page.element(current.container) {
            Some(element) if element.within.contains(ElementKinds::HEADING) && !element.tag.is_heading() => {
                self.heading_around(current.container, words).unwrap_or(current.container)
            }
            _ => current.container,
        };
        let text = self.fold.as_str();
        let start = self.page.text.len();
        self.page.text.push_str(text);
        self.page.blocks.push(Block {
            text: (narrow(start), narrow(self.page.text.len())),
            span: (narrow(current.start), narrow(current.end)),
            element: current.element,
            container,
            inline: (narrow(self.inline_from), narrow(self.page.inline.len())),
            words,
            link_words: current.link_words.min(words),
            chars: size.chars,
            tags_before: current.first_tag - self.last_text_tag,
            tags_inside: current.last_tag - current.first_tag,
            pieces: current.pieces,
            images: self.images,
            inputs: self.inputs,
        });
        self.last_text_tag = current.last_tag;
        self.write_notations(narrow(start));
    }

    /// Returns the index of the heading that contains the element `container`, if a block of `words` words is the first
    /// block in that heading.
    // `<h1><div>Title</div><button>edit</button></h1>`: what looks for headings looks at the container.
    #[cold]
    #[inline(never)]
    fn heading_around(&self, container: u32, words: u32) -> Option<u32> {
        // Buttons and fields beside a title are no part of it.
        let is_part = |element: &Element| {
            let tag = element.tag;
            tag.is_heading() || tag.is_inline() || matches!(tag, Tag::Div | Tag::P | Tag::Other)
        };
        let mut path = self.page.path(container).take(HEADING_LEVELS).take_while(|(_, element)| is_part(element));
        let (heading, _) = path.find(|(_, element)| element.tag.is_heading())?;
        // A heading without an end has the rest of the page in it.
        let before = self.page.blocks.last().map_or(NONE, |block| block.element);
        let is_first = before == NONE || before < heading;
        (is_first && words <= MAX_HEADING_WORDS).then_some(heading)
    }
}

/// Converts a byte offset or index to 32 bits, clamped to `u32::MAX`.
pub(super) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

bitflags! {
    /// Set of properties of the tags since the last text, which decide whether the next text begins a new word.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Seam: u8 {
        /// An inline element has ended since the last text.
        const ENDED = 1;
        /// An inline element has started after another one ended, or after a drawing or form control.
        const MET = 1 << 1;
        /// An inline element between two texts of a block does more than format letters: a link, a label or a `span`.
        const PART = 1 << 2;
        /// An inline element between the texts is `sub` or `sup`.
        // `H<sub>2</sub>O` and `x<sup>2</sup>` are one word.
        const SCRIPT = 1 << 3;
        /// An inline element that starts between the texts has a `class` attribute.
        const CLASS = 1 << 4;
        /// A drawing, form control, video or the like is between the texts.
        const DRAWN = 1 << 5;
    }
}

impl Seam {
    const fn found_for(tag: Tag) -> Self {
        match tag {
            Tag::Sub | Tag::Sup => Seam::SCRIPT,
            // Links, buttons and labels are things of their own; `b` and `i` only set letters of one word.
            Tag::A | Tag::Button | Tag::Data | Tag::Label | Tag::Span | Tag::Time => Seam::PART,
            // Not `img`: pages set initials and spacers of no width so.
            Tag::Audio
            | Tag::Canvas
            | Tag::Embed
            | Tag::Iframe
            | Tag::Object
            | Tag::Select
            | Tag::Svg
            | Tag::Textarea
            | Tag::Video => Seam::DRAWN,
            _ => Seam::empty(),
        }
    }

    fn of(tag: Tag) -> Self {
        SEAMS[tag as usize]
    }
}

// Looked up for each inline tag.
static SEAMS: [Seam; Tag::COUNT] = by_tag!(Seam::found_for);

impl Builder {
    /// Records the end of an inline element, which can mean that the next text begins a new word.
    #[inline]
    pub(super) fn seam_ends(&mut self, tag: Tag) {
        self.seam |= Seam::ENDED | Seam::of(tag);
    }

    /// Records the start of an inline element, which can mean that the next text begins a new word.
    #[inline]
    pub(super) fn seam_starts(&mut self, text: &TagText) {
        let seam = Seam::of(text.tag);
        if self.seam.is_empty() {
            // What sets letters divides nothing without another beside it.
            self.seam = seam & Seam::DRAWN;
            return;
        }
        // `wbr` says that the word goes on.
        if text.tag == Tag::Wbr {
            self.seam = Seam::empty();
            return;
        }
        self.seam |= Seam::MET | seam;
        if text.value(Key::Class).is_some() {
            self.seam |= Seam::CLASS;
        }
    }

    /// Records a skipped element, such as an svg, which can mean that the next text begins a new word.
    #[inline]
    pub(super) fn seam_skips(&mut self, tag: Tag) {
        self.seam |= Seam::of(tag);
    }

    /// Returns the kind of border between the last text and the next if inline tags there can divide two words; forgets
    /// these tags.
    pub(super) fn take_seam(&mut self) -> Option<SeamKind> {
        let seam = std::mem::take(&mut self.seam);
        let in_code = [Tag::Code, Tag::Kbd, Tag::Samp, Tag::Tt, Tag::Var];
        let is_drawn = seam.contains(Seam::DRAWN);
        let meets =
            seam.contains(Seam::MET) && !seam.contains(Seam::SCRIPT) && seam.intersects(Seam::PART | Seam::CLASS);
        let divides = (is_drawn || meets)
            // In code every character counts, and highlighters put each token into an element.
            && self.keep_space == 0
            && in_code.iter().all(|tag| self.open[*tag as usize] == 0);
        divides.then(|| match seam {
            _ if is_drawn => SeamKind::Drawn,
            seam if seam.contains(Seam::CLASS) => SeamKind::Classed,
            _ => SeamKind::Plain,
        })
    }
}

/// Kind of seam (a place where two inline elements meet without text between them); some kinds divide words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeamKind {
    Plain,
    /// The second of the two elements has a `class` attribute.
    Classed,
    /// A drawing, form control, video or the like is between the two elements.
    Drawn,
}

impl SeamKind {
    /// Returns whether a seam (inline tags between two texts) divides words: `before` is the text before, `next` the
    /// character after it. New words begin with a capital or digit, except after a single character, such as a large
    /// initial. After a drawing, any letter begins one.
    pub(super) fn divides(self, before: &str, next: char) -> bool {
        // Two characters are enough to tell a word from an initial set apart.
        let mut word = before.chars().rev().take_while(|c| c.is_alphanumeric()).take(2);
        let Some(last) = word.next() else { return false };
        if self == SeamKind::Drawn {
            return next.is_alphanumeric();
        }
        let is_long = word.next().is_some();
        let is_cased = last.is_lowercase() || last.is_uppercase();
        if next.is_uppercase() {
            last.is_numeric() || is_long && is_cased
        } else if next.is_numeric() {
            is_long && (is_cased || last.is_numeric() && self == SeamKind::Classed)
        } else {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::block_texts as text;

    #[test]
    fn neighbouring_elements_are_words_of_their_own() {
        for (html, wanted) in [
            (
                "<a href=x><span class=brand>The North Face</span><span class=name>Wawona</span></a>",
                "The North Face Wawona",
            ),
            ("<span class=name>Ann Mill</span><span class=place>Ulm</span><span>12 May</span>", "Ann Mill Ulm 12 May"),
            ("<b><span>HOKA</span></b><a><i></i>Clifton</a>", "HOKA Clifton"),
            ("<span>2</span><span>Rooms</span>", "2 Rooms"),
            ("<span>39</span><span class=x>40</span>", "39 40"),
            ("<a>Über</a><i class=i></i><a>Élan</a>", "Über Élan"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }

    #[test]
    fn what_is_drawn_divides_words() {
        for (html, wanted) in [
            ("Mar<svg><path d='M0 0'/></svg>62", "Mar 62"),
            ("<span>Mar</span><svg/><b>62</b>", "Mar 62"),
            ("Take<select><option>1<option>2</select>nails", "Take nails"),
            ("Take<iframe src=x></iframe>nails<textarea>x</textarea>home", "Take nails home"),
            ("see<object data=x>the wheel</object>turn", "see the wheel turn"),
            ("see<video src=x></video>it<embed src=x>turn", "see it turn"),
            ("Mar<svg></svg>, (<svg></svg>62)", "Mar, (62)"),
            ("x<sup>2</sup><svg></svg>y", "x2 y"),
            ("Mar<template>x</template>ket and mi<script></script>ll<img src=x>er", "Market and miller"),
            ("<code>my<svg></svg>Class</code><pre>a<svg></svg>b</pre>", "myClass|ab"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }

    #[test]
    fn letters_set_in_another_way_are_one_word() {
        for (html, wanted) in [
            ("<span class=cap>T</span><span class=rest>he mill</span>", "The mill"),
            ("<span class=a>child</span><span class=b>ren</span>", "children"),
            ("<span>S</span><span>H</span><span>O</span><span>P</span>", "SHOP"),
            ("<span>1</span><span class=x>2</span><span class=x>3</span>", "123"),
            ("<b>Mac</b><i>Book</i>", "MacBook"),
            ("Mac<span class=x>Book</span>Pro", "MacBookPro"),
            ("<span>CO</span><sub class=x>2</sub>", "CO2"),
            ("<code><span class=n>My</span><span class=n>Class</span></code>", "MyClass"),
            ("<pre><span class=n>My</span><span class=n>Class</span></pre>", "MyClass"),
            ("<span>Hyper</span><wbr><span>Text</span>", "HyperText"),
            ("<span>磨坊</span><span class=x>Mill</span>", "磨坊Mill"),
            ("<span>(a</span><span>).</span>", "(a)."),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }

    #[test]
    fn what_is_shown_as_a_block_is_apart() {
        for (html, wanted) in [
            ("<span style='display:block'>a</span><span style='display: block'>b</span>c", "a\nb\nc"),
            ("<a class='link d-block'>a</a><b class=block>b</b>", "a\nb"),
            (
                "<style>.x, a.y { color: red; display: flex } .z{display:inline}</style>\
                 <i class=x>a</i><i class='w y'>b</i><i class=z>c</i>d",
                "a\nb\ncd",
            ),
            ("<style>@media print { .x { display: block } }</style><i class=x>a</i>b", "ab"),
            ("<i class='text-block'>a</i><i style='display:inline-block'>b</i>c", "abc"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }
}
