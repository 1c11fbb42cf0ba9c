//! Drops line numbers beside code, and tables of contents.

use trommel_html::{Block, ElementKinds, Page, Tag};

use super::whole_units::outermost_code;
use crate::kept::KeptBlocks as _;

/// Elements around line numbers in one of which their code stands as well.
const ANCESTORS: usize = 4;
/// Links from which on a list of them is a table of contents.
// Two links to places of the page are often part of a text. Dropping lists of three gained .0004 on wcxb-dev.
const MIN_CONTENTS_LINKS: usize = 3;

/// Drops code that consists of the line numbers of the code after it (`kept` has one entry for each block).
pub(crate) fn drop_line_numbers(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::CODE) {
        return;
    }
    let code = |at: usize| outermost_code(page, at);
    let mut at = 0;
    while at < page.blocks.len() {
        let Some(element) = code(at) else {
            at += 1;
            continue;
        };
        let inside = (at..page.blocks.len()).take_while(|at| code(*at) == Some(element));
        let next = at + inside.count();
        let texts = page.blocks.get(at..next).unwrap_or_default().iter();
        let numbers = texts.flat_map(|block| page.text(block).split_whitespace());
        let stands_beside = || {
            let mut around = page.path(element).skip(1).take(ANCESTORS);
            code(next).is_some_and(|code| around.any(|(_, around)| code < around.end))
        };
        // Numbers that count without a gap, and code beside them: a listing of data does neither.
        if are_consecutive(numbers) && stands_beside() {
            kept.leave_out(at..next);
        }
        at = next;
    }
}

fn are_consecutive<'a>(mut numbers: impl Iterator<Item = &'a str>) -> bool {
    let mut number = |expected: Option<u32>| {
        // What is no number ends the row, as no number follows the largest.
        let number: Option<u32> = numbers.next().map(|text| text.parse().unwrap_or(u32::MAX));
        number.map(|number| (number, expected.is_none_or(|expected| number == expected)))
    };
    let mut last = None;
    while let Some((value, is_next)) = number(last) {
        let Some(next) = value.checked_add(1).filter(|_| is_next) else { return false };
        last = Some(next);
    }
    last.is_some()
}

/// Drops lists that consist of links to places on the same page (`kept` has one entry for each block).
pub(crate) fn drop_contents(page: &Page, html: &str, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::LIST) {
        return;
    }
    let mut behind = 0;
    for at in 0..kept.len() {
        // Only a list with a kept block can lose one; each is read once.
        let Some(block) = page.blocks.get(at).filter(|_| at >= behind && kept.has(at)) else { continue };
        let around = page.path_in(ElementKinds::LIST, block);
        let outermost = around.filter(|(_, element)| matches!(element.tag, Tag::Ul | Tag::Ol)).last();
        let Some((list, _)) = outermost else { continue };
        let inside = page.blocks_inside(list);
        behind = inside.end;
        let blocks = page.blocks.get(inside.clone()).unwrap_or_default();
        if blocks.len() >= MIN_CONTENTS_LINKS && blocks.iter().all(|block| leads_to_place(page, html, list, block)) {
            kept.leave_out(inside);
        }
    }
}

/// Returns whether a block of a list consists of a link to a place on the same page.
fn leads_to_place(page: &Page, html: &str, list: u32, block: &Block) -> bool {
    if block.link_density() != 1.0 {
        return false;
    }
    let around = page.path(block.element).map(|(at, _)| at).take_while(|at| *at != list);
    let mut elements = around.chain(page.inline(block).iter().copied()).filter_map(|at| page.element(at));
    let href = elements.find(|element| element.tag == Tag::A).and_then(|link| link.attribute(html, "href"));
    href.is_some_and(|href| href.starts_with('#'))
}
