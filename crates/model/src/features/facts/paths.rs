//! Lists the elements of a page that contain text, directly or deeper, as columns.
//!
//! A third of the elements of a page contain no text (images, line breaks, empty boxes), and no feature reads them. The
//! place of an element is its index in these columns, lower than those of all elements inside it. The weights of the
//! words of `id`, `class`, `role` and `itemprop` are summed along the paths.

use trommel_html::{AttributeWord, Element, NONE, Page};

use crate::features::lexicon::Lexicon;
use crate::features::scratch::{Scratch, count_work};

/// Elements of a page that contain text, with their parents. The place of an element is its index in this list.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Index of each element in the page's table of elements.
    pub elements: Scratch<u32>,
    /// Index in `elements` of the parent of each element, or [`NONE`] if it has none.
    pub parents: Scratch<u32>,
    /// Index in `elements` just past the last element inside each element.
    pub ends: Scratch<u32>,
    /// Index in `elements` of the element of each block, or [`NONE`].
    pub blocks: Scratch<u32>,
    /// Index in `elements` of each element of the page or, if it has no text, of its nearest ancestor with text.
    around: Scratch<u32>,
}

/// The innermost element that holds both a block and another element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// Number of levels from the block's element up to the common element; the block's depth plus 1 if there is none.
    pub up: u16,
    /// Depth of the common element; 0 if there is none.
    pub depth: u16,
    /// Index in [`Paths`] of the common element, or [`NONE`].
    pub place: u32,
}

/// Temporary entry of `around` for an element that contains text, until its index is known.
const HAS_TEXT: u32 = 0;

impl Paths {
    /// Lists the elements of a page that contain text. Passes every element to `visit`: its index, the element, the
    /// place (index in the list) of the nearest element with text around it, and whether it contains text.
    #[inline(always)]
    pub fn visited(page: &Page, mut visit: impl FnMut(u32, &Element, u32, bool)) -> Self {
        // One column serves twice, first for marks and then for places: a column less to clear for each page.
        let mut around = Scratch::filled(page.elements.len(), NONE);
        for block in &page.blocks {
            for (at, _) in page.path(block.element) {
                count_work(1);
                match around.get_mut(at as usize) {
                    // What is around it is marked as well.
                    Some(mark) if *mark == HAS_TEXT => break,
                    Some(mark) => *mark = HAS_TEXT,
                    None => {}
                }
            }
        }
        count_work(page.elements.len());
        let mut elements = Scratch::with_capacity(page.elements.len());
        let mut parents = Scratch::with_capacity(page.elements.len());
        for (at, element) in (0u32..).zip(&page.elements) {
            // Elements come after those around them, so the parent's mark has been replaced by its place.
            let parent = around.get(element.parent as usize).copied().unwrap_or(NONE);
            if let Some(place) = around.get_mut(at as usize) {
                let has_text = *place == HAS_TEXT;
                *place = parent;
                if has_text {
                    *place = elements.len() as u32;
                    elements.push(at);
                    parents.push(parent);
                }
                visit(at, element, parent, has_text);
            }
        }
        let blocks = page.blocks.iter();
        let blocks = blocks.map(|block| around.get(block.element as usize).copied().unwrap_or(NONE));
        Self { blocks: blocks.collect(), ends: (1..=elements.len() as u32).collect(), elements, parents, around }
    }

    /// Lists the elements of a page that contain text, and records where the descendants of each end in the list.
    #[cfg(test)]
    pub fn new(page: &Page) -> Self {
        let mut paths = Self::visited(page, |_, _, _, _| {});
        paths.end(|_, _| {});
        paths
    }

    /// Finds for each element the index just past its last descendant. Passes the index of each element and that of its
    /// parent to `visit`, inner first.
    #[inline(always)]
    pub fn end(&mut self, mut visit: impl FnMut(usize, u32)) {
        for (at, parent) in self.parents.iter().enumerate().rev() {
            // Those inside have passed theirs on, so it is known.
            let end = self.ends.get(at).copied().unwrap_or_default();
            if let Some(outer) = self.ends.get_mut(*parent as usize) {
                *outer = end.max(*outer);
            }
            visit(at, *parent);
        }
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns the index in `elements` of a block's element, or [`NONE`].
    #[inline]
    pub fn of_block(&self, block: usize) -> u32 {
        self.blocks.get(block).copied().unwrap_or(NONE)
    }

    /// Returns the index in `elements` of an element of the page, or of the innermost element with text around it.
    #[inline]
    pub fn around(&self, element: u32) -> u32 {
        self.around.get(element as usize).copied().unwrap_or(NONE)
    }

    /// Returns the index in `elements` of an element of the page; `None` if the element contains no text.
    #[inline]
    pub fn of_element(&self, element: u32) -> Option<u32> {
        let place = self.around(element);
        (self.elements.get(place as usize) == Some(&element)).then_some(place)
    }

    /// Returns the index in `elements` of the parent of the element at index `place`, or [`NONE`].
    #[inline]
    pub fn parent(&self, place: u32) -> u32 {
        self.parents.get(place as usize).copied().unwrap_or(NONE)
    }

    /// Returns the number of elements around the element at index `place` of the list.
    pub fn depth(&self, page: &Page, place: u32) -> u16 {
        let element = self.elements.get(place as usize);
        let element = element.and_then(|at| page.element(*at));
        element.map_or(0, |element| element.depth)
    }

    /// Returns for each block the innermost element that holds both it and the element at index `target` of the list.
    pub fn meetings(&self, page: &Page, target: u32) -> Scratch<Meeting> {
        // The elements that hold the target, innermost first, each with its depth.
        let mut around: Scratch<(u32, u32, u16)> = Scratch::with_capacity(0);
        let mut at = target;
        while let Some(end) = self.ends.get(at as usize) {
            count_work(1);
            around.push((at, *end, self.depth(page, at)));
            at = self.parent(at);
        }
        // Blocks are in the order of the page, so the innermost that holds a block is near that of the block before.
        let mut level = 0;
        let blocks = self.blocks.iter().zip(&page.blocks);
        blocks
            .map(|(place, block)| {
                let Some(element) = page.element(block.element) else {
                    return Meeting { up: 0, depth: 0, place: NONE };
                };
                let holds = |level: usize| {
                    let holder = around.get(level);
                    holder.is_some_and(|(first, end, _)| (*first..*end).contains(place))
                };
                while level < around.len() && !holds(level) {
                    count_work(1);
                    level += 1;
                }
                while level > 0 && holds(level - 1) {
                    count_work(1);
                    level -= 1;
                }
                match around.get(level) {
                    Some((place, _, depth)) => {
                        Meeting { up: element.depth.saturating_sub(*depth), depth: *depth, place: *place }
                    }
                    None => Meeting { up: element.depth.saturating_add(1), depth: 0, place: NONE },
                }
            })
            .collect()
    }
}

/// Factor (0 to 1) by which the summed weights of attribute words shrink from an element to its children.
// Names of far elements say less about a block: after ten levels a tenth is left.
const DECAY: f32 = 0.8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PathWeight {
    pub sum: f32,
    // A single strong word (`sidebar`) must not drown in the sum of many weak ones.
    pub min: f32,
    pub max: f32,
    /// Sum of the weights of the words of the element's own attributes.
    pub direct: f32,
}

/// Number, sum and extremes of the learned weights of one element's class names and other attribute words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementWeights {
    /// Number of attribute words, with or without a weight.
    tokens: u32,
    pub sum: f32,
    /// Lowest weight of a word, or 0 if none is negative.
    min: f32,
    /// Highest weight of a word, or 0 if none is positive.
    max: f32,
}

/// Placeholder for weights that are yet to be looked up.
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
        for weight in tokens.iter().filter_map(|token| lexicon.weights.get(token.hash)) {
            weights.sum += weight;
            weights.min = lower(weights.min, weight);
            weights.max = higher(weights.max, weight);
        }
        weights
    }
}

/// Weights of attribute words along the path to each element, summed from the outermost element inwards.
#[derive(Debug, Default)]
pub(crate) struct PathWeights {
    /// Weights along the path to each element with text, by the element's index in [`Paths`].
    all: Scratch<PathWeight>,
    // Kept at the first word of each distinct value, so a class used a thousand times is weighed once.
    known: Scratch<ElementWeights>,
}

impl PathWeights {
    /// Creates empty path weights for the elements of a page.
    pub fn new(page: &Page) -> Self {
        Self {
            all: Scratch::with_capacity(page.elements.len()),
            known: Scratch::filled(page.attribute_words.len(), NOT_KNOWN),
        }
    }

    pub fn of(&self, place: u32) -> PathWeight {
        self.all.get(place as usize).copied().unwrap_or_default()
    }

    /// Computes the weights of the next element of the page; `parent` is the index in [`Paths`] of its parent.
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

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn elements_without_text_have_no_place() {
        let html = "<div><img src=a><p>one <i></i><b>two</b></div>\
                    <section><hr><div></div></section><ul><li>three";
        let page = ScanEngine.read(html, &Limits::default());
        let paths = Paths::new(&page);
        let elements = paths.elements.iter().filter_map(|at| page.element(*at));
        let names: Vec<&str> = elements.map(|element| page.name(element)).collect();
        // An inline element within a block is not on the path to it.
        assert_eq!(names, ["div", "p", "ul", "li"]);
        assert_eq!(*paths.parents, [NONE, 0, NONE, 2]);
        assert_eq!(*paths.ends, [2, 2, 4, 4]);
        assert_eq!(*paths.blocks, [1, 3]);
        // The image stands in the first, the line in none.
        assert_eq!((paths.around(1), paths.of_element(1)), (0, None));
        let line = page.elements.iter().position(|element| page.name(element) == "hr");
        assert_eq!(paths.around(line.unwrap() as u32), NONE);
        assert_eq!(paths.of_element(paths.elements[3]), Some(3));
        let met = |up, depth, place| Meeting { up, depth, place };
        assert_eq!(*paths.meetings(&page, 3), [met(2, 0, NONE), met(0, 1, 3)]);
        assert_eq!(*paths.meetings(&page, 0), [met(1, 0, 0), met(2, 0, NONE)]);
        assert_eq!(*paths.meetings(&page, NONE), [met(2, 0, NONE), met(2, 0, NONE)]);
        assert_eq!((paths.depth(&page, 3), paths.depth(&page, NONE)), (1, 0));
    }
}
