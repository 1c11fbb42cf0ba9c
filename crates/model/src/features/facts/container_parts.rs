//! Computes the facts of each element that holds text, once an element and not once for each block in it.

use super::sums::Sums;
use crate::features::log::log;
use crate::features::scratch::Scratch;

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
    /// Words and prose of the page, as divisors.
    page: (f32, f32),
}

impl ContainerParts {
    /// Creates the parts of a number of elements, all unset.
    pub fn new(elements: usize, whole: &Sums) -> Self {
        let page = (divisor(whole.words), divisor(whole.prose));
        let mut outside = parts(whole, page);
        // The prose of a page is that of no element.
        (outside[PROSE_DENSITY], outside[PROSE_SHARE]) = (0.0, 0.0);
        Self { elements: Scratch::stale(elements, [0.0; PARTS]), whole: outside, page }
    }

    /// Sets the parts about the element at a place.
    #[inline(always)]
    pub fn set(&mut self, place: usize, sums: &Sums) {
        if let Some(known) = self.elements.get_mut(place) {
            *known = parts(sums, self.page);
        }
    }

    /// The parts about the element at a place.
    #[inline]
    pub fn of(&self, place: u32) -> &Parts {
        self.elements.get(place as usize).unwrap_or(&self.whole)
    }
}

/// The parts about an element with these sums.
#[inline(always)]
fn parts(sum: &Sums, (page_words, page_prose): (f32, f32)) -> Parts {
    let words = divisor(sum.words);
    // Four divisions at once.
    let shares = [sum.link_words, sum.paragraph_words, sum.commas, sum.prose].map(|part| count(part) / words);
    let [link_density, paragraph_share, commas, prose_density] = shares;
    // Words for each element inside: menus and cards need many elements for few words.
    let words_per_element = match sum.descendants {
        0 | 1 => log(sum.words),
        descendants => log(f64::from(sum.words) / f64::from(descendants)),
    };
    [
        count(sum.words) / page_words,
        link_density,
        log(sum.blocks),
        paragraph_share,
        words_per_element,
        commas,
        prose_density,
        count(sum.prose) / page_prose,
    ]
}

/// A count as a number.
#[inline]
fn count(count: u32) -> f32 {
    // Signed, since processors turn four of these into numbers at once. No page has two billion words.
    count as i32 as f32
}

/// Divisor of counts; infinite for 0, so that every share of nothing is 0.
#[inline]
fn divisor(whole: u32) -> f32 {
    if whole == 0 { f32::INFINITY } else { count(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_sums() {
        let whole = Sums { words: 40, prose: 0, ..Sums::default() };
        let sums = Sums { words: 10, link_words: 5, blocks: 3, paragraph_words: 2, commas: 1, descendants: 4, ..whole };
        let wordless = Sums { commas: 3, ..Sums::default() };
        let mut parts = ContainerParts::new(2, &whole);
        parts.set(0, &sums);
        parts.set(1, &wordless);
        assert_eq!(*parts.of(0), [0.25, 0.5, log(3u32), 0.2, log(2.5), 0.1, 0.0, 0.0]);
        assert_eq!(*parts.of(1), [0.0; PARTS]);
        let expected = [1.0, 0.0, 0.0, 0.0, log(40u32), 0.0, 0.0, 0.0];
        assert_eq!(*parts.of(2), expected, "the page stands for what is outside of all elements");
    }
}
