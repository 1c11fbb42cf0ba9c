//! Facts about a whole page, or a batch of its blocks, that several feature groups read.
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

pub(crate) use self::elements::Fact;
use self::elements::{ElementFacts, LEVELS, LevelColumns, MADE_OF_SUMS, NO_PARTS};
use self::shape::{Shape, Shapes};
use self::{headline::Outline, prose::Prose, terms::Terms};
use crate::{features::lexicon::Lexicon, features::scratch::Scratch};

/// Facts about one page from which features are computed. Facts that no feature group needs are empty.
pub(crate) struct PageFacts<'a> {
    pub page: &'a Page,
    pub url: Option<&'a str>,
    pub lexicon: &'a Lexicon,
    /// Character counts of each block.
    pub shapes: Scratch<Shape>,
    pub elements: ElementFacts,
    pub prose: Prose,
    pub terms: Terms,
    pub outline: Outline,
}

impl<'a> PageFacts<'a> {
    /// Computes the needed facts, and those that they depend on.
    pub fn new(page: &'a Page, url: Option<&'a str>, lexicon: &'a Lexicon, needed: &[Fact]) -> Self {
        // Facts are made of other facts, so asking for one brings those; each is made once for all groups.
        let needs = |facts: &[Fact]| facts.iter().any(|fact| needed.contains(fact));
        let masks = TextMasks::of(page.texts());
        let with_shapes = needs(&MADE_OF_SUMS) || needs(&[Fact::Shapes]);
        let shapes =
            if with_shapes { Vectors::default().run(Shapes { page, masks: &masks }) } else { Scratch::default() };
        let elements = ElementFacts::new(page, lexicon, &shapes, needs);
        let with_prose = needs(&[Fact::Prose]);
        let prose = if with_prose { Prose::new(page, &shapes, &elements) } else { Prose::default() };
        let (with_outline, with_terms) = (needs(&[Fact::Outline]), needs(&[Fact::Outline, Fact::Terms]));
        let terms = if with_terms { Terms::new(page, &masks) } else { Terms::default() };
        let outline = if with_outline { Outline::new(page, &elements.paths, &terms) } else { Outline::default() };
        Self { page, url, lexicon, shapes, elements, prose, terms, outline }
    }
}

/// Facts about a batch of blocks from which features are computed.
// Climbed for each batch and not kept, so that they take the memory of one batch.
pub(crate) struct Batch {
    /// Values of the elements around each block, one entry per level above the block, if a feature group needs them.
    pub levels: Scratch<LevelColumns>,
}

impl Default for Batch {
    fn default() -> Self {
        Self { levels: Scratch::stale(LEVELS.len(), NO_PARTS) }
    }
}
