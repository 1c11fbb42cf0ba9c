//! Keeps lists and tables that belong to kept text: whole ones between kept blocks of one container, and links to
//! documents (minutes, agendas, decisions, reports).

use std::ops::Range;

use trommel_html::{Block, Element, ElementKinds, Page, Tag};

use crate::render::content::code::outermost_code;
use crate::{kept_flags::KeptBlocks as _, role::Role};

/// Minimum share of linked words in a block of a list for the block to count as a link.
const LINK_DENSITY: f32 = 0.5;

/// Keeps whole lists, tables and definitions between kept blocks of one container. A list must be partly kept, and a
/// table must have a header. If the page keeps code, as manuals do, also keeps parts of which nothing is kept: lists,
/// tables, quotes, code, headings and paragraphs. Lists, tables and code at the end of a container are then kept as
/// well. `roles` and `kept` have one entry per block.
///
/// An author writes a list or table as a whole: if the text goes on after it, all of it belongs to the text.
pub(crate) fn keep_framed(page: &Page, roles: &[Role], kept: &mut [bool]) {
    let units = ElementKinds::LIST | ElementKinds::OTHER_LIST | ElementKinds::TABLE | ElementKinds::CODE;
    if !page.kinds.intersects(units) || !kept.contains(&false) {
        return;
    }
    let is_code = |(at, kept): (usize, &bool)| *kept && outermost_code(page, at).is_some();
    let has_code = page.kinds.contains(ElementKinds::CODE) && kept.iter().enumerate().any(is_code);
    for (at, element) in (0u32..).zip(&page.elements) {
        if !is_unit(element.tag, has_code) {
            continue;
        }
        let blocks = page.blocks_inside(at);
        // Most lists stand in menus, behind nothing that is kept.
        if !kept.has_before(blocks.start) {
            continue;
        }
        let flags = kept.get(blocks.clone()).unwrap_or_default();
        // Comments between two parts of a text were left out on purpose.
        if !flags.contains(&false) || is_beside(page, element) || are_comments(roles, blocks.clone()) {
            continue;
        }
        let is_new = !flags.contains(&true);
        let first = page.blocks.get(blocks.start).map_or(at, |block| block.element);
        let mut inside = page.path(first).take_while(|(inner, _)| *inner != at);
        let is_text = is_new && !inside.any(|(_, inner)| is_beside(page, inner));
        let is_whole = match element.tag {
            _ if has_code && is_text => true,
            Tag::Dt | Tag::Dd => is_text,
            Tag::Table => is_headed(page, at, element),
            _ => !is_new,
        };
        if is_whole && is_framed(page, at, &blocks, kept, has_code && is_text && may_end(element.tag)) {
            keep_unit(page, element, blocks, kept);
        }
    }
}

fn may_end(tag: Tag) -> bool {
    matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::Pre)
}

fn is_unit(tag: Tag, has_code: bool) -> bool {
    use Tag::*;
    matches!(tag, Ul | Ol | Dl | Dt | Dd | Table)
        || has_code && (tag.is_heading() || matches!(tag, Pre | Blockquote | Figure | P | Details))
}

/// Returns whether the blocks directly before and after an element's `blocks` are kept, and both are inside the next
/// larger element with other blocks. If `may_end` is true, the element may also be the last kept part there.
fn is_framed(page: &Page, at: u32, blocks: &Range<usize>, kept: &[bool], may_end: bool) -> bool {
    let Some(before) = blocks.start.checked_sub(1).filter(|before| kept.has(*before)) else { return false };
    let is_behind_kept = kept.has(blocks.end);
    if !is_behind_kept && !may_end {
        return false;
    }
    let element_of = |block: usize| page.blocks.get(block).map(|block| block.element);
    let behind = element_of(blocks.end);
    for (ancestor, element) in page.path(at).skip(1) {
        let holds = |other: Option<u32>| other.is_some_and(|other| (ancestor..element.end).contains(&other));
        if holds(element_of(before)) {
            if holds(behind) && is_behind_kept {
                return true;
            }
            let mut next = kept.iter().zip(0..).skip(blocks.end).filter(|(kept, _)| **kept);
            let is_end = !next.next().is_some_and(|(_, next)| holds(element_of(next)));
            return may_end && is_end && !matches!(element.tag, Tag::Html | Tag::Body);
        }
        if holds(behind) || is_beside(page, element) {
            return false;
        }
    }
    // A page without a body is their container.
    is_behind_kept
}

/// Keeps the blocks of a list, table or other unit, except hidden blocks and controls.
fn keep_unit(page: &Page, unit: &Element, blocks: Range<usize>, kept: &mut [bool]) {
    let inside = || page.blocks.iter().zip(kept.iter()).skip(blocks.start).take(blocks.len());
    let mut kept_inside = inside().filter(|(_, kept)| **kept).map(|(block, _)| block.link_density()).peekable();
    // A link among plain items is a control ("edit", "share").
    let are_plain =
        unit.tag != Tag::Table && kept_inside.peek().is_some() && kept_inside.all(|density| density < LINK_DENSITY);
    for (block, kept) in page.blocks.iter().zip(kept.iter_mut()).skip(blocks.start).take(blocks.len()) {
        let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
        let is_control = are_plain && block.link_density() >= LINK_DENSITY;
        *kept |= !(is_hidden || is_control);
    }
}

/// Returns whether one of the blocks and a block directly before or after them are both readers' comments. A single
/// comment in the middle of a text is an error of the model.
fn are_comments(roles: &[Role], blocks: Range<usize>) -> bool {
    let is_comment = |at: usize| roles.get(at) == Some(&Role::Comment);
    let beside = [blocks.start.checked_sub(1), Some(blocks.end)];
    blocks.clone().any(is_comment) && beside.into_iter().flatten().any(is_comment)
}

/// Returns whether an element does not belong to the text around it, such as the tags of a post.
fn is_beside(page: &Page, element: &Element) -> bool {
    use Tag::*;
    element.hidden
        || matches!(element.tag, Nav | Menu | Aside | Header | Footer | Form | Button)
        || page.says(element, &["tag", "tags", "taglist"])
}

/// Returns whether a table has header cells and contains no other table. Layout tables have no headers.
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

/// Lower-case endings of link addresses that lead to documents.
const ENDS: [&str; 10] = [".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".rtf", ".csv"];
/// Minimum probability of a link to a document that is kept.
// At .2 nine tenths of the gain on courts-dev go; at .05 it is .001 higher.
const MIN_PROBABILITY: f32 = 0.1;
/// Minimum number of links to documents among the blocks with one element path, for these links to be kept.
const MIN_DOCUMENTS: usize = 3;
const MIN_SHARE: f32 = 0.8;
/// Minimum share of a block's words in links, for the block to be checked as a link to a document.
const MIN_LINKED: f32 = 0.5;
/// Maximum number of elements around a block among which its link is looked for.
const DOCUMENT_ANCESTORS: usize = 3;

/// Keeps links to documents if hardly any other blocks have the same path of element names and classes (are in the same
/// field). Menus link to pages, while a list of documents is meant to be read. `fields`, `probabilities` and `kept`
/// have one entry per block.
pub(crate) fn keep_documents(page: &Page, html: &str, fields: &[u32], probabilities: &[f32], kept: &mut [bool]) {
    // Of each field whether its first doubtful link is a document: most fields need no look at their other addresses.
    let mut starts = vec![None; page.blocks.len()];
    let blocks = || page.blocks.iter().zip(fields).zip(probabilities);
    for (((block, field), probability), kept) in blocks().zip(kept.iter()) {
        if let Some(start @ None) = starts.get_mut(*field as usize)
            && !kept
            && *probability >= MIN_PROBABILITY
            && block.link_density() >= MIN_LINKED
        {
            *start = Some(is_document(page, html, block));
        }
    }
    if !starts.contains(&Some(true)) {
        return;
    }
    let starts = |field: u32| starts.get(field as usize) == Some(&Some(true));
    let documents: Vec<bool> =
        blocks().map(|((block, field), _)| starts(*field) && is_document(page, html, block)).collect();
    // Blocks and documents of each field.
    let mut counts = vec![(0usize, 0usize); page.blocks.len()];
    for (field, is_document) in fields.iter().zip(&documents) {
        if let Some((blocks, documents)) = counts.get_mut(*field as usize) {
            *blocks += 1;
            *documents += usize::from(*is_document);
        }
    }
    for (((field, probability), is_document), kept) in fields.iter().zip(probabilities).zip(&documents).zip(kept) {
        let (blocks, documents) = counts.get(*field as usize).copied().unwrap_or_default();
        *kept |= *is_document
            && *probability >= MIN_PROBABILITY
            && documents >= MIN_DOCUMENTS
            && documents as f32 >= MIN_SHARE * blocks as f32;
    }
}

/// Returns whether a block is a link to a document, by the ending of the address (`.pdf`).
fn is_document(page: &Page, html: &str, block: &Block) -> bool {
    page.link_address(html, block, DOCUMENT_ANCESTORS).is_some_and(|href| {
        let path = href.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        ENDS.iter().any(|end| path.ends_with(end))
    })
}
