//! Log odds of attribute words, after Peters and Lecocq (WWW 2013, section 3.3), who list only a few words.
//! Every word of `id`, `class`, `role` and `itemprop` that occurred on enough training pages has a weight.
//! The weights are summed along the elements around a block.

use trommel_html::{AttributeWord, Element, Page};

use crate::features::facts::PageFacts;
use crate::features::group::{Fact, Group, owned, rows};
use crate::features::lexicon::Lexicon;
use crate::features::scratch::Scratch;
use crate::features::work::count_work;

const NAMES: [&str; 11] = [
    "weights.sum", "weights.min", "weights.max", "weights.own", "weights.parent_sum", "weights.parent_min",
    "weights.parent_max", "weights.inline_min", "weights.inline_max", "weights.previous", "weights.next",
];

/// The share of an element's sum that its children inherit.
// Names of far elements say less about a block: after ten levels a tenth is left.
const DECAY: f32 = 0.8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PathWeight {
    sum: f32,
    // A single strong word (`sidebar`) must not drown in the sum of many weak ones.
    min: f32,
    max: f32,
    direct: f32,
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Weights],
    columns: |_| owned(&NAMES),
    on: |facts, _| rows(move |at| weight_features(facts, &facts.weights, at)),
};

/// The weights of some words that stand side by side.
#[derive(Clone, Copy, Debug, Default)]
struct ElementWeights {
    /// The number of words.
    tokens: u32,
    sum: f32,
    /// The lowest and the highest, 0 if none is lower or higher.
    min: f32,
    max: f32,
}

/// Stands for weights that are yet to be looked up.
const NOT_KNOWN: ElementWeights = ElementWeights { tokens: u32::MAX, sum: 0.0, min: 0.0, max: 0.0 };

// Comparisons and not `f32::min`, which takes steps for what is no number.
fn lower(one: f32, other: f32) -> f32 {
    if other < one { other } else { one }
}

fn higher(one: f32, other: f32) -> f32 {
    if other > one { other } else { one }
}

impl ElementWeights {
    fn of(tokens: &[AttributeWord], lexicon: &Lexicon) -> Self {
        let mut weights = Self { tokens: tokens.len() as u32, ..Self::default() };
        for weight in tokens.iter().filter_map(|token| lexicon.weight(token)) {
            weights.sum += weight;
            weights.min = lower(weights.min, weight);
            weights.max = higher(weights.max, weight);
        }
        weights
    }
}

/// Word weights of the elements on a path, gathered down to each.
#[derive(Debug, Default)]
pub(crate) struct PathWeights {
    /// For each element on a path, by its place.
    all: Scratch<PathWeight>,
    // Kept at the first word of each distinct value, so a class used a thousand times is weighed once.
    known: Scratch<ElementWeights>,
}

impl PathWeights {
    /// The weights of the elements of a page, of which none has been visited.
    pub fn new(page: &Page) -> Self {
        Self {
            all: Scratch::with_capacity(page.elements.len()),
            known: Scratch::filled(page.attribute_words.len(), NOT_KNOWN),
        }
    }

    fn of(&self, place: u32) -> PathWeight {
        self.all.get(place as usize).copied().unwrap_or_default()
    }

    /// Weighs the next element, which stands in the one at a place.
    #[inline(always)]
    pub fn visit(&mut self, page: &Page, lexicon: &Lexicon, element: &Element, parent: u32) {
        let above = self.of(parent);
        let tokens = page.attribute_words(element);
        count_work(1);
        // Most elements have none.
        if tokens.is_empty() {
            self.all.push(PathWeight { sum: above.sum * DECAY + 0.0, direct: 0.0, ..above });
            return;
        }
        let mut weights = ElementWeights::default();
        // Elements of one class share their tokens, the first of them with others behind.
        if let Some(known) = self.known.get_mut(page.first_attribute_word(element)) {
            if known.tokens as usize != tokens.len() {
                count_work(tokens.len());
                *known = ElementWeights::of(tokens, lexicon);
            }
            weights = *known;
        }
        self.all.push(PathWeight {
            sum: above.sum * DECAY + weights.sum,
            min: lower(above.min, weights.min),
            max: higher(above.max, weights.max),
            direct: weights.sum,
        });
    }
}

/// The weight features of block `at`.
fn weight_features(facts: &PageFacts, weights: &PathWeights, at: usize) -> [f32; NAMES.len()] {
    let PageFacts { page, paths, .. } = facts;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::lexicon::TermWeight;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn weight(term: &str, weight: f32) -> TermWeight {
        TermWeight { term: term.into(), weight }
    }

    #[test]
    fn weights_decay_down_the_path_and_keep_their_extremes() {
        let lexicon = Lexicon::new(&[], &[weight("nav", -2.0), weight("post", 1.0)], &[]);
        let page = ScanEngine
            .read("<div class=nav><div class=post><p>a <i class=nav>x</i></p></div></div>", &Limits::default());
        let facts = PageFacts::new(&page, None, &lexicon, GROUP.needs);
        let f = weight_features(&facts, &facts.weights, 0);
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        // nav -2 → div -2*.8+1 = -.6 → p -.48
        assert!(close(f[0], -0.48) && close(f[1], -2.0) && close(f[2], 1.0) && close(f[3], 0.0), "{f:?}");
        assert!(close(f[4], -0.6) && close(f[7], -2.0) && close(f[8], 0.0), "{f:?}");
        assert!(close(f[9], 0.0) && close(f[10], 0.0), "{f:?}");
    }
}
