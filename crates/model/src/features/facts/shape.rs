//! Counts over the characters of a block's text.

use std::ops::Range;

use trommel_html::{Block, Page};
use trommel_text::vectors::{ByteTask, Compare};
use trommel_text::{TextMasks, words};

use crate::features::scratch::Scratch;

/// Counts over the characters of a block's text.
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
    /// Words of a block of this shape that are running text: all unlinked words of a long or sentence-like block.
    pub fn prose_words(&self, block: &Block) -> u32 {
        let unlinked = block.words - block.link_words;
        let density = block.link_density();
        // Long lines are prose even without a full stop; short ones must end as sentences do.
        let long = unlinked >= 10 && density < 0.5;
        let sentence = unlinked >= 4 && density < 0.3 && self.ends_sentence;
        if long || sentence { unlinked } else { 0 }
    }

    /// The shape of a text.
    pub fn of(text: &str) -> Self {
        Self::within(text, &TextMasks::of(text), 0..text.len())
    }

    /// The shape of a part of a text with these masks.
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

    /// Counts a character beyond ASCII.
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

/// Returns whether a text ends as a sentence does, quotation marks and brackets behind it left out.
fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(['"', '\'', '”', '’', '»', ')', '」', '』']);
    let last = text.chars().next_back();
    last.is_some_and(|c| matches!(c, '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？' | '।' | '؟'))
}

/// The shapes of all blocks of a page.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
