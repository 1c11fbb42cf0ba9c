//! Helpers for kept blocks: one flag for each block, sums of values inside elements, and the elements of a block.

use std::ops::AddAssign;

use trommel_html::{Block, Element, Page};

/// Access to the flags of kept blocks by the index of a block. An index without a block counts as neither kept nor
/// dropped, and changes nothing.
pub(crate) trait KeptBlocks {
    /// Returns whether the block `at` exists and is kept.
    fn has(&self, at: usize) -> bool;

    /// Returns whether the block `at` exists and is not kept.
    fn lacks(&self, at: usize) -> bool;

    /// Returns whether the block before block `at` is kept.
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

/// Returns the number of kept words before each block and, as last entry, the number of all kept words.
pub(crate) fn kept_words_before(page: &Page, kept: &[bool]) -> Vec<u32> {
    let mut total = 0;
    let sums = page.blocks.iter().zip(kept).map(|(block, kept)| {
        total += if *kept { block.words } else { 0 };
        total
    });
    std::iter::once(0).chain(sums).collect()
}

/// Returns for each element the sum of the values inside it, those in nested elements included. Each value is given
/// with its innermost element.
pub(crate) fn sums_inside<T>(page: &Page, values: impl Iterator<Item = (u32, T)>) -> Vec<T>
where
    T: Copy + Default + AddAssign,
{
    let mut sums = vec![T::default(); page.elements.len()];
    for (element, value) in values {
        if let Some(sum) = sums.get_mut(element as usize) {
            *sum += value;
        }
    }
    // Elements come before those inside them: from the last to the first, an element has the values of all inside it.
    for (at, element) in page.elements.iter().enumerate().rev() {
        let own = sums.get(at).copied().unwrap_or_default();
        if let Some(around) = sums.get_mut(element.parent as usize) {
            *around += own;
        }
    }
    sums
}

/// Iterates over the elements inside a block, and then over at most `around` elements that contain it, the innermost
/// first.
pub(crate) fn elements_of<'p>(page: &'p Page, block: &'p Block, around: usize) -> impl Iterator<Item = &'p Element> {
    let inside = page.inline(block).iter().filter_map(|at| page.element(*at));
    inside.chain(page.path(block.element).take(around).map(|(_, element)| element))
}

/// Returns the number of kept words of a page.
pub(crate) fn kept_words(page: &Page, kept: &[bool]) -> u32 {
    page.blocks.iter().zip(kept).filter(|(_, kept)| **kept).map(|(block, _)| block.words).sum()
}

/// Returns the number of kept words inside each element of the page.
pub(crate) fn kept_words_inside(page: &Page, kept: &[bool]) -> Vec<u32> {
    let blocks = page.blocks.iter().zip(kept).filter(|(_, kept)| **kept);
    sums_inside(page, blocks.map(|(block, _)| (block.element, block.words)))
}
