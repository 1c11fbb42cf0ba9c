//! The kept blocks of a page: one flag a block.

/// Questions to the flags, and changes of them. Numbers that no block has count as not there and change nothing.
pub(crate) trait KeptBlocks {
    /// Returns whether there is such a block and it is kept.
    fn has(&self, at: usize) -> bool;

    /// Returns whether there is such a block and it is not kept.
    fn lacks(&self, at: usize) -> bool;

    /// Returns whether the block before another is kept.
    fn has_before(&self, at: usize) -> bool;

    fn set(&mut self, blocks: impl IntoIterator<Item = usize>, keep: bool);

    fn keep(&mut self, blocks: impl IntoIterator<Item = usize>) {
        self.set(blocks, true);
    }

    fn leave_out(&mut self, blocks: impl IntoIterator<Item = usize>) {
        self.set(blocks, false);
    }
}

impl KeptBlocks for [bool] {
    fn has(&self, at: usize) -> bool {
        self.get(at) == Some(&true)
    }

    fn lacks(&self, at: usize) -> bool {
        self.get(at) == Some(&false)
    }

    fn has_before(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.has(before))
    }

    fn set(&mut self, blocks: impl IntoIterator<Item = usize>, keep: bool) {
        for at in blocks {
            if let Some(kept) = self.get_mut(at) {
                *kept = keep;
            }
        }
    }
}
