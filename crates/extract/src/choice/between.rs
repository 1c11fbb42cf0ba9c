//! Keeps blocks between kept blocks of one container.

use std::ops::Range;

use trommel_html::{Element, ElementKinds, Page, Tag};

use super::whole_units::outermost_code;
use crate::kept::KeptBlocks as _;
use crate::role::Role;

/// A gap of dropped blocks, with the elements around it up to the first that holds the kept block before
/// it.
struct Gap {
    /// One past its last block.
    end: usize,
    /// A list, a table or code.
    may_end: bool,
    /// Part of a definition list.
    is_part: bool,
    /// The element that holds it and the kept block before.
    parent: u32,
}

/// Keeps dropped lists, tables, quotes, code, headings and paragraphs between two kept blocks of the same element, if
/// no part of them is kept. Also keeps lists, tables and code at the end of an element with kept blocks, on pages that
/// show code, as manuals do: there they are not menus. Terms and definitions between kept ones stay on any page (one
/// entry for each block).
pub(crate) fn keep_between(page: &Page, roles: &[Role], kept: &mut [bool]) {
    let is_code = |(at, kept): (usize, &bool)| *kept && outermost_code(page, at).is_some();
    let has_code = page.kinds.contains(ElementKinds::CODE) && kept.iter().enumerate().any(is_code);
    // Most pages end here, before any path is climbed.
    if !has_code && !page.kinds.contains(ElementKinds::OTHER_ITEM) {
        return;
    }
    let mut at = 1;
    while at < kept.len() {
        let starts = kept.lacks(at) && kept.has(at - 1);
        let Some(gap) = starts.then(|| gap(page, kept, at)).flatten() else {
            at += 1;
            continue;
        };
        let is_inside = |block: usize| {
            let element = page.blocks.get(block).map(|block| block.element);
            page.element(gap.parent)
                .zip(element)
                .is_some_and(|(around, element)| (gap.parent..around.end).contains(&element))
        };
        let is_between = kept.has(gap.end) && is_inside(gap.end);
        let is_last = || {
            let behind = kept.get(gap.end..).unwrap_or_default();
            let next = behind.iter().position(|kept| *kept);
            let tag = page.element(gap.parent).map(|element| element.tag);
            gap.may_end
                && !matches!(tag, Some(Tag::Html | Tag::Body))
                && next.is_none_or(|next| !is_inside(gap.end + next))
        };
        let wanted = has_code && (is_between || is_last()) || gap.is_part && is_between;
        if wanted
            // Comments between two parts of a text were left out on purpose.
            && !are_comments(roles, at..gap.end)
        {
            kept.keep(at..gap.end);
        }
        // Behind the gap: each block is looked at once.
        at = gap.end;
    }
}

/// The gap from a block on, if it is a whole list, table or the like and fills an element directly inside
/// one that holds the kept block before it.
fn gap(page: &Page, kept: &[bool], start: usize) -> Option<Gap> {
    let before = page.blocks.get(start.checked_sub(1)?)?.element;
    let mut end = start;
    // The outermost unit, and where it ends.
    let mut unit: Option<(Tag, usize)> = None;
    for (at, element) in page.path(page.blocks.get(start)?.element) {
        if (at..element.end).contains(&before) {
            // The unit must be all that was dropped: half of a list is a choice of the model, the whole of it an
            // oversight.
            let (tag, unit_end) = unit.filter(|(_, of)| *of == end)?;
            return Some(Gap {
                end: unit_end,
                may_end: matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::Pre),
                is_part: matches!(tag, Tag::Dt | Tag::Dd),
                parent: at,
            });
        }
        if is_beside(page, element) {
            return None;
        }
        let is_inside = |block: usize| {
            let block = page.blocks.get(block);
            block.is_some_and(|block| (at..element.end).contains(&block.element))
        };
        while is_inside(end) {
            if !kept.lacks(end) {
                return None;
            }
            end += 1;
        }
        if is_unit(element.tag) {
            unit = Some((element.tag, end));
        }
    }
    None
}

/// Returns whether one of the blocks is a reader's comment and a block beside them is one, too. A single comment in the
/// middle of a text is an error of the model.
pub(super) fn are_comments(roles: &[Role], blocks: Range<usize>) -> bool {
    let is_comment = |at: usize| roles.get(at) == Some(&Role::Comment);
    let beside = [blocks.start.checked_sub(1), Some(blocks.end)];
    blocks.clone().any(is_comment) && beside.into_iter().flatten().any(is_comment)
}

/// Elements that do not belong to the text around them, such as the tags of a post.
pub(super) fn is_beside(page: &Page, element: &Element) -> bool {
    use Tag::*;
    let mut words = page.attribute_words(element).iter();
    element.hidden
        || matches!(element.tag, Nav | Menu | Aside | Header | Footer | Form | Button)
        || words.any(|word| matches!(page.word_text(word), "tag" | "tags" | "taglist"))
}

fn is_unit(tag: Tag) -> bool {
    use Tag::*;
    tag.is_heading() || matches!(tag, Ul | Ol | Dl | Dt | Dd | Table | Pre | Blockquote | Figure | P)
}
