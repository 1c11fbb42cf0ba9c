//! Keeps whole lists and tables between kept blocks of one container.

use std::ops::Range;

use trommel_html::{Element, ElementKinds, Page, Tag};

use super::between::{are_comments, is_beside};
use crate::kept::KeptBlocks as _;
use crate::role::Role;

/// Link density from which a block of a list is a link.
const LINK_DENSITY: f32 = 0.5;

/// Keeps all of each list of which a part is kept, and all of each table with a header, if the blocks directly before
/// and after it are kept and stand in the same container (one entry for each block in `roles` and `kept`).
///
/// An author writes a list or table as a whole: if the text goes on behind it, all of it belongs to the text.
pub(crate) fn keep_framed(page: &Page, roles: &[Role], kept: &mut [bool]) {
    let lists = ElementKinds::LIST | ElementKinds::OTHER_LIST;
    if !page.kinds.intersects(lists | ElementKinds::TABLE) || !kept.contains(&false) {
        return;
    }
    let mut at = 0u32;
    while let Some(element) = page.element(at) {
        let blocks = match element.tag {
            Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table => page.blocks_inside(at),
            _ => 0..0,
        };
        let has_dropped = || kept.get(blocks.clone()).is_some_and(|kept| kept.contains(&false));
        if is_framed(page, at, element, &blocks, kept) && has_dropped() && !are_comments(roles, blocks.clone()) {
            keep_unit(page, at, element, blocks, kept);
        }
        at += 1;
    }
}

/// Returns whether the blocks directly before and after those of an element are kept, and stand in the innermost
/// element around it that holds more than they.
fn is_framed(page: &Page, at: u32, element: &Element, blocks: &Range<usize>, kept: &[bool]) -> bool {
    let Some(before) = blocks.start.checked_sub(1) else { return false };
    let are_kept = kept.has(before) && kept.has(blocks.end);
    if blocks.is_empty() || !are_kept || is_beside(page, element) {
        return false;
    }
    let element_of = |block: usize| page.blocks.get(block).map(|block| block.element);
    let (Some(before), Some(behind)) = (element_of(before), element_of(blocks.end)) else { return false };
    for (ancestor, element) in page.path(at).skip(1) {
        let holds = |other: u32| (ancestor..element.end).contains(&other);
        if holds(before) || holds(behind) {
            return holds(before) && holds(behind);
        }
        if is_beside(page, element) {
            return false;
        }
    }
    // A page without a body is their container.
    true
}

/// Keeps the blocks of a table with a header, or of a list of which a part is kept.
fn keep_unit(page: &Page, at: u32, element: &Element, blocks: Range<usize>, kept: &mut [bool]) {
    let is_table = element.tag == Tag::Table;
    let inside = || page.blocks.iter().zip(kept.iter()).skip(blocks.start).take(blocks.len());
    let is_partly_kept = inside().any(|(_, kept)| *kept);
    if is_table && !is_headed(page, at, element) || !is_table && !is_partly_kept {
        return;
    }
    // A link among plain items is a control ("edit", "share").
    let are_plain =
        !is_table && inside().filter(|(_, kept)| **kept).all(|(block, _)| block.link_density() < LINK_DENSITY);
    for (block, kept) in page.blocks.iter().zip(kept.iter_mut()).skip(blocks.start).take(blocks.len()) {
        let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
        let is_control = are_plain && block.link_density() >= LINK_DENSITY;
        *kept |= !(is_hidden || is_control);
    }
}

/// Returns whether a table has header cells and no table in it: layout tables have no headers.
fn is_headed(page: &Page, at: u32, element: &Element) -> bool {
    let mut has_header = false;
    for inner in (at + 1..element.end).filter_map(|at| page.element(at)) {
        match inner.tag {
            Tag::Table => return false,
            Tag::Th | Tag::Thead => has_header = true,
            _ => {}
        }
    }
    has_header
}
