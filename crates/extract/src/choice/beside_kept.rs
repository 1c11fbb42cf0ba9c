//! Keeps section headings above kept text, and blocks that are nearly as probable as the kept ones around them.
//!
//! These are section headings directly above kept text, and blocks that are nearly as probable as kept ones, in the
//! container that holds most kept text.

use std::ops::Range;

use trommel_html::{Block, Element, ElementKinds, NotationKind, Page, Tag};

use crate::kept_flags::{KeptBlocks as _, kept_words, kept_words_inside};
use crate::render::content::level;

/// Maximum number of blocks in a heading that is kept. A heading with more blocks has no end tag in the source.
const MAX_HEADING_BLOCKS: usize = 3;
const MAX_HEADING_WORDS: u32 = 25;
/// Maximum number of elements around a heading that are searched for the text below the heading.
// Sites wrap headings into several boxes; the bound keeps a climb constant.
const ANCESTORS: usize = 12;

/// Keeps section headings directly above kept text, except the block `headline`. The kept text must be a sibling of the
/// heading or of an element that holds only the heading. `kept` has one flag per block.
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
            && is_beside_heading(page, element.parent, at, headed);
        if heads {
            kept.keep(at..next);
        }
        at = next;
    }
}

/// Returns whether a block is a link to a place on the page and has the same parent element as `heading`.
fn is_link_beside(page: &Page, heading: &Element, at: usize) -> bool {
    page.blocks.get(at).is_some_and(|block| {
        page.container(block).is_some_and(|(around, _)| around == heading.parent)
            && block.link_density() == 1.0
            && page.has_notations()
            && page.notations(block).any(|notation| notation.kind == NotationKind::FragmentLink)
    })
}

/// Returns whether `block` is a heading of the same level as the earlier heading `before`, or of a higher level. The
/// earlier heading is then a kicker, a breadcrumb or the site's name.
fn is_above(page: &Page, before: &Element, block: usize) -> bool {
    let element = heading(page, block).and_then(|heading| page.element(heading));
    element.is_some_and(|element| level(element.tag) <= level(before.tag))
}

/// Returns whether a block is all of a dropped `h1` directly above kept text in the same element. Such a heading is the
/// headline of that text, even if the page's title differs.
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
        && is_beside_heading(page, element.parent, at, next)
}

/// Returns the index of the innermost heading element around a block.
pub(crate) fn heading(page: &Page, block: usize) -> Option<u32> {
    let mut path = page.path_in(ElementKinds::HEADING, page.blocks.get(block)?);
    path.find(|(_, element)| element.tag.is_heading()).map(|(at, _)| at)
}

/// Returns whether the page hides a block, for example in a tab that is not open.
fn is_hidden(page: &Page, block: usize) -> bool {
    let block = page.blocks.get(block);
    let element = block.and_then(|block| page.element(block.element));
    element.is_some_and(|element| element.hidden)
}

/// Returns whether a block is inside `around`, the parent of the heading that starts at block `at`. A larger element
/// counts as well if each element inside it begins with the heading.
pub(crate) fn is_beside_heading(page: &Page, around: u32, at: usize, block: usize) -> bool {
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

/// Minimum share of the page's kept words that an element must hold for its less probable blocks to be kept, too.
const MIN_KEPT_SHARE: f32 = 0.9;
/// Minimum share of an element's words that are kept, for its slightly less probable blocks to be kept, too.
// At .6, 250 pages of wcxb-dev get worse and 160 better.
const MIN_DENSITY: f32 = 0.8;
/// Minimum odds of a block that is kept with its container, relative to the least probable kept block: exp(-0.75).
// From .5 to 1 the mean F1 of no set but events-dev differs by more than .0007.
const MIN_ODDS_SHARE: f32 = 0.472;
/// Minimum probability of a block that is kept only because most of its container is kept.
// Without it one kept block of little probability kept all others: pages whose paragraphs were wrapped gained 9 words
// instead of 7.
const MIN_DOUBTFUL: f32 = 0.35;

/// Keeps further blocks of the element that holds nearly all kept text, if most of that element is kept. They must be
/// nearly as probable as the least probable kept block, and no readers' comments. The slices have one entry per block
/// (`in_comments` may be empty if unknown).
pub(crate) fn keep_dense_containers(page: &Page, probabilities: &[f32], in_comments: &[bool], kept: &mut [bool]) {
    let all = || page.blocks.iter().zip(probabilities).zip(kept.iter());
    let of_kept = all().filter(|((block, _), kept)| **kept && block.words > 0).map(|((_, p), _)| *p);
    let least = of_kept.fold(f32::INFINITY, f32::min);
    let odds = MIN_ODDS_SHARE * least / (1.0 - least).max(f32::EPSILON);
    let bound = (odds / (1.0 + odds)).max(MIN_DOUBTFUL);
    // Most pages have no such block, and then no container need be sought.
    if least > 1.0 || !all().any(|((_, p), kept)| !kept && *p >= bound) {
        return;
    }
    let Some(container) = dense_container(page, kept) else { return };
    let is_doubtful = |at: usize, block: &Block, p: f32| {
        p >= bound && container.contains(&block.element) && in_comments.get(at) != Some(&true)
    };
    for (at, ((block, p), kept)) in page.blocks.iter().zip(probabilities).zip(kept.iter_mut()).enumerate() {
        *kept |= is_doubtful(at, block, *p);
    }
}

/// Returns the index range of the smallest element that holds nearly all kept words, if most of its words are kept.
fn dense_container(page: &Page, kept: &[bool]) -> Option<Range<u32>> {
    let of_kept = kept_words_inside(page, kept);
    let total = kept_words(page, kept);
    let at = of_kept.iter().rposition(|words| *words as f32 >= MIN_KEPT_SHARE * total as f32)?;
    let inside = at as u32..page.elements.get(at)?.end;
    let all: u32 = page.blocks.iter().filter(|block| inside.contains(&block.element)).map(|block| block.words).sum();
    (*of_kept.get(at)? as f32 >= MIN_DENSITY * all as f32).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    const TEXT: &str = "Some words of a text that has ten of them.";

    fn kept(html: &str, probabilities: &[f32], start: &[bool]) -> Vec<bool> {
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page.blocks.len(), start.len());
        let mut kept = start.to_vec();
        keep_dense_containers(&page, probabilities, &[], &mut kept);
        kept
    }

    #[test]
    fn doubtful_blocks_of_the_container_are_kept() {
        let html = format!("<p>Menu of links<div><p>{TEXT}<p>{TEXT}<p>A fact<p>Share it</div><p>A note");
        let probabilities = [0.5, 0.9, 0.6, 0.5, 0.2, 0.5];
        let start = [false, true, true, false, false, false];
        // Not what stands outside of it, and not what is much less probable.
        assert_eq!(kept(&html, &probabilities, &start), [false, true, true, true, false, false]);
        // Nor what is improbable, however improbable a kept block is.
        let probabilities = [0.1, 0.9, 0.3, 0.4, 0.3, 0.1];
        assert_eq!(kept(&html, &probabilities, &start), [false, true, true, true, false, false]);
    }

    #[test]
    fn comments_are_left_to_the_policy() {
        let html = format!("<div><p>{TEXT}<p>{TEXT}<p>A fact<p>A remark</div>");
        let page = ScanEngine.read(&html, &Limits::default());
        let mut kept = vec![true, true, false, false];
        let probabilities = [0.6, 0.6, 0.55, 0.55];
        keep_dense_containers(&page, &probabilities, &[false, false, false, true], &mut kept);
        assert_eq!(kept, [true, true, true, false]);
    }

    #[test]
    fn of_a_container_that_is_mostly_dropped_nothing_more_is_kept() {
        let html = format!("<div><p>{TEXT}<p>A fact<p>{TEXT}</div>");
        let start = [true, false, false];
        assert_eq!(kept(&html, &[0.6, 0.55, 0.1], &start), start);
    }

    #[test]
    fn nothing_kept_stays_nothing() {
        assert_eq!(kept("<p>A<p>B", &[0.4, 0.3], &[false, false]), [false, false]);
        assert_eq!(kept("", &[], &[]), [] as [bool; 0]);
    }
}
