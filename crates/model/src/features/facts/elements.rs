//! Gathers facts about each element with text, and about the elements around each block.
//!
//! An element is visited twice: once down, for what it has from those around it, and once up, for what they have
//! from it. Facts of an element that holds text are computed once, and not once for each block in it.

use trommel_html::{NONE, Page, Tag};

use super::paths::{PathWeights, Paths};
use super::shape::{Shape, Sums, add_blocks};
use super::templates::Templates;
use crate::features::columns::{LANES, Lanes};
use crate::features::scratch::{Scratch, count_work};
use crate::{features::lexicon::Lexicon, features::log::log};

/// A kind of fact about the elements of a page that feature groups read, computed once if a group needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Counts of the characters of each block by kind, such as commas and digits.
    Shapes,
    /// Elements that contain text, with their parents.
    Paths,
    /// Sums over the blocks inside each element, such as words and links; requires shapes and paths.
    Sums,
    /// Location of the page's prose; requires shapes and sums.
    Prose,
    /// Hashes of the words at the start of each block.
    Terms,
    /// Headline and headings of the page; requires terms.
    Outline,
    /// Values of the elements at several levels above each block of a batch; requires sums.
    Levels,
    /// Tags of the elements around each element that contains text; requires paths.
    Around,
    /// Learned weights of class names and other attribute words, summed along the path to each element; requires paths.
    Weights,
    /// Groups of sibling elements with the same names and classes, such as the items of a list; requires sums.
    Templates,
}

/// Facts that are sums over the blocks inside each element, or are computed from such sums.
pub(crate) const MADE_OF_SUMS: [Fact; 4] = [Fact::Sums, Fact::Prose, Fact::Levels, Fact::Templates];

/// Facts about all elements of a page that contain text, by their index in `paths`; empty where no feature group needs
/// them.
#[derive(Default)]
pub(crate) struct ElementFacts {
    pub paths: Paths,
    pub sums: Scratch<Sums>,
    /// Sums over all blocks of the page (words, linked words, blocks, commas and others).
    pub whole: Sums,
    /// Values that describe each element, such as its link density; computed only if features of levels or prose are.
    pub containers: ContainerParts,
    /// Bit set per element with text: tags (of [`AROUND_TAGS`] and headings) of it and of all elements around it.
    pub around: Scratch<u32>,
    pub weights: PathWeights,
    pub templates: Templates,
}

impl ElementFacts {
    /// Computes the needed facts about the elements of a page; `shapes` holds the character counts of each block.
    pub fn new(page: &Page, lexicon: &Lexicon, shapes: &[Shape], needs: impl Fn(&[Fact]) -> bool) -> Self {
        let (with_sums, with_containers) = (needs(&MADE_OF_SUMS), needs(&[Fact::Prose, Fact::Levels]));
        let [with_around, with_weights, with_templates] =
            [Fact::Around, Fact::Weights, Fact::Templates].map(|fact| needs(&[fact]));
        if !(with_sums || with_around || with_weights || needs(&[Fact::Outline, Fact::Paths])) {
            return Self::default();
        }
        let room = |is_needed: bool| if is_needed { page.elements.len() } else { 0 };
        let mut sums: Scratch<Sums> = Scratch::with_capacity(room(with_sums));
        let mut around: Scratch<u32> = Scratch::with_capacity(room(with_around));
        let mut weights = if with_weights { PathWeights::new(page) } else { PathWeights::default() };
        let mut templates = if with_templates { Templates::new(page) } else { Templates::default() };
        let mut paths = Paths::visited(page, |at, element, parent, has_text| {
            if !has_text {
                // Images have no place of their own: they count for what is around them.
                if element.tag == Tag::Img
                    && let Some(sum) = sums.get_mut(parent as usize)
                {
                    sum.images += 1;
                }
                return;
            }
            if with_sums {
                sums.push(Sums::of(at, element));
            }
            if with_around {
                let above = around.get(parent as usize).copied().unwrap_or(0);
                around.push(around_with(above, element.tag));
            }
            if with_weights {
                weights.visit(page, lexicon, element, parent);
            }
            if with_templates {
                templates.visit(element, parent);
            }
        });
        let whole = if with_sums { add_blocks(&mut sums, page, &paths, shapes) } else { Sums::default() };
        let mut containers =
            if with_containers { ContainerParts::new(paths.len(), &whole) } else { ContainerParts::default() };
        paths.end(|at, parent| {
            let Some(element_sums) = sums.get(at).copied() else { return };
            if let Some(outer) = sums.get_mut(parent as usize) {
                outer.add(&element_sums);
            }
            if with_containers {
                containers.set(at, &element_sums);
            }
            if with_templates {
                templates.add(at, &element_sums);
            }
        });
        if with_templates {
            templates.finish(&paths, &whole);
        }
        Self { paths, sums, whole, containers, around, weights, templates }
    }
}

/// Number of values ([`Parts`]) that describe an element, such as its words and its share of prose.
pub(crate) const PARTS: usize = 8;
/// Number of values at the start of [`Parts`] that are container features; the values after them are about prose.
pub(crate) const SHAPE_PARTS: usize = 6;
/// Index in [`Parts`] of the share of prose in the element's words.
pub(crate) const PROSE_DENSITY: usize = 6;
/// Index in [`Parts`] of the element's share of the page's prose.
pub(crate) const PROSE_SHARE: usize = 7;

/// Values that describe one element, such as its words and its share of prose.
pub(crate) type Parts = [f32; PARTS];

/// Values ([`Parts`]) that describe each element with text, such as its words and its share of prose.
#[derive(Debug, Default)]
pub(crate) struct ContainerParts {
    elements: Scratch<Parts>,
    /// Values for text outside of all elements, computed from the sums of the page.
    whole: Parts,
    /// Numbers of all words of the page, and of its words in prose, by which numbers are divided to become shares.
    page: (f32, f32),
}

impl ContainerParts {
    /// Creates unset values for `elements` elements; `whole` holds the sums of the page.
    pub fn new(elements: usize, whole: &Sums) -> Self {
        let page = (divisor(whole.words), divisor(whole.prose));
        let mut outside = parts(whole, page);
        // The prose of a page is that of no element.
        (outside[PROSE_DENSITY], outside[PROSE_SHARE]) = (0.0, 0.0);
        Self { elements: Scratch::stale(elements, [0.0; PARTS]), whole: outside, page }
    }

    /// Computes the values of the element at index `place` in [`Paths`] from its sums.
    #[inline(always)]
    pub fn set(&mut self, place: usize, sums: &Sums) {
        if let Some(known) = self.elements.get_mut(place) {
            *known = parts(sums, self.page);
        }
    }

    /// Returns the values of the element at index `place` in [`Paths`], or those for text outside of all elements.
    #[inline]
    pub fn of(&self, place: u32) -> &Parts {
        self.elements.get(place as usize).unwrap_or(&self.whole)
    }
}

/// Returns the values that describe an element, given its sums, and the page's number of words and of words in prose.
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

/// Converts a count to a float.
#[inline]
fn count(count: u32) -> f32 {
    // Signed, since processors turn four of these into numbers at once. No page has two billion words.
    count as i32 as f32
}

/// Returns the divisor for shares of `whole`; infinite for 0, so that every share of nothing is 0.
#[inline]
fn divisor(whole: u32) -> f32 {
    if whole == 0 { f32::INFINITY } else { count(whole) }
}

/// Tags of elements whose presence anywhere around a block is a feature.
pub(crate) const AROUND_TAGS: [Tag; 25] = {
    use Tag::*;
    [
        Nav, Header, Footer, Aside, Article, Main, Form, Ul, Ol, Li, Table, Td, Figure, Section, P, Pre, Blockquote,
        Dl, Button, Label, Details, Noscript, A, Dialog, Fieldset,
    ]
};

// Headings of all levels share one bit: whether a block is in a heading matters, its level is a feature of the outline.
const HEADING_BIT: u32 = 1 << AROUND_TAGS.len();

/// Bit of each tag that is one of [`AROUND_TAGS`] or a heading; 0 for other tags.
// Made by the compiler: a tag is looked up for every element of every page.
const BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < AROUND_TAGS.len() {
        bits[AROUND_TAGS[at] as usize] = 1 << at;
        at += 1;
    }
    let headings = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];
    let mut at = 0;
    while at < headings.len() {
        bits[headings[at] as usize] = HEADING_BIT;
        at += 1;
    }
    bits
};

/// Returns the bit set of the tags of an element and of all elements around it; `above` is the bit set of its parent.
#[inline(always)]
pub(crate) fn around_with(above: u32, tag: Tag) -> u32 {
    above | BITS[tag as usize]
}

/// Numbers of levels above a block at which features describe the enclosing element.
// Farther out the steps are wider: single levels say less there, and wrappers differ in number between sites.
pub(crate) const LEVELS: [usize; 7] = [0, 1, 2, 3, 4, 6, 8];

/// Values of the elements at one level above each block of a batch, one column for each of [`Parts`].
pub(crate) type LevelColumns = [Lanes; PARTS];

/// Column values for all blocks at one level, before they are filled.
pub(crate) const NO_PARTS: LevelColumns = [[0.0; LANES]; PARTS];

/// Fills the columns of all levels with the values of the elements around `blocks`.
pub(crate) fn fill(levels: &mut [LevelColumns], elements: &ElementFacts, blocks: &[u32]) {
    let ElementFacts { paths, containers, .. } = elements;
    for (lane, block) in (0..LANES).zip(blocks) {
        let (mut at, mut level) = (paths.of_block(*block as usize), 0);
        for (columns, wanted) in levels.iter_mut().zip(LEVELS) {
            // Each level is climbed from the one below it, so all seven together take eight steps.
            for _ in level..wanted {
                count_work(1);
                // The outermost stands for all above it.
                let parent = paths.parent(at);
                at = if parent == NONE { at } else { parent };
            }
            level = wanted;
            for (column, part) in columns.iter_mut().zip(containers.of(at)) {
                column[lane] = *part;
            }
        }
    }
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
