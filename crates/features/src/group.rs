//! The trait of a feature group.

use crate::columns::GroupColumns;
pub(crate) use crate::columns::RequestedColumns;

use crate::facts::PageFacts;
pub(crate) use crate::facts::{Batch, Fact};
use crate::lexicon::Lexicon;

/// A group of features, ready to describe the blocks of one page.
pub(crate) trait Group<'a>: Fill {
    /// Facts that it needs; all others may be absent.
    const NEEDS: &'static [Fact];

    /// Names of its columns, if they are the same under every lexicon.
    const NAMES: &'static [&'static str] = &[];

    /// Names of its columns under a lexicon.
    fn columns(_: &Lexicon) -> Vec<String> {
        owned(Self::NAMES)
    }

    /// Makes its own pass over the page, if the columns that are asked for need one. What only others need is
    /// left out.
    fn new(facts: &'a PageFacts<'a>, asked: RequestedColumns) -> Self;
}

/// Fills columns.
pub(crate) trait Fill {
    /// Writes the columns of a batch of blocks, in the order of their names.
    fn fill(&self, batch: &Batch, out: &mut GroupColumns);
}

/// Names as columns are named.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Names of columns that tell the same parts about several things, thing by thing: `thing.part`.
pub(crate) fn crossed(things: impl IntoIterator<Item = String>, parts: &[&str]) -> Vec<String> {
    let of = |thing: String| parts.iter().map(move |part| format!("{thing}.{part}"));
    things.into_iter().flat_map(of).collect()
}
