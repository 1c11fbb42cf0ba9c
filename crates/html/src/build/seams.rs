//! Finds seams between the texts of neighbouring inline elements: separate words without white space between
//! them.

use bitflags::bitflags;

use super::Builder;
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};

bitflags! {
    /// The tags since the last text of the block.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Seam: u8 {
        /// The end of an inline element.
        const ENDED = 1;
        /// After that the start of another.
        const MET = 1 << 1;
        /// One of them is more than a way to set letters.
        const PART = 1 << 2;
        /// One of them sets letters higher or lower.
        // `H<sub>2</sub>O` and `x<sup>2</sup>` are one word.
        const SCRIPT = 1 << 3;
        /// The one that starts has a class.
        const CLASS = 1 << 4;
        /// A drawing, a control or a medium stands there.
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

/// The seams in the order of the tags.
// Looked up for each inline tag.
static SEAMS: [Seam; Tag::COUNT] = {
    let mut seams = [Seam::empty(); Tag::COUNT];
    let mut at = 0;
    while at < Tag::COUNT {
        seams[at] = Seam::found_for(Tag::ALL[at]);
        at += 1;
    }
    seams
};

impl Builder {
    /// An inline element ends.
    #[inline]
    pub(super) fn seam_ends(&mut self, tag: Tag) {
        self.seam |= Seam::ENDED | Seam::of(tag);
    }

    /// An inline element starts.
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

    /// An element comes whose content is no text of the page.
    #[inline]
    pub(super) fn seam_skips(&mut self, tag: Tag) {
        self.seam |= Seam::of(tag);
    }

    /// Text comes: whether two elements that stand side by side, neither in code, meet directly before it.
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

/// The kind of meeting of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeamKind {
    Plain,
    /// The second has a class.
    Classed,
    /// Something is drawn between them.
    Drawn,
}

impl SeamKind {
    /// Returns whether a text and the character that follows it are two words: words begin with capitals and numbers,
    /// and do not where letters are set in another way. One capital alone may be set apart for show, and so may each
    /// letter or digit of a word.
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
    use crate::{Engine, Limits, LolEngine, ScanEngine};

    /// Texts of the blocks, divided by `|`.
    fn text(html: &str) -> String {
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        texts.join("|")
    }

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
