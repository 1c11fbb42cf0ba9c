//! Features of the words of short blocks and headings: "Read more", "Related articles", "Add to cart".
//!
//! They are the log odds of words and pairs of words in the text itself, learned like those of attribute
//! words.

use trommel_html::Page;

use crate::features::facts::headline::Outline;
use crate::features::facts::terms::{PAIRED_WORDS, Terms};
use crate::features::group::{Fact, Group, owned, rows};
use crate::features::lexicon::Lexicon;
use crate::features::scratch::Scratch;

const NAMES: [&str; 10] = [
    "wording.mean", "wording.min", "wording.max", "wording.known", "wording.heading_mean", "wording.heading_min",
    "wording.heading_max", "wording.previous", "wording.next", "wording.first",
];

/// Log odds of the terms of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BlockWording {
    mean: f32,
    min: f32,
    max: f32,
    known: f32,
    first: f32,
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Outline],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        let blocks = wordings(facts.page, &facts.terms, facts.lexicon);
        rows(move |at| features(&blocks, &facts.outline, at))
    },
};

/// The wording of every block.
fn wordings(page: &Page, terms: &Terms, lexicon: &Lexicon) -> Scratch<BlockWording> {
    (0..page.blocks.len())
        .map(|at| {
            let words = terms.words(at);
            // As in training, where weights are learned from the first words alone.
            let words = words.get(..words.len().min(PAIRED_WORDS)).unwrap_or_default();
            let pairs = terms.pairs(at);
            let mut block_wording = BlockWording::default();
            let (mut sum, mut found) = (0.0, 0u32);
            let mut add = |weight: f32| {
                found += 1;
                sum += weight;
                // One telling word ("Cookies") decides, however many others a block has. Comparisons and not
                // `f32::min`, which takes steps for what is no number.
                block_wording.min = if weight < block_wording.min { weight } else { block_wording.min };
                block_wording.max = if weight > block_wording.max { weight } else { block_wording.max };
            };
            let mut first = 0.0;
            // In the order of the text: a word, then its pair with the word before.
            if let Some((word, rest)) = words.split_first() {
                if let Some(weight) = lexicon.word(*word) {
                    first = weight;
                    add(weight);
                }
                for (word, pair) in rest.iter().zip(pairs) {
                    if let Some(weight) = lexicon.word(*word) {
                        add(weight);
                    }
                    if let Some(weight) = lexicon.word(*pair) {
                        add(weight);
                    }
                }
            }
            block_wording.first = first;
            block_wording.mean = sum / found.max(1) as f32;
            block_wording.known = found as f32 / (words.len() + pairs.len()).max(1) as f32;
            block_wording
        })
        .collect()
}

/// The wording features of block `at`.
fn features(all: &[BlockWording], outline: &Outline, at: usize) -> [f32; NAMES.len()] {
    let of = |at: Option<usize>| at.and_then(|at| all.get(at)).copied().unwrap_or_default();
    let block_wording = of(Some(at));
    // What a heading says ("Related articles") judges all blocks below it.
    let heading = of(outline.heading_of(at));
    [
        block_wording.mean,
        block_wording.min,
        block_wording.max,
        block_wording.known,
        heading.mean,
        heading.min,
        heading.max,
        of(at.checked_sub(1)).mean,
        of(Some(at + 1)).mean,
        block_wording.first,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::facts::paths::Paths;
    use crate::features::lexicon::TermWeight;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn words_and_pairs_have_odds() {
        let page = ScanEngine.read("<h2>Related News</h2><p>Some news</p>", &Limits::default());
        let weight = |token: &str, weight: f32| TermWeight { term: token.into(), weight };
        let lexicon =
            Lexicon::new(&[], &[], &[weight("related", -2.0), weight("related news", -3.0), weight("some", 1.0)]);
        let terms = Terms::new(&page, &trommel_text::TextMasks::of(page.texts()));
        let all = wordings(&page, &terms, &lexicon);
        let outline = Outline::new(&page, &Paths::new(&page), &terms);
        let second = features(&all, &outline, 1);
        assert_eq!(second[0], 1.0);
        assert_eq!(second[4..8], [-2.5, -3.0, 0.0, -2.5]);
        assert_eq!(features(&all, &outline, 0)[..4], [-2.5, -3.0, 0.0, 2.0 / 3.0]);
    }
}
