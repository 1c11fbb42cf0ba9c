//! Features as columns: the values of one feature for a batch of blocks are adjacent in memory.

use std::ops::Range;

use crate::features::scratch::Scratch;

/// The number of blocks in a batch.
// As many as a machine word has bits: the answers of a batch to a question of a tree are one number.
pub const LANES: usize = 64;

/// The values of one feature for a batch of blocks, one lane for each block.
pub type Lanes = [f32; LANES];

/// Stands for a column that nobody asks for.
// A column nobody asks for still has an entry, so that looking up a slot is one read and no search.
const NO_COLUMN: u16 = u16::MAX;

/// A set of columns of a schema that are computed, each with a slot for its values.
#[derive(Clone, Debug, Default)]
pub struct ColumnSet {
    /// For each column of the schema, the place of its values, or [`NO_COLUMN`].
    slots: Vec<u16>,
    /// The column of the schema in each slot.
    // Slots are few and dense: the values of a batch stay in the cache, whatever the width of the schema.
    asked: Vec<u16>,
}

impl ColumnSet {
    /// Creates the set of the columns with these numbers; numbers from `width` on are ignored.
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

    /// Returns the numbers of the columns in the order of their slots.
    pub fn asked(&self) -> &[u16] {
        &self.asked
    }

    /// Returns the slot of a column; `None` if the column is not computed.
    pub fn slot(&self, column: u16) -> Option<usize> {
        let slot = self.slots.get(usize::from(column)).copied()?;
        (slot != NO_COLUMN).then_some(usize::from(slot))
    }

    /// Returns those columns of a range that are in the set.
    pub(crate) fn asked_of(&self, columns: Range<usize>) -> RequestedColumns<'_> {
        RequestedColumns(self.slots.get(columns).unwrap_or_default())
    }
}

/// The columns of one group of features that are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestedColumns<'s>(&'s [u16]);

impl RequestedColumns<'_> {
    /// Returns whether one of these columns is computed.
    pub fn any(self, columns: impl IntoIterator<Item = usize>) -> bool {
        let mut slots = columns.into_iter().filter_map(|at| self.0.get(at));
        slots.any(|slot| *slot != NO_COLUMN)
    }

    /// Returns whether no column is computed.
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|slot| *slot == NO_COLUMN)
    }
}

/// The values of the computed features for one batch of blocks.
#[derive(Clone, Debug)]
pub struct Columns<'s> {
    set: &'s ColumnSet,
    /// The blocks by lanes, rising.
    blocks: Scratch<u32>,
    values: Scratch<Lanes>,
    /// True if columns that are the same for all blocks of a page are yet to be written.
    is_first: bool,
    /// Buffer for all columns of one group, from which the requested ones are copied.
    // Kept from batch to batch: clearing it each time would cost as much as filling it.
    group: Scratch<Lanes>,
}

/// Maximum columns of a group whose values are written row by row.
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

    /// Ends a batch once all of its columns are written.
    pub(crate) fn finish(&mut self) {
        self.is_first = false;
    }

    /// Returns the set of the columns that are computed.
    pub fn set(&self) -> &'s ColumnSet {
        self.set
    }

    /// Returns the blocks of the batch, which are in its first lanes; the values of further lanes are meaningless.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// Returns the values of all columns, by the slots of the [`ColumnSet`].
    pub fn values(&self) -> &[Lanes] {
        &self.values
    }

    /// Returns the values of the column in a slot.
    pub fn column(&self, slot: usize) -> Option<&Lanes> {
        self.values.get(slot)
    }

    /// Sets all lanes of the column in a slot.
    pub fn fill(&mut self, slot: usize, value: f32) {
        if let Some(lanes) = self.values.get_mut(slot) {
            lanes.fill(value);
        }
    }

    /// Returns the columns of a group, to be written in order.
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

/// Writes the columns of one group for a batch of blocks. They are written in the order of their names, each once per
/// batch; columns outside the set are not computed.
pub(crate) struct GroupColumns<'c> {
    blocks: &'c [u32],
    /// Slots of the columns that are yet to be written.
    slots: &'c [u16],
    values: &'c mut [Lanes],
    is_first: bool,
    group: &'c mut [Lanes],
}

impl<'c> GroupColumns<'c> {
    /// Returns the blocks of the batch.
    pub fn blocks(&self) -> &'c [u32] {
        self.blocks
    }

    /// Returns whether none of the columns after the next one is computed.
    pub fn is_next_alone(&self) -> bool {
        self.slots.iter().skip(1).all(|slot| *slot == NO_COLUMN)
    }

    /// Writes the next column from a function of the number of a block.
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

    /// Writes the next column from a function of the lane.
    #[inline(always)]
    pub fn put_lanes(&mut self, value: impl Fn(usize) -> f32) {
        if let Some(lanes) = self.next() {
            for (at, lane) in lanes.iter_mut().enumerate() {
                *lane = value(at);
            }
        }
    }

    /// Writes the next column, which has one value for all blocks of the page, for this and later batches.
    pub fn put_constant(&mut self, value: f32) {
        // The memory of a batch is used for the next one, so a value of the page needs writing once.
        let is_first = self.is_first;
        if let Some(lanes) = self.next()
            && is_first
        {
            lanes.fill(value);
        }
    }

    /// Writes the next `N` columns from a function that returns their values for a block.
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

    /// Writes the next columns with values that are given as lanes.
    #[inline]
    pub fn put_columns(&mut self, columns: &[Lanes]) {
        for column in columns {
            if let Some(lanes) = self.next() {
                *lanes = *column;
            }
        }
    }

    /// The values of the next column; `None` if it is not computed.
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
        /// A batch of these rows, each as wide as the schema, from block `first` on; at most [`LANES`].
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
