//! Keeps blocks that are nearly as probable as kept ones, in the container that holds most kept text.

use rustc_hash::FxHashMap;
use trommel_html::{Block, Page};

use crate::kept::KeptBlocks as _;

/// Share of the kept words that the container holds, at least. It is the smallest such element.
const MIN_KEPT_SHARE: f32 = 0.9;
/// Share of the words of the container that are kept, at least.
// At .6, 250 pages of wcxb-dev get worse and 160 better.
const MIN_DENSITY: f32 = 0.8;
/// Odds of a block against those of the least probable kept block, at least: log odds less by .75.
// From .5 to 1 the mean F1 of no set but events-dev differs by more than .0007.
const MIN_ODDS_SHARE: f32 = 0.472;
/// Doubtful links of one text from which on it is a label.
const MIN_LABEL_TIMES: u32 = 3;

/// Keeps blocks of the container that holds most of what is kept, if most of it is kept, and if they are nearly as
/// probable as the least probable kept block. Where the container is content, its other blocks mostly are, too.
/// Readers' comments are not: the policy decides about them. There is one entry for each block in `probabilities`,
/// `in_comments` (empty if that is not known) and `kept`.
pub(crate) fn keep_dense_containers(page: &Page, probabilities: &[f32], in_comments: &[bool], kept: &mut [bool]) {
    let all = || page.blocks.iter().zip(probabilities).zip(kept.iter());
    let of_kept = all().filter(|((block, _), kept)| **kept && block.words > 0).map(|((_, p), _)| *p);
    let least = of_kept.fold(f32::INFINITY, f32::min);
    let odds = MIN_ODDS_SHARE * least / (1.0 - least).max(f32::EPSILON);
    let bound = odds / (1.0 + odds);
    // Most pages have no such block, and then no container need be sought.
    if least > 1.0 || !all().any(|((_, p), kept)| !kept && *p >= bound) {
        return;
    }
    let Some(container) = dense_container(page, kept) else { return };
    let is_doubtful = |at: usize, block: &Block, p: f32| {
        p >= bound && container.contains(&block.element) && in_comments.get(at) != Some(&true)
    };
    let doubtful: Vec<usize> = all()
        .enumerate()
        .filter(|(at, ((block, p), kept))| !**kept && is_doubtful(*at, block, **p))
        .map(|(at, _)| at)
        .collect();
    // Read more, read more, read more: a link that every item of a listing has is not its text. Places and times that
    // are no links are.
    let link = |at: usize| {
        let block = page.blocks.get(at).filter(|block| block.link_density() >= 1.0)?;
        Some(page.text(block))
    };
    let mut times: FxHashMap<&str, u32> = FxHashMap::default();
    for text in doubtful.iter().filter_map(|at| link(*at)) {
        *times.entry(text).or_default() += 1;
    }
    for at in doubtful {
        let is_label = link(at).and_then(|text| times.get(text)).is_some_and(|times| *times >= MIN_LABEL_TIMES);
        kept.set([at], !is_label);
    }
}

/// The smallest element with most of the kept words, as the range of its elements, if most of its words are kept.
fn dense_container(page: &Page, kept: &[bool]) -> Option<std::ops::Range<u32>> {
    // Kept words and all words of each element, first its own.
    let mut words = vec![(0u32, 0u32); page.elements.len()];
    let mut total = 0;
    for (block, kept) in page.blocks.iter().zip(kept) {
        if let Some((of_kept, of_all)) = words.get_mut(block.element as usize) {
            *of_all += block.words;
            if *kept {
                *of_kept += block.words;
                total += block.words;
            }
        }
    }
    // Elements come before those inside them: from the last to the first, an element has the words of all inside it.
    for (at, element) in page.elements.iter().enumerate().rev() {
        let (of_kept, of_all) = words.get(at).copied()?;
        if of_kept as f32 >= MIN_KEPT_SHARE * total as f32 {
            let is_dense = of_kept as f32 >= MIN_DENSITY * of_all as f32;
            return is_dense.then_some(at as u32..element.end);
        }
        if let Some(parent) = words.get_mut(element.parent as usize) {
            parent.0 += of_kept;
            parent.1 += of_all;
        }
    }
    None
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
    }

    #[test]
    fn what_every_item_says_is_a_label() {
        let item = format!("<p>{TEXT} {TEXT}<p><a href=x>Read more</a><p>At noon");
        let html = format!("<div>{}<p><a href=y>A fact</a></div>", item.repeat(3));
        let probabilities = [0.6, 0.55, 0.55, 0.6, 0.55, 0.55, 0.6, 0.55, 0.55, 0.55];
        let start = [true, false, false, true, false, false, true, false, false, false];
        let expected = [true, false, true, true, false, true, true, false, true, true];
        assert_eq!(kept(&html, &probabilities, &start), expected);
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
