//! Computes features of known words: in the attributes of the elements around a block, and in the text of short blocks.
//!
//! Every word of `id`, `class`, `role` and `itemprop` that occurred on enough training pages has log odds as its
//! weight, after Peters and Lecocq (WWW 2013, section 3.3), who list only a few words. The weights are summed along
//! the elements around a block. Listed attribute words, as theirs, are 0/1 features. Words and pairs of words in
//! the text itself ("Read more", "Related articles", "Add to cart") have log odds learned like those of attribute
//! words.

use trommel_html::{Block, Page};

use crate::features::facts::elements::ElementFacts;
use crate::features::facts::paths::{ElementWeights, higher, lower};
use crate::features::facts::terms::{PAIRED_WORDS, Terms};
use crate::features::groups::{Fill, rows};
use crate::features::{facts::PageFacts, facts::headline::Outline, lexicon::Lexicon, log::flag, scratch::Scratch};

pub(super) const NAMES: [&str; 11] = [
    "weights.sum", "weights.min", "weights.max", "weights.own", "weights.parent_sum", "weights.parent_min",
    "weights.parent_max", "weights.inline_min", "weights.inline_max", "weights.previous", "weights.next",
];

pub(super) fn path_weights<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    rows(|at| weight_features(facts, at))
}

/// Returns the features of block `at` that come from the weights of attribute words.
fn weight_features(facts: &PageFacts, at: usize) -> [f32; NAMES.len()] {
    let (page, ElementFacts { paths, weights, .. }) = (facts.page, &facts.elements);
    let of = |place: u32| weights.of(place);
    let sum_at = |at: Option<usize>| at.map_or(0.0, |at| of(paths.of_block(at)).sum);
    let Some(block) = page.blocks.get(at) else {
        return [0.0; NAMES.len()];
    };
    let path_weight = of(paths.of_block(at));
    let parent = of(paths.parent(paths.of_block(at)));
    let inline = page.inline(block).iter().map(|at| {
        // Most inline elements are on no path.
        let element = page.element(*at);
        match paths.of_element(*at) {
            Some(place) => of(place).direct,
            // Computed when wanted: only elements with text on their path have a place.
            None => element.map_or(0.0, |element| ElementWeights::of(page.attribute_words(element), facts.lexicon).sum),
        }
    });
    let (low, high) = inline.fold((0.0f32, 0.0f32), |(low, high), w| (lower(low, w), higher(high, w)));
    [
        path_weight.sum,
        path_weight.min,
        path_weight.max,
        path_weight.direct,
        parent.sum,
        parent.min,
        parent.max,
        low,
        high,
        sum_at(at.checked_sub(1)),
        sum_at(Some(at + 1)),
    ]
}

/// Listed attribute words on each element and on those around it: one bit set per element of the page.
struct ListedWords<'a> {
    page: &'a Page,
    /// Number of 64-bit words in each bit set.
    stride: usize,
    sets: Vec<u64>,
}

impl<'a> ListedWords<'a> {
    fn of(page: &'a Page, lexicon: &Lexicon) -> Self {
        // Sets of bits are inherited by copying a few words; lists would grow with the depth.
        let stride = lexicon.names.len().div_ceil(64);
        let mut sets = vec![0u64; stride * page.elements.len()];
        for (at, element) in page.elements.iter().enumerate() {
            // A parent comes before its children, so its set is complete in the first part.
            let (before, rest) = sets.split_at_mut(at * stride);
            let Some(set) = rest.get_mut(..stride) else { break };
            let parent = element.parent as usize * stride;
            if let Some(parent) = before.get(parent..parent.saturating_add(stride)) {
                set.copy_from_slice(parent);
            }
            for listed in page.attribute_words(element).iter().filter_map(|token| lexicon.listed(token)) {
                if let Some(word) = set.get_mut(listed / 64) {
                    *word |= 1 << (listed % 64);
                }
            }
        }
        Self { page, stride, sets }
    }

    fn set(&self, element: u32) -> &[u64] {
        let at = element as usize * self.stride;
        self.sets.get(at..at.saturating_add(self.stride)).unwrap_or_default()
    }

    /// Returns whether the listed attribute word at index `listed` is on an element around or inline inside the block.
    fn has(&self, block: &Block, listed: usize) -> bool {
        // The paper takes words of tags inside of a block as well as of those around it.
        let elements = std::iter::once(&block.element).chain(self.page.inline(block));
        elements
            .map(|element| self.set(*element))
            .any(|set| set.get(listed / 64).is_some_and(|word| word >> (listed % 64) & 1 == 1))
    }
}

pub(super) fn listed_words<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    let words = ListedWords::of(facts.page, facts.lexicon);
    Box::new(move |_, out| {
        for listed in 0..facts.lexicon.names.len() {
            let has = |at| words.page.blocks.get(at).is_some_and(|block| words.has(block, listed));
            out.put(|at| flag(has(at)));
        }
    })
}

pub(super) const WORDING_NAMES: [&str; 10] = [
    "wording.mean", "wording.min", "wording.max", "wording.known", "wording.heading_mean", "wording.heading_min",
    "wording.heading_max", "wording.previous", "wording.next", "wording.first",
];

/// Log odds of content that a block's known words and word pairs give: mean, minimum, maximum, and that of the first
/// word. Also the share of words and pairs that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BlockWording {
    mean: f32,
    min: f32,
    max: f32,
    known: f32,
    first: f32,
}

pub(super) fn wording<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    let blocks = wordings(facts.page, &facts.terms, facts.lexicon);
    rows(move |at| features(&blocks, &facts.outline, at))
}

/// Returns for each block the log odds that it is main text, by the words and word pairs at its start.
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
                if let Some(weight) = lexicon.words.get(*word) {
                    first = weight;
                    add(weight);
                }
                for (word, pair) in rest.iter().zip(pairs) {
                    if let Some(weight) = lexicon.words.get(*word) {
                        add(weight);
                    }
                    if let Some(weight) = lexicon.words.get(*pair) {
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

/// Returns the features of block `at` that come from the log odds of its words, its heading and its neighbours.
fn features(all: &[BlockWording], outline: &Outline, at: usize) -> [f32; WORDING_NAMES.len()] {
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
    use crate::features::groups::FeatureGroup;
    use crate::features::lexicon::{Lexicon, ListedWord, TermWeight};
    use trommel_html::{Engine, Limits, ScanEngine};

    fn weight(term: &str, weight: f32) -> TermWeight {
        TermWeight { term: term.into(), weight }
    }

    #[test]
    fn weights_decay_down_the_path_and_keep_their_extremes() {
        let lexicon = Lexicon::new(&[], &[weight("nav", -2.0), weight("post", 1.0)], &[]);
        let page = ScanEngine
            .read("<div class=nav><div class=post><p>a <i class=nav>x</i></p></div></div>", &Limits::default());
        let facts = PageFacts::new(&page, None, &lexicon, FeatureGroup::PathWeights.group().needs);
        let f = weight_features(&facts, 0);
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        // nav -2 → div -2*.8+1 = -.6 → p -.48
        assert!(close(f[0], -0.48) && close(f[1], -2.0) && close(f[2], 1.0) && close(f[3], 0.0), "{f:?}");
        assert!(close(f[4], -0.6) && close(f[7], -2.0) && close(f[8], 0.0), "{f:?}");
        assert!(close(f[9], 0.0) && close(f[10], 0.0), "{f:?}");
    }

    fn listed(attribute: &str, token: &str) -> ListedWord {
        ListedWord { attribute: attribute.into(), word: token.into(), odds: 1.0, share: 0.1 }
    }

    #[test]
    fn listed_words_count_on_the_path_and_inside() {
        let mut tokens: Vec<ListedWord> = (0..70).map(|i| listed("class", &format!("none{i}"))).collect();
        tokens.push(listed("class", "menu"));
        tokens.push(listed("id", "menu"));
        tokens.push(listed("class", "icon"));
        let lexicon = Lexicon::new(&tokens, &[], &[]);
        let page =
            ScanEngine.read("<div class=top-menu><p>a <b class=icon>b</b></p></div><p>c</p>", &Limits::default());
        let sets = ListedWords::of(&page, &lexicon);
        let on = |block: usize| -> Vec<usize> {
            (0..tokens.len()).filter(|at| sets.has(&page.blocks[block], *at)).collect()
        };
        assert_eq!(on(0), [70, 72]);
        assert!(on(1).is_empty());
    }

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
