//! The kept blocks of a page: one flag a block; sums over what is in elements; and the elements of a block.

use std::ops::AddAssign;

use trommel_html::{Block, Element, Page};

/// Reads and changes the flags of kept blocks by the numbers of blocks. A number without a block counts as neither kept
/// nor dropped, and changes nothing.
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

/// Returns the number of kept words before each block, and at the end that of all kept words.
pub(crate) fn kept_words_before(page: &Page, kept: &[bool]) -> Vec<u32> {
    let mut total = 0;
    let sums = page.blocks.iter().zip(kept).map(|(block, kept)| {
        total += if *kept { block.words } else { 0 };
        total
    });
    std::iter::once(0).chain(sums).collect()
}

/// Returns the sum of the values in each element. Each value is given with the innermost element that it stands in.
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

/// Iterates over the elements inside of a block, and then over at most `around` elements around it, from the innermost
/// on.
pub(crate) fn elements_of<'p>(page: &'p Page, block: &'p Block, around: usize) -> impl Iterator<Item = &'p Element> {
    let inside = page.inline(block).iter().filter_map(|at| page.element(*at));
    inside.chain(page.path(block.element).take(around).map(|(_, element)| element))
}

/// Returns the number of kept words of a page.
pub(crate) fn kept_words(page: &Page, kept: &[bool]) -> u32 {
    page.blocks.iter().zip(kept).filter(|(_, kept)| **kept).map(|(block, _)| block.words).sum()
}

/// Returns the number of kept words in each element.
pub(crate) fn kept_words_inside(page: &Page, kept: &[bool]) -> Vec<u32> {
    let blocks = page.blocks.iter().zip(kept).filter(|(_, kept)| **kept);
    sums_inside(page, blocks.map(|(block, _)| (block.element, block.words)))
}
