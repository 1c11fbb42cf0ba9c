//! What a block's text looks like: length, punctuation, case, script.

use std::sync::LazyLock;

use trommel_html::Block;
use trommel_text::words;

use crate::columns::GroupColumns;
use crate::facts::PageFacts;
use crate::group::{Batch, Fact, Fill, Group, owned};
use crate::lexicon::Lexicon;

const NAMES: [&str; 19] = [
    "text.log_words",
    "text.log_chars",
    "text.log_link_words",
    "text.unlinked",
    "text.all_linked",
    "text.some_linked",
    "text.words_3",
    "text.words_8",
    "text.words_16",
    "text.words_40",
    "text.chars_per_word",
    "text.commas",
    "text.sentence_marks",
    "text.ends_sentence",
    "text.upper",
    "text.digits",
    "text.unspaced",
    "text.images",
    "text.inputs",
];

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

/// Which 16 bits of [`COUNTED`] count what.
const DIGIT: u32 = 0;
const UPPER: u32 = 1;
const COMMA: u32 = 2;
const MARK: u32 = 3;

/// What each byte adds to the counts of a shape.
const COUNTED: [u64; 256] = {
    let mut counted = [0; 256];
    let mut at = 0;
    while at < 128 {
        let field = match at as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b',' => COMMA,
            b'.' | b'!' | b'?' => MARK,
            _ => 4,
        };
        if field < 4 {
            counted[at] = 1 << (16 * field);
        }
        at += 1;
    }
    counted
};

impl Shape {
    pub fn of(text: &str) -> Self {
        let mut shape = Shape::default();
        // Four counts in one number, as long as none of them can run over.
        for part in text.as_bytes().chunks(usize::from(u16::MAX)) {
            let counts = part
                .iter()
                .fold(0, |sum, byte| sum + COUNTED[usize::from(*byte)]);
            let field = |at: u32| u32::from((counts >> (16 * at)) as u16);
            shape.digits += field(DIGIT);
            shape.upper += field(UPPER);
            shape.commas += field(COMMA);
            shape.sentence_marks += field(MARK);
        }
        // Most text is ASCII and has none of these.
        let wide = if text.is_ascii() { "" } else { text };
        for c in wide.chars().filter(|c| !c.is_ascii()) {
            match c {
                '、' | '，' | '،' => shape.commas += 1,
                '。' | '！' | '？' | '।' | '؟' => shape.sentence_marks += 1,
                c => {
                    shape.upper += u32::from(c.is_uppercase());
                    shape.unspaced += u32::from(words::is_unspaced(c));
                }
            }
        }
        let last = text
            .trim_end_matches(['"', '\'', '”', '’', '»', ')', '」', '』'])
            .chars()
            .last();
        shape.ends_sentence = last.is_some_and(|c| {
            matches!(
                c,
                '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？' | '।' | '؟'
            )
        });
        shape
    }
}

/// Logarithms of 1 + each count that is common.
static LOGS: LazyLock<Vec<f32>> =
    LazyLock::new(|| (0..4096u32).map(|n| f64::from(n).ln_1p() as f32).collect());

/// Natural logarithm of 1 + `value`, which is not negative.
#[inline]
pub(crate) fn log(value: impl Into<f64>) -> f32 {
    let value = value.into();
    // Nearly all values are small counts.
    let count = value as u32;
    match LOGS.get(count as usize) {
        Some(log) if f64::from(count) == value => *log,
        _ => value.ln_1p() as f32,
    }
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// What the blocks of a page look like.
pub(crate) struct Look<'a>(&'a PageFacts<'a>);

impl<'a> Group<'a> for Look<'a> {
    const NEEDS: &'static [Fact] = &[Fact::Shapes];

    fn columns(_: &Lexicon) -> Vec<String> {
        owned(&NAMES)
    }

    fn new(facts: &'a PageFacts<'a>) -> Self {
        Self(facts)
    }
}

impl Fill for Look<'_> {
    fn fill(&self, _: &Batch, out: &mut GroupColumns) {
        let (blocks, shapes) = (&self.0.page.blocks, &self.0.shapes);
        out.put_rows(|at| match blocks.get(at).zip(shapes.get(at)) {
            Some((block, shape)) => features(block, shape),
            None => [0.0; NAMES.len()],
        });
    }
}

fn features(block: &Block, shape: &Shape) -> [f32; NAMES.len()] {
    let words = block.words.max(1) as f32;
    let chars = block.chars.max(1) as f32;
    let density = block.link_density();
    [
        log(block.words),
        log(block.chars),
        log(block.link_words),
        flag(block.link_words == 0),
        flag(density > 0.9),
        flag(density > 0.33),
        flag(block.words >= 3),
        flag(block.words >= 8),
        flag(block.words >= 16),
        flag(block.words >= 40),
        (chars / words).min(20.0),
        shape.commas as f32 / words,
        shape.sentence_marks as f32 / words,
        flag(shape.ends_sentence),
        shape.upper as f32 / chars,
        shape.digits as f32 / chars,
        shape.unspaced as f32 / chars,
        log(block.images),
        log(block.inputs),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_counts_by_kind() {
        let shape = Shape::of("Él, A1, 日本。 (Done.)");
        assert_eq!(
            shape,
            Shape {
                commas: 2,
                sentence_marks: 2,
                upper: 3,
                digits: 1,
                unspaced: 2,
                ends_sentence: true
            }
        );
        assert!(!Shape::of("Read more").ends_sentence);
        assert!(Shape::of("He said: “no.”").ends_sentence);
    }
}
