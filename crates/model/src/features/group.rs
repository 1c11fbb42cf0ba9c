//! A feature group: the facts it needs, its columns, and the function that fills them.

use crate::features::columns::GroupColumns;
pub(crate) use crate::features::columns::RequestedColumns;
use crate::features::facts::PageFacts;
pub(crate) use crate::features::facts::{Batch, Fact};
use crate::features::lexicon::Lexicon;

/// A group of features.
pub(crate) struct Group {
    /// Facts that it needs; all others may be absent.
    pub needs: &'static [Fact],
    /// Names of its columns under a lexicon.
    pub columns: fn(&Lexicon) -> Vec<String>,
    /// Makes its own pass over the page, if the requested columns need one, and returns the function that fills them.
    /// Work that only other columns need is left out.
    pub on: for<'a> fn(&'a PageFacts<'a>, RequestedColumns<'_>) -> Fill<'a>,
}

/// Writes the columns of a batch of blocks, in the order of their names.
pub(crate) type Fill<'a> = Box<dyn Fn(&Batch, &mut GroupColumns) + 'a>;

/// Fills the columns from one row a block.
pub(crate) fn rows<'a, const N: usize>(row: impl Fn(usize) -> [f32; N] + 'a) -> Fill<'a> {
    Box::new(move |_, out| out.put_rows(&row))
}

/// Fills the columns with the same values for all blocks.
pub(crate) fn constants<'a, const N: usize>(values: [f32; N]) -> Fill<'a> {
    Box::new(move |_, out| values.iter().for_each(|value| out.put_constant(*value)))
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
