//! Keeps lists directly below a kept heading, or beside it.

use trommel_html::{Block, Element, Page, Tag};

use super::sections::{heading, is_beside};
use crate::kept::KeptBlocks as _;

/// Elements around a block that may be its item.
// Items hold a paragraph and a link or two; a bound keeps each block at constant cost.
const ANCESTORS: usize = 6;

/// Keeps such lists where `wanted` says so of the list and its blocks (one flag a block in `kept`).
pub(crate) fn keep_headed_lists(page: &Page, kept: &mut [bool], wanted: impl Fn(&Element, &[&Block]) -> bool) {
    for at in 0..page.blocks.len() {
        let next = at + 1;
        if !kept.has(at) || !kept.lacks(next) {
            continue;
        }
        let around = heading(page, at).and_then(|at| page.element(at));
        let Some(around) = around.filter(|_| heading(page, next).is_none()) else { continue };
        if let Some((list, blocks)) = list(page, next)
            && is_beside(page, around.parent, at, next)
            && wanted(list, &blocks)
        {
            kept.keep(next..next + blocks.len());
        }
    }
}

/// The list that begins with a block, unless it is hidden, and the blocks in it.
pub(crate) fn list(page: &Page, first: usize) -> Option<(&Element, Vec<&Block>)> {
    let block = page.blocks.get(first)?;
    let mut path = page.path(block.element).take(ANCESTORS);
    let (_, item) = path.find(|(_, element)| element.tag == Tag::Li)?;
    let list = page.element(item.parent).filter(|element| !element.hidden)?;
    let is_in = |block: &&Block| block.element > item.parent && block.element < list.end;
    let before = first.checked_sub(1).and_then(|at| page.blocks.get(at));
    // The list began above the heading, which therefore does not head it.
    if before.is_some_and(|before| is_in(&before)) {
        return None;
    }
    let blocks = page.blocks.iter().skip(first).take_while(is_in);
    Some((list, blocks.collect()))
}

/// Returns whether the blocks of a list have at least `mean` words on average.
pub(crate) fn has_words(blocks: &[&Block], mean: usize) -> bool {
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    words as usize >= mean * blocks.len()
}
