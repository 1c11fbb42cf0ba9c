//! Facts of a whole page that several feature groups read: each computed once, and only if a group of
//! the schema needs it.

use trommel_html::Page;

use crate::containers::{self, Sums};
use crate::group::{Batch, Fact, FeatureGroup};
use crate::lexicon::Lexicon;
use crate::outline::Outline;
use crate::prose::Prose;
use crate::terms::Terms;
use crate::text::Shape;

/// Facts of one page; those that no group needs are empty.
pub(crate) struct PageFacts<'a> {
    pub page: &'a Page,
    pub url: Option<&'a str>,
    pub lexicon: &'a Lexicon,
    /// Of each block.
    pub shapes: Vec<Shape>,
    /// Of each element, and of the page.
    pub sums: Vec<Sums>,
    pub whole: Sums,
    pub prose: Prose,
    pub terms: Terms,
    pub outline: Outline,
    has_levels: bool,
}

impl<'a> PageFacts<'a> {
    /// The facts that these groups need.
    pub fn new(
        page: &'a Page,
        url: Option<&'a str>,
        lexicon: &'a Lexicon,
        groups: &[FeatureGroup],
    ) -> Self {
        let needs = |fact: Fact| groups.iter().any(|group| group.needs().contains(&fact));
        let (has_prose, has_outline) = (needs(Fact::Prose), needs(Fact::Outline));
        let has_sums = has_prose || needs(Fact::Sums);
        let shapes = if has_sums || needs(Fact::Shapes) {
            page.blocks
                .iter()
                .map(|block| Shape::of(page.text(block)))
                .collect()
        } else {
            Vec::new()
        };
        let (sums, whole) = if has_sums {
            containers::sums(page, &shapes)
        } else {
            Default::default()
        };
        let prose = if has_prose {
            Prose::new(page, &shapes, &sums)
        } else {
            Prose::default()
        };
        let terms = if has_outline || needs(Fact::Terms) {
            Terms::new(page)
        } else {
            Terms::default()
        };
        let outline = if has_outline {
            Outline::new(page, &terms)
        } else {
            Outline::default()
        };
        Self {
            page,
            url,
            lexicon,
            shapes,
            sums,
            whole,
            prose,
            terms,
            outline,
            has_levels: needs(Fact::Levels),
        }
    }

    /// What is known of the blocks that a batch begins with.
    pub fn batch(&self, first: usize) -> Batch {
        let mut batch = Batch::default();
        if self.has_levels {
            let blocks = self.page.blocks.get(first..).unwrap_or_default();
            for (levels, block) in batch.levels.iter_mut().zip(blocks) {
                *levels = containers::levels(self.page, block.element);
            }
        }
        batch
    }
}
