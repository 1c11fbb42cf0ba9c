//! What the words of short blocks and headings say: "Read more", "Related articles", "Add to cart".
//!
//! The log odds of words and word pairs of the text itself, learned like those of attribute tokens.

use trommel_html::{Block, Page, hash, words};

use crate::outline::Outline;
use crate::tokens::Lexicon;

pub(crate) const NAMES: [&str; 10] = [
    "wording.mean",
    "wording.min",
    "wording.max",
    "wording.known",
    "wording.heading_mean",
    "wording.heading_min",
    "wording.heading_max",
    "wording.previous",
    "wording.next",
    "wording.first",
];

/// Words at the start of a block that are looked at.
const SAMPLE: usize = 12;

/// Log odds of the terms of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wording {
    mean: f32,
    min: f32,
    max: f32,
    known: f32,
    first: f32,
}

/// Terms of a block: its first words and their pairs, in lower case. `give` gets each term's hash and
/// its text.
pub fn terms(page: &Page, block: &Block, mut give: impl FnMut(u64, &str)) {
    let mut text = String::new();
    let mut start = 0;
    for word in words::words(page.text(block), words::Rule::Characters).take(SAMPLE) {
        let before = text.len();
        if before > 0 {
            text.push(' ');
        }
        let own = text.len();
        if word.is_ascii() {
            text.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            text.push_str(&word.to_lowercase());
        }
        let term = text.get(own..).unwrap_or_default();
        give(hash(term.as_bytes()), term);
        if before > 0 {
            let pair = text.get(start..).unwrap_or_default();
            give(hash(pair.as_bytes()), pair);
        }
        start = own;
    }
}

/// The wording of every block.
pub(crate) fn wordings(page: &Page, lexicon: &Lexicon) -> Vec<Wording> {
    page.blocks
        .iter()
        .map(|block| {
            let mut own = Wording::default();
            let (mut sum, mut found, mut all) = (0.0, 0u32, 0u32);
            terms(page, block, |hash, _| {
                let weight = lexicon.word(hash);
                if all == 0 {
                    own.first = weight.unwrap_or(0.0);
                }
                all += 1;
                if let Some(weight) = weight {
                    found += 1;
                    sum += weight;
                    own.min = own.min.min(weight);
                    own.max = own.max.max(weight);
                }
            });
            own.mean = sum / found.max(1) as f32;
            own.known = found as f32 / all.max(1) as f32;
            own
        })
        .collect()
}

/// The wording features of block `at`.
pub(crate) fn features(all: &[Wording], outline: &Outline, at: usize) -> [f32; NAMES.len()] {
    let of = |at: Option<usize>| at.and_then(|at| all.get(at)).copied().unwrap_or_default();
    let own = of(Some(at));
    let heading = of(outline.heading_of(at));
    [
        own.mean,
        own.min,
        own.max,
        own.known,
        heading.mean,
        heading.min,
        heading.max,
        of(at.checked_sub(1)).mean,
        of(Some(at + 1)).mean,
        own.first,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::TokenWeight;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn words_and_pairs_have_odds() {
        let page = LolEngine.read("<h2>Related News</h2><p>Some news</p>", &Limits::default());
        let mut found = Vec::new();
        terms(&page, &page.blocks[0], |_, term| {
            found.push(term.to_owned())
        });
        assert_eq!(found, ["related", "news", "related news"]);
        let weight = |token: &str, weight: f32| TokenWeight {
            token: token.into(),
            weight,
        };
        let lexicon = Lexicon::new(
            &[],
            &[],
            &[
                weight("related", -2.0),
                weight("related news", -3.0),
                weight("some", 1.0),
            ],
        );
        let all = wordings(&page, &lexicon);
        let outline = Outline::new(&page);
        let second = features(&all, &outline, 1);
        assert_eq!(second[0], 1.0);
        assert_eq!(second[4..8], [-2.5, -3.0, 0.0, -2.5]);
        assert_eq!(
            features(&all, &outline, 0)[..4],
            [-2.5, -3.0, 0.0, 2.0 / 3.0]
        );
    }
}
