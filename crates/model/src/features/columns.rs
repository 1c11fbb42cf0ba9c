//! Stores features as columns: the values of one feature for a batch of blocks are adjacent in memory.

use std::ops::Range;

use crate::features::scratch::Scratch;

/// Number of blocks in a batch, whose features are computed together.
// As many as a machine word has bits: the answers of a batch to a question of a tree are one number.
pub const LANES: usize = 64;

/// Values of one feature for a batch of blocks: one value for each block.
pub type Lanes = [f32; LANES];

/// Placeholder index for a feature column that is not computed.
// A column nobody asks for still has an entry, so that looking up a slot is one read and no search.
const NO_COLUMN: u16 = u16::MAX;

/// Set of feature columns that are computed. The slot of a column is its index among the computed columns.
#[derive(Clone, Debug, Default)]
pub struct ColumnSet {
    /// Index of each feature column among the computed ones, or [`NO_COLUMN`] if it is not computed.
    slots: Vec<u16>,
    /// Number of each computed column among all feature columns.
    // Slots are few and dense: the values of a batch stay in the cache, whatever the width of the schema.
    asked: Vec<u16>,
}

impl ColumnSet {
    /// Creates the set of the columns with these numbers; ignores duplicates and numbers from `width` on.
    pub fn new(width: usize, columns: impl IntoIterator<Item = u16>) -> Self {
        let mut set = Self { slots: vec![NO_COLUMN; width], asked: Vec::new() };
        for column in columns {
            if let Some(slot) = set.slots.get_mut(usize::from(column))
                && *slot == NO_COLUMN
            {
                // Fewer than there are numbers of columns.
                *slot = set.asked.len() as u16;
                set.asked.push(column);
            }
        }
        set
    }

    /// Returns the numbers of the computed columns among all feature columns, in the order of their values.
    pub fn asked(&self) -> &[u16] {
        &self.asked
    }

    /// Returns the index of a feature column among the computed ones; `None` if the column is not computed.
    pub fn slot(&self, column: u16) -> Option<usize> {
        let slot = self.slots.get(usize::from(column)).copied()?;
        (slot != NO_COLUMN).then_some(usize::from(slot))
    }

    /// Returns a view of a range of feature columns that tells which of them are computed.
    pub(crate) fn asked_of(&self, columns: Range<usize>) -> RequestedColumns<'_> {
        RequestedColumns(self.slots.get(columns).unwrap_or_default())
    }
}

/// Index among the computed columns of each column of a feature group; [`NO_COLUMN`] if the column is not computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestedColumns<'s>(&'s [u16]);

impl RequestedColumns<'_> {
    /// Returns whether at least one of these columns (indices within the group) is computed.
    pub fn any(self, columns: impl IntoIterator<Item = usize>) -> bool {
        let mut slots = columns.into_iter().filter_map(|at| self.0.get(at));
        slots.any(|slot| *slot != NO_COLUMN)
    }

    /// Returns whether no column of the group is computed.
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|slot| *slot == NO_COLUMN)
    }
}

/// Values of the computed features for one batch of blocks.
#[derive(Clone, Debug)]
pub struct Columns<'s> {
    set: &'s ColumnSet,
    /// Index on the page of each block of the batch, ascending.
    blocks: Scratch<u32>,
    values: Scratch<Lanes>,
    /// True during the first batch, which writes the columns whose value is the same for all blocks of a page.
    is_first: bool,
    /// Buffer for all columns of a feature group if only some of them are requested, which are then copied from it.
    // Kept from batch to batch: clearing it each time would cost as much as filling it.
    group: Scratch<Lanes>,
}

/// Maximum number of columns that the buffer holds if only some columns of a feature group are requested.
const MAX_ROW: usize = 32;

impl<'s> Columns<'s> {
    pub(crate) fn new(set: &'s ColumnSet) -> Self {
        let zero = [0.0; LANES];
        // Every column is written for the first batch, and lanes without a block have no meaning.
        let values = Scratch::stale(set.asked.len(), zero);
        let group = Scratch::stale(MAX_ROW, zero);
        Self { set, blocks: Scratch::with_capacity(LANES), values, is_first: true, group }
    }

    pub(crate) fn start(&mut self, blocks: impl Iterator<Item = u32>) {
        self.blocks.clear();
        self.blocks.extend(blocks);
    }

    /// Ends the current batch; must be called once all of its columns are written.
    pub(crate) fn finish(&mut self) {
        self.is_first = false;
    }

    /// Returns the set of the feature columns that are computed.
    pub fn set(&self) -> &'s ColumnSet {
        self.set
    }

    /// Returns the index on the page of each block of the batch; a batch can have fewer blocks than values per column.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// Returns the values of all computed columns, in the order of the columns in the [`ColumnSet`].
    pub fn values(&self) -> &[Lanes] {
        &self.values
    }

    /// Returns the values of the column at this index among the computed columns; `None` if there is none.
    pub fn column(&self, slot: usize) -> Option<&Lanes> {
        self.values.get(slot)
    }

    /// Sets all values of the column at index `slot` among the computed columns to `value`.
    pub fn fill(&mut self, slot: usize, value: f32) {
        if let Some(lanes) = self.values.get_mut(slot) {
            lanes.fill(value);
        }
    }

    /// Returns a writer for the columns of one feature group.
    pub(crate) fn group(&mut self, columns: Range<usize>) -> GroupColumns<'_> {
        GroupColumns {
            blocks: &self.blocks,
            slots: self.set.slots.get(columns).unwrap_or_default(),
            values: &mut self.values,
            is_first: self.is_first,
            group: &mut self.group,
        }
    }
}

/// Writer of one feature group's columns for a batch of blocks. Columns are written in the order of their names, each
/// once per batch; columns outside the set are not computed.
pub(crate) struct GroupColumns<'c> {
    blocks: &'c [u32],
    /// Indices, among the computed columns, of the group's columns that are yet to be written.
    slots: &'c [u16],
    values: &'c mut [Lanes],
    is_first: bool,
    group: &'c mut [Lanes],
}

impl<'c> GroupColumns<'c> {
    /// Returns the index on the page of each block of the batch.
    pub fn blocks(&self) -> &'c [u32] {
        self.blocks
    }

    /// Returns whether no column of the group after the next one is computed.
    pub fn is_next_alone(&self) -> bool {
        self.slots.iter().skip(1).all(|slot| *slot == NO_COLUMN)
    }

    /// Writes the next column; `value` returns the value of a block, given its index on the page.
    #[inline(always)]
    // The values are computed behind the test: a column that nobody asks for costs one comparison.
    pub fn put(&mut self, value: impl Fn(usize) -> f32) {
        let blocks = self.blocks;
        if let Some(lanes) = self.next() {
            for (lane, block) in lanes.iter_mut().zip(blocks) {
                *lane = value(*block as usize);
            }
        }
    }

    /// Writes the next column; `value` returns the value of a block, given its index in the batch.
    #[inline(always)]
    pub fn put_lanes(&mut self, value: impl Fn(usize) -> f32) {
        if let Some(lanes) = self.next() {
            for (at, lane) in lanes.iter_mut().enumerate() {
                *lane = value(at);
            }
        }
    }

    /// Writes the next column, whose value is the same for all blocks of the page, in this and later batches.
    pub fn put_constant(&mut self, value: f32) {
        // The memory of a batch is used for the next one, so a value of the page needs writing once.
        let is_first = self.is_first;
        if let Some(lanes) = self.next()
            && is_first
        {
            lanes.fill(value);
        }
    }

    /// Writes the next `N` columns; `row` returns the values of a block, given its index on the page.
    #[inline(always)]
    pub fn put_rows<const N: usize>(&mut self, row: impl Fn(usize) -> [f32; N]) {
        let slots = self.slots;
        // Where all of the columns are asked for, they stand side by side.
        let first =
            slots.first_chunk::<N>().filter(|slots| slots.is_sorted_by(|one, next| one.checked_add(1) == Some(*next)));
        let first = first.and_then(|slots| slots.first()).filter(|first| **first != NO_COLUMN);
        let direct = first.and_then(|first| self.values.get_mut(usize::from(*first)..));
        let is_direct = direct.is_some();
        let Some(columns) = direct.unwrap_or(self.group).first_chunk_mut::<N>() else { return };
        // By block first: facts of one block are read together, and each goes into its column from a register.
        for (lane, block) in (0..LANES).zip(self.blocks) {
            for (column, value) in columns.iter_mut().zip(row(*block as usize)) {
                column[lane] = value;
            }
        }
        self.slots = slots.get(N..).unwrap_or_default();
        if is_direct {
            return;
        }
        for (column, slot) in self.group.iter().zip(slots.iter().take(N)) {
            if let Some(lanes) = self.values.get_mut(usize::from(*slot)) {
                *lanes = *column;
            }
        }
    }

    /// Copies `columns` to the next columns of the group.
    #[inline]
    pub fn put_columns(&mut self, columns: &[Lanes]) {
        for column in columns {
            if let Some(lanes) = self.next() {
                *lanes = *column;
            }
        }
    }

    /// Moves to the next column and returns its values; `None` if the column is not computed.
    #[inline]
    fn next(&mut self) -> Option<&mut Lanes> {
        let (slot, rest) = self.slots.split_first()?;
        self.slots = rest;
        self.values.get_mut(usize::from(*slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<'s> Columns<'s> {
        /// Creates a batch from at most [`LANES`] rows as wide as the schema, for the blocks from index `first` on.
        pub(crate) fn of_rows<R: AsRef<[f32]>>(set: &'s ColumnSet, rows: &[R], first: u32) -> Self {
            let mut columns = Self::new(set);
            columns.values.fill([0.0; LANES]);
            // Training gives rows of any number; more than a batch holds would have no lane.
            columns.start((first..).take(rows.len().min(LANES)));
            for (lanes, column) in columns.values.iter_mut().zip(&set.asked) {
                for (lane, row) in lanes.iter_mut().zip(rows) {
                    let value = row.as_ref().get(usize::from(*column));
                    *lane = value.copied().unwrap_or(0.0);
                }
            }
            columns
        }
    }
}
