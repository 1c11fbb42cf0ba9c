//! Counts over the characters of a block's text, and sums of them over the blocks inside each element.

use std::ops::Range;

use trommel_html::{Block, Element, Page, Tag};
use trommel_text::vectors::{ByteTask, Compare};
use trommel_text::{TextMasks, words};

use super::paths::Paths;
use crate::features::scratch::Scratch;

/// Counts of the characters of a block's text by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    pub commas: u32,
    pub sentence_marks: u32,
    pub upper: u32,
    pub digits: u32,
    pub unspaced: u32,
    pub ends_sentence: bool,
}

impl Shape {
    /// Returns the number of words of a block that are running text: all unlinked words of a long or sentence-like
    /// block, otherwise 0.
    pub fn prose_words(&self, block: &Block) -> u32 {
        let unlinked = block.words - block.link_words;
        let density = block.link_density();
        // Long lines are prose even without a full stop; short ones must end as sentences do.
        let long = unlinked >= 10 && density < 0.5;
        let sentence = unlinked >= 4 && density < 0.3 && self.ends_sentence;
        if long || sentence { unlinked } else { 0 }
    }

    /// Counts the characters of a text by kind.
    pub fn of(text: &str) -> Self {
        Self::within(text, &TextMasks::of(text), 0..text.len())
    }

    /// Counts the characters by kind in a byte range of a text; `masks` are its bit sets of character kinds.
    #[inline(always)]
    pub fn within(all: &str, masks: &TextMasks, part: Range<usize>) -> Self {
        let counts = masks.counts(part.clone());
        let mut shape = Shape {
            commas: counts.commas,
            sentence_marks: counts.sentence_marks,
            upper: counts.upper,
            digits: counts.digits,
            ..Shape::default()
        };
        let text = all.get(part.clone()).unwrap_or_default();
        // The masks count ASCII only; most characters are.
        for at in masks.wide(part) {
            // A character is looked at once, by its first byte.
            if all.is_char_boundary(at)
                && let Some(c) = all.get(at..).and_then(|rest| rest.chars().next())
            {
                shape.count_wide(c);
            }
        }
        shape.ends_sentence = match text.as_bytes().last() {
            // Most texts end with a letter or a full stop.
            Some(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\'' | b')') => {
                matches!(byte, b'.' | b'!' | b'?' | b':')
            }
            _ => ends_sentence(text),
        };
        shape
    }

    /// Counts a character beyond ASCII by its kind.
    #[inline]
    fn count_wide(&mut self, c: char) {
        match c {
            '、' | '，' | '،' => self.commas += 1,
            '。' | '！' | '？' | '।' | '؟' => self.sentence_marks += 1,
            c => {
                self.upper += u32::from(c.is_uppercase());
                self.unspaced += u32::from(words::is_unspaced(c));
            }
        }
    }
}

/// Returns whether a text ends with a sentence mark, ignoring quotation marks and brackets after it.
fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(['"', '\'', '”', '’', '»', ')', '」', '』']);
    let last = text.chars().next_back();
    last.is_some_and(|c| matches!(c, '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？' | '।' | '؟'))
}

/// Task that counts the characters of all blocks of a page by kind.
pub(crate) struct Shapes<'a> {
    pub page: &'a Page,
    pub masks: &'a TextMasks,
}

// On vectors, as numbers of bits are counted by an instruction that comes with them.
impl ByteTask for Shapes<'_> {
    type Output = Scratch<Shape>;

    #[inline(always)]
    fn run<C: Compare>(self, _: C) -> Scratch<Shape> {
        let texts = self.page.texts();
        let mut shapes = Scratch::with_capacity(self.page.blocks.len());
        for block in &self.page.blocks {
            shapes.push(Shape::within(texts, self.masks, self.page.text_range(block)));
        }
        shapes
    }
}

/// Sums over the blocks inside an element: words, linked words, blocks, commas and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub words: u32,
    pub link_words: u32,
    pub blocks: u32,
    pub paragraph_words: u32,
    pub commas: u32,
    /// Number of words in prose inside the element ([`Shape::prose_words`]).
    pub prose: u32,
    /// Number of `img` elements inside the element.
    pub images: u32,
    /// Number of elements inside the element, known from the table of elements and therefore not summed.
    // With it a row is two vectors, which are added as such.
    pub descendants: u32,
}

impl Sums {
    /// Returns the sums of the element at index `at` of the page before any block has been counted.
    pub fn of(at: u32, element: &Element) -> Self {
        Self { descendants: element.end.saturating_sub(at + 1), ..Self::default() }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Sums) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.blocks += other.blocks;
        self.paragraph_words += other.paragraph_words;
        self.commas += other.commas;
        self.prose += other.prose;
        self.images += other.images;
    }

    pub fn share(part: u32, whole: u32) -> f32 {
        if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
    }

    pub fn link_density(&self) -> f32 {
        Self::share(self.link_words, self.words)
    }

    pub fn paragraph_share(&self) -> f32 {
        Self::share(self.paragraph_words, self.words)
    }
}

/// Adds each block of a page to the sums of its element. Returns the sums of the whole page, without images.
pub(crate) fn add_blocks(sums: &mut [Sums], page: &Page, paths: &Paths, shapes: &[Shape]) -> Sums {
    let mut whole = Sums::default();
    for ((block, shape), place) in page.blocks.iter().zip(shapes).zip(&paths.blocks) {
        // By the container and not the element: a paragraph may hold its words in `span` or `b`.
        let paragraph = page.container(block).is_some_and(|(_, element)| element.tag == Tag::P);
        let element_sums = Sums {
            words: block.words,
            link_words: block.link_words,
            blocks: 1,
            paragraph_words: if paragraph { block.words } else { 0 },
            commas: shape.commas,
            prose: shape.prose_words(block),
            ..Sums::default()
        };
        whole.add(&element_sums);
        if let Some(sum) = sums.get_mut(*place as usize) {
            sum.add(&element_sums);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::facts::{Fact, PageFacts, elements::ElementFacts};
    use crate::features::lexicon::Lexicon;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn shape_counts_by_kind() {
        let shape = Shape::of("Él, A1, 日本。 (Done.)");
        assert_eq!(
            shape,
            Shape { commas: 2, sentence_marks: 2, upper: 3, digits: 1, unspaced: 2, ends_sentence: true }
        );
        assert!(!Shape::of("Read more").ends_sentence);
        assert!(Shape::of("He said: “no.”").ends_sentence);
    }

    #[test]
    fn sums_go_up_the_path() {
        let page = ScanEngine.read(
            "<div><p>one, two <a href=x>three</a></p><img><ul><li>four</li></ul></div><p>five</p>",
            &Limits::default(),
        );
        let lexicon = Lexicon::new(&[], &[], &[]);
        let ElementFacts { sums, whole, .. } = PageFacts::new(&page, None, &lexicon, &[Fact::Sums]).elements;
        assert_eq!(
            whole,
            Sums { words: 5, link_words: 1, blocks: 3, paragraph_words: 4, commas: 1, ..Sums::default() }
        );
        assert_eq!(
            sums[0],
            Sums {
                words: 4,
                link_words: 1,
                blocks: 2,
                paragraph_words: 3,
                commas: 1,
                prose: 0,
                images: 1,
                descendants: 5,
            }
        );
    }
}
