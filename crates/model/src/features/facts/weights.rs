//! The weights of the words of `id`, `class`, `role` and `itemprop`, summed along the elements around a block.

use trommel_html::{AttributeWord, Element, Page};

use crate::features::lexicon::Lexicon;
use crate::features::scratch::Scratch;
use crate::features::work::count_work;

/// The share of an element's sum that its children inherit.
// Names of far elements say less about a block: after ten levels a tenth is left.
const DECAY: f32 = 0.8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PathWeight {
    pub sum: f32,
    // A single strong word (`sidebar`) must not drown in the sum of many weak ones.
    pub min: f32,
    pub max: f32,
    /// Of the words of the element itself.
    pub direct: f32,
}

/// The weights of some words that stand side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementWeights {
    /// The number of words.
    tokens: u32,
    pub sum: f32,
    /// The lowest and the highest, 0 if none is lower or higher.
    min: f32,
    max: f32,
}

/// Stands for weights that are yet to be looked up.
const NOT_KNOWN: ElementWeights = ElementWeights { tokens: u32::MAX, sum: 0.0, min: 0.0, max: 0.0 };

// Comparisons and not `f32::min`, which takes steps for what is no number.
pub(crate) fn lower(one: f32, other: f32) -> f32 {
    if other < one { other } else { one }
}

pub(crate) fn higher(one: f32, other: f32) -> f32 {
    if other > one { other } else { one }
}

impl ElementWeights {
    pub fn of(tokens: &[AttributeWord], lexicon: &Lexicon) -> Self {
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

    pub fn of(&self, place: u32) -> PathWeight {
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
