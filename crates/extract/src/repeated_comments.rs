//! Keeps all readers' comments of one template, if the settings ask for comments.

use rustc_hash::FxHashMap;
use trommel_html::{Block, Page};

/// Comments of a kind from which on they are a pattern.
// From two on dragnet-train has .0003 less, from one on .0034: labels of forms are single.
const MIN_BLOCKS: u32 = 3;
/// Probability of a comment, at least.
// At .05 dragnet-test has .0005 less, at .2 .0033.
const MIN_PROBABILITY: f32 = 0.1;
/// Share of linked words from which on a block is a name or a control.
const MAX_LINKED: f32 = 0.5;

/// Keeps blocks of a comment section whose element and the one around it have names and classes of which there are
/// several, at any depth: replies stand in comments. There is one entry for each block in `probabilities` and `kept`.
// The choice of blocks takes comments for a doubtful part of an article, and would keep half of them.
pub(crate) fn keep_repeated_comments(
    page: &Page,
    probabilities: &[f32],
    is_comment: impl Fn(usize) -> bool,
    kept: &mut [bool],
) {
    let kind = |at: usize, block: &Block| {
        let (_, element) = page.container(block).filter(|_| is_comment(at) && block.link_density() < MAX_LINKED)?;
        let around = page.element(element.parent)?;
        Some((element.signature, around.signature))
    };
    let mut counts: FxHashMap<(u64, u64), u32> = FxHashMap::default();
    for kind in page.blocks.iter().enumerate().filter_map(|(at, block)| kind(at, block)) {
        *counts.entry(kind).or_default() += 1;
    }
    for (at, ((block, probability), kept)) in page.blocks.iter().zip(probabilities).zip(kept).enumerate() {
        let is_repeated =
            || kind(at, block).and_then(|kind| counts.get(&kind)).is_some_and(|count| *count >= MIN_BLOCKS);
        *kept |= *probability >= MIN_PROBABILITY && is_repeated();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn comments_of_one_make_are_kept_at_any_depth() {
        let comment =
            |inner: &str| format!("<div class=comment><h4>Jane</h4><p>I agree.</p><a href=x>Reply</a>{inner}</div>");
        let html = format!("<p>Text.</p>{}<form><p>Your name</p></form>", comment(&comment(&comment(""))));
        let page = ScanEngine.read(&html, &Limits::default());
        let kept = |probability: f32| {
            let probabilities: Vec<f32> = page
                .blocks
                .iter()
                .map(|block| match page.text(block) {
                    "Jane" => 0.05,
                    _ => probability,
                })
                .collect();
            let mut kept = vec![false; page.blocks.len()];
            keep_repeated_comments(&page, &probabilities, |at| at > 0, &mut kept);
            let blocks = page.blocks.iter().zip(kept).filter(|(_, kept)| *kept);
            blocks.map(|(block, _)| page.text(block).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kept(0.1), ["I agree.", "I agree.", "I agree."]);
        assert_eq!(kept(0.09), [] as [&str; 0]);
    }
}
