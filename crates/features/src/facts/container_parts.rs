//! What the features say of each element that holds text, computed once an element and not once for each block
//! in it.

use super::sums::Sums;
use crate::log::log;
use crate::scratch::Scratch;

/// Parts about an element.
pub(crate) const PARTS: usize = 8;
/// The first of them are those of the group of containers.
pub(crate) const SHAPE_PARTS: usize = 6;
/// Behind them come the share of prose in the words of the element, and the share of the element in the prose of the page.
pub(crate) const PROSE_DENSITY: usize = 6;
pub(crate) const PROSE_SHARE: usize = 7;

/// The parts about one element.
pub(crate) type Parts = [f32; PARTS];

/// The parts about every element with text.
#[derive(Debug, Default)]
pub(crate) struct ContainerParts {
    elements: Scratch<Parts>,
    /// The aggregates over everything, which stand for text outside of all elements.
    whole: Parts,
}

impl ContainerParts {
    pub fn new(sums: &[Sums], whole: &Sums) -> Self {
        let parts = |sum: &Sums| {
            [
                Sums::share(sum.words, whole.words),
                sum.link_density(),
                log(sum.blocks),
                sum.paragraph_share(),
                // Words for each element inside: menus and cards need many elements for few words.
                log(f64::from(sum.words) / f64::from(sum.descendants.max(1))),
                Sums::share(sum.commas, sum.words),
                Sums::share(sum.prose, sum.words),
                Sums::share(sum.prose, whole.prose),
            ]
        };
        let mut outside = parts(whole);
        // The prose of a page is that of no element.
        (outside[PROSE_DENSITY], outside[PROSE_SHARE]) = (0.0, 0.0);
        Self { elements: sums.iter().map(parts).collect(), whole: outside }
    }

    /// The parts about the element at a place.
    #[inline]
    pub fn of(&self, place: u32) -> &Parts {
        self.elements.get(place as usize).unwrap_or(&self.whole)
    }
}
