//! Recognises metadata that belongs to an item of a listing instead of the page.

use std::ops::Range;

use trommel_html::{FactKind, Page, Tag};

use super::author::{LINE, TOKENS};

/// Items from which on parts side by side are a listing.
// Two articles side by side may be a text and its translation.
const MIN_ITEMS: usize = 3;
/// Elements around an author among which the item is looked for.
const ANCESTORS: usize = 10;
/// Elements of a title that are looked at for a link.
const MAX_DESCENDANTS: usize = 16;
/// Words in the attributes of elements that hold the title of an item.
const TITLES: [&str; 2] = ["title", "headline"];

/// Returns whether the element stands in one of several parts side by side that are alike: each has a linked title of
/// its own and names an author. A part with the page's first headline is the page's own.
pub(super) fn is_listed(html: &str, page: &Page, element: u32) -> bool {
    let mut around = page.path(element).skip(1).take(ANCESTORS);
    around.any(|(at, element)| {
        if element.tag.is_inline() || !is_item(html, page, at..element.end) {
            return false;
        }
        let Some(parent) = page.element(element.parent) else { return false };
        let mut items = 1;
        let mut next = element.parent + 1;
        while let Some(sibling) = page.element(next).filter(|_| next < parent.end) {
            let is_like = next != at && sibling.tag == element.tag;
            if is_like && is_item(html, page, next..sibling.end) && has_author(page, next..sibling.end) {
                items += 1;
            }
            next = sibling.end.max(next + 1);
        }
        items >= MIN_ITEMS
    })
}

/// Returns whether elements are a part with a linked title, and none of them is a headline of the first level.
fn is_item(html: &str, page: &Page, elements: Range<u32>) -> bool {
    let mut has_title = false;
    for at in elements.clone() {
        let Some(element) = page.element(at) else { break };
        // The part with the headline is the page itself, even if others look like it.
        if element.tag == Tag::H1 {
            return false;
        }
        let is_title = element.tag.is_heading() || page.is_named_as(element, &TITLES);
        // Posts lead to themselves, by a place on the page.
        let is_link = |at: u32| {
            let link = page.element(at).filter(|element| element.tag == Tag::A);
            let href = link.and_then(|element| element.attribute(html, "href"));
            href.is_some_and(|href| !href.contains('#'))
        };
        has_title = has_title
            || is_title
                && ((at..element.end).take(MAX_DESCENDANTS).any(is_link)
                    || page
                        .path(at)
                        .take_while(|(around, _)| *around >= elements.start)
                        .any(|(around, _)| is_link(around)));
    }
    has_title
}

/// Returns whether something among elements names an author.
fn has_author(page: &Page, elements: Range<u32>) -> bool {
    let says = |at: u32| page.element(at).is_some_and(|element| page.is_named_as(element, &TOKENS));
    let is_fact = |kind| matches!(kind, FactKind::Author | FactKind::AuthorLink);
    let mut facts = page.facts.iter();
    let first = page.blocks.partition_point(|block| block.element < elements.start);
    let blocks = page.blocks.iter().skip(first);
    let mut blocks = blocks.take_while(|block| block.element < elements.end);
    elements.clone().any(says)
        || facts.any(|fact| is_fact(fact.kind) && elements.contains(&fact.element))
        || blocks.any(|block| {
            block.words <= LINE && page.text(block).get(..3).is_some_and(|by| by.eq_ignore_ascii_case("by "))
        })
}
