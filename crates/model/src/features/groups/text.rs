//! Features of a block's own text: length, punctuation, case, script.

use trommel_html::Block;

use crate::features::facts::shape::Shape;
use crate::features::group::{Fact, Group, owned, rows};
use crate::features::log::{flag, log};

const NAMES: [&str; 19] = [
    "text.log_words", "text.log_chars", "text.log_link_words", "text.unlinked", "text.all_linked", "text.some_linked",
    "text.words_3", "text.words_8", "text.words_16", "text.words_40", "text.chars_per_word", "text.commas",
    "text.sentence_marks", "text.ends_sentence", "text.upper", "text.digits", "text.unspaced", "text.images",
    "text.inputs",
];

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Shapes],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        rows(|at| match facts.page.blocks.get(at).zip(facts.shapes.get(at)) {
            Some((block, shape)) => features(block, shape),
            None => [0.0; NAMES.len()],
        })
    },
};

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
        // Steps beside the logarithm: a linear model cannot bend it where labels end and sentences begin.
        flag(block.words >= 3),
        flag(block.words >= 8),
        flag(block.words >= 16),
        flag(block.words >= 40),
        // Longer "words" are addresses and data; how long they are says nothing more.
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
