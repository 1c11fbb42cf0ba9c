//! Facts of a whole page, or of a batch of its blocks, that several feature groups read.
//!
//! Each is computed once, and only if a group of the schema needs it.

pub(crate) mod elements;
pub(crate) mod headline;
pub(crate) mod paths;
pub(crate) mod prose;
pub(crate) mod shape;
pub(crate) mod templates;
pub(crate) mod terms;

use trommel_html::Page;
use trommel_text::{TextMasks, vectors::Vectors};

use self::elements::{ContainerParts, ElementFacts, Wanted};
use self::paths::{PathWeights, Paths};
use self::shape::{Shape, Shapes, Sums};
use self::{headline::Outline, prose::Prose, templates::Templates, terms::Terms};
use crate::features::facts::elements::{LEVELS, LevelColumns, NO_PARTS};
use crate::{features::lexicon::Lexicon, features::scratch::Scratch};

/// A fact of the whole page that several groups read, computed once if a group needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Counts over the characters of each block.
    Shapes,
    /// The elements on the paths to blocks.
    Paths,
    /// Sums over the blocks inside each element; brings shapes and paths.
    Sums,
    /// The place of the prose. It requires shapes and sums.
    Prose,
    /// Hashes of the words at the start of each block.
    Terms,
    /// Headline and headings; brings terms.
    Outline,
    /// The elements at several levels above each block of a batch; brings sums.
    Levels,
    /// The kinds of elements around each element on a path; brings paths.
    Around,
    /// The weights of words along each path; brings paths.
    Weights,
    /// The groups of repeated elements; brings sums.
    Templates,
}

/// Facts of one page; those that no group needs are empty.
pub(crate) struct PageFacts<'a> {
    pub page: &'a Page,
    pub url: Option<&'a str>,
    pub lexicon: &'a Lexicon,
    /// For each block.
    pub shapes: Scratch<Shape>,
    pub paths: Paths,
    /// For each element on a path, and for the page.
    pub sums: Scratch<Sums>,
    pub whole: Sums,
    pub prose: Prose,
    pub terms: Terms,
    pub outline: Outline,
    /// For each element on a path, if levels or prose are needed.
    pub containers: ContainerParts,
    /// Kinds of the elements around each element on a path, and weights and groups of repeated ones, if needed.
    pub around: Scratch<u32>,
    pub weights: PathWeights,
    pub templates: Templates,
    has_levels: bool,
}

impl<'a> PageFacts<'a> {
    /// The needed facts, with those that they depend on.
    pub fn new(page: &'a Page, url: Option<&'a str>, lexicon: &'a Lexicon, needed: &[Fact]) -> Self {
        let needs = |fact: Fact| needed.contains(&fact);
        let (has_prose, has_outline) = (needs(Fact::Prose), needs(Fact::Outline));
        // Facts are made of other facts, so asking for one brings those; each is made once for all groups.
        let has_levels = needs(Fact::Levels);
        let wanted = Wanted {
            sums: has_prose || has_levels || needs(Fact::Sums) || needs(Fact::Templates),
            containers: has_prose || has_levels,
            around: needs(Fact::Around),
            weights: needs(Fact::Weights),
            templates: needs(Fact::Templates),
        };
        let has_elements = wanted.sums || wanted.around || wanted.weights || has_outline || needs(Fact::Paths);
        let masks = TextMasks::of(page.texts());
        let shapes = if wanted.sums || needs(Fact::Shapes) {
            Vectors::default().run(Shapes { page, masks: &masks })
        } else {
            Scratch::default()
        };
        let elements =
            if has_elements { ElementFacts::new(page, lexicon, &shapes, wanted) } else { ElementFacts::default() };
        let ElementFacts { paths, sums, whole, containers, around, weights, templates } = elements;
        let prose = if has_prose { Prose::new(page, &paths, &shapes, &sums, &containers) } else { Prose::default() };
        let terms = if has_outline || needs(Fact::Terms) { Terms::new(page, &masks) } else { Terms::default() };
        let outline = if has_outline { Outline::new(page, &paths, &terms) } else { Outline::default() };
        Self {
            page,
            url,
            lexicon,
            shapes,
            paths,
            sums,
            whole,
            prose,
            terms,
            outline,
            containers,
            around,
            weights,
            templates,
            has_levels,
        }
    }

    /// Fills in the facts about the blocks of a batch.
    pub fn fill_batch(&self, blocks: &[u32], batch: &mut Batch) {
        // Climbed for each batch and not kept, so that they take the memory of one batch.
        if self.has_levels {
            let places = blocks.iter().map(|at| self.paths.of_block(*at as usize));
            elements::fill(&mut batch.levels, &self.paths, &self.containers, places);
        }
    }
}

/// Facts about a batch of blocks.
pub(crate) struct Batch {
    /// Facts about the elements at each level above each block, if a group needs them.
    pub levels: Scratch<LevelColumns>,
}

impl Default for Batch {
    fn default() -> Self {
        Self { levels: Scratch::stale(LEVELS.len(), NO_PARTS) }
    }
}
