//! Keeps section headings directly above kept text.

use trommel_html::{Element, ElementKinds, NotationKind, Page, Tag};

use crate::kept::KeptBlocks as _;
use crate::render::content::level;

/// Blocks and words of a heading; more are an element that was never closed.
const MAX_HEADING_BLOCKS: usize = 3;
const MAX_HEADING_WORDS: u32 = 25;
/// Elements around a heading that are looked at.
// Sites wrap headings into several boxes; the bound keeps a climb constant.
const ANCESTORS: usize = 12;

/// Keeps headings directly above kept text, except the headline (a block). The kept text must be a sibling of the
/// heading, or of an element that holds only the heading (`kept` has one entry for each block).
pub(crate) fn keep_section_headings(page: &Page, headline: Option<usize>, kept: &mut [bool]) {
    let mut at = 0;
    while at < page.blocks.len() {
        let Some(heading) = heading(page, at) else {
            at += 1;
            continue;
        };
        let Some(element) = page.element(heading) else { return };
        let (mut inside, mut words) = (0, 0);
        for block in page.blocks.iter().skip(at) {
            if block.element < heading || block.element >= element.end {
                break;
            }
            inside += 1;
            words += block.words;
        }
        let next = at + inside.max(1);
        let is_kept = |at: usize| kept.has(at);
        let headed = next + usize::from(!is_kept(next) && is_link_beside(page, element, next));
        let heads = headline.is_none_or(|headline| !(at..next).contains(&headline))
            // A hidden heading may head a hidden tab, but not text that is shown.
            && (!element.hidden || is_hidden(page, headed))
            && inside <= MAX_HEADING_BLOCKS
            && words <= MAX_HEADING_WORDS
            && !(at..next).any(is_kept)
            && is_kept(headed)
            // Without it the rule took kickers and breadcrumbs above headlines.
            && !is_above(page, element, headed)
            && is_beside(page, element.parent, at, headed);
        if heads {
            kept.keep(at..next);
        }
        at = next;
    }
}

/// Returns whether a block is a link to a place of the page in the element that holds a heading, as to link to the
/// heading.
fn is_link_beside(page: &Page, heading: &Element, at: usize) -> bool {
    page.blocks.get(at).is_some_and(|block| {
        page.container(block).is_some_and(|(around, _)| around == heading.parent)
            && block.link_density() == 1.0
            && page.has_notations()
            && page.notations(block).any(|notation| notation.kind == NotationKind::FragmentLink)
    })
}

/// Returns whether a block is a heading of the same level as one before it, or of a higher one. Then the earlier one
/// does not head it, but is a kicker, a path or the name of the site.
fn is_above(page: &Page, before: &Element, block: usize) -> bool {
    let element = heading(page, block).and_then(|heading| page.element(heading));
    element.is_some_and(|element| level(element.tag) <= level(before.tag))
}

/// Returns whether a block is a whole dropped heading of the first level directly above and beside kept text: the
/// headline of a text whose title differs.
pub(crate) fn is_headline_of_kept(page: &Page, at: usize, kept: &[bool]) -> bool {
    let Some((heading, element)) = heading(page, at).and_then(|heading| Some((heading, page.element(heading)?))) else {
        return false;
    };
    let next = at + 1;
    let is_in = |block: usize| {
        let block = page.blocks.get(block);
        block.is_some_and(|block| block.element >= heading && block.element < element.end)
    };
    let has_others = is_in(next) || at.checked_sub(1).is_some_and(is_in);
    element.tag == Tag::H1
        && !element.hidden
        && !has_others
        && page.blocks.get(at).is_some_and(|block| block.words <= MAX_HEADING_WORDS)
        && kept.lacks(at)
        && kept.has(next)
        && is_beside(page, element.parent, at, next)
}

/// The innermost heading around a block.
pub(crate) fn heading(page: &Page, block: usize) -> Option<u32> {
    let mut path = page.path_in(ElementKinds::HEADING, page.blocks.get(block)?);
    path.find(|(_, element)| element.tag.is_heading()).map(|(at, _)| at)
}

/// Returns whether the page hides a block, as it does with the tabs that are not open.
fn is_hidden(page: &Page, block: usize) -> bool {
    let block = page.blocks.get(block);
    let element = block.and_then(|block| page.element(block.element));
    element.is_some_and(|element| element.hidden)
}

/// Returns whether a block is in the element around a heading (the block at `at` is its first). Outer elements count
/// too, if the inner ones hold only the heading.
pub(crate) fn is_beside(page: &Page, around: u32, at: usize, block: usize) -> bool {
    let Some(block) = page.blocks.get(block) else { return false };
    let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
    let mut ancestor = around;
    for _ in 0..=ANCESTORS {
        let Some(element) = page.element(ancestor) else {
            // The page itself is around everything.
            return true;
        };
        if block.element < element.end {
            return true;
        }
        let has_more = before.is_some_and(|before| before.element >= ancestor);
        if has_more {
            return false;
        }
        ancestor = element.parent;
    }
    false
}
