//! Features of a block's place among the headings of its page.

use crate::columns::GroupColumns;
use crate::facts::PageFacts;
use crate::facts::headline::NAMES;
use crate::group::{Batch, Fact, Fill, Group, RequestedColumns};

/// Features of the blocks of a page relative to its headings.
pub(crate) struct OutlineFeatures<'a>(&'a PageFacts<'a>);

impl<'a> Group<'a> for OutlineFeatures<'a> {
    const NEEDS: &'static [Fact] = &[Fact::Outline];
    const NAMES: &'static [&'static str] = &NAMES;

    fn new(facts: &'a PageFacts<'a>, _: RequestedColumns) -> Self {
        Self(facts)
    }
}

impl Fill for OutlineFeatures<'_> {
    fn fill(&self, _: &Batch, out: &mut GroupColumns) {
        let outline = &self.0.outline;
        out.put_rows(|at| outline.features(at));
    }
}
