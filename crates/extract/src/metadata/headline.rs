//! Where the headline of a page stands, and what stands near it.

use trommel_html::{Block, Page, Tag};

use super::likeness::Words;

/// Blocks before and after the headline that may hold a byline.
const BEFORE: usize = 6;
const AFTER: usize = 14;

/// Blocks that are searched for a headline that is no heading.
const SEARCHED: usize = 400;
/// Words of such a block.
const SHORT: u32 = 40;

/// Index of the headline's block: the `h1` or `h2` that is most like the title, else another short
/// block that is, else the first `h1`.
pub(super) fn block(page: &Page, title: Option<&str>) -> Option<usize> {
    let title = Words::of(title.unwrap_or_default());
    let mut best: Option<(f32, usize)> = None;
    let mut first = None;
    let consider = |at: usize, block: &Block, weight: f32, best: &mut Option<(f32, usize)>| {
        let alike = Words::of(page.text(block)).like(&title);
        if alike >= 0.5 && best.is_none_or(|(known, _)| alike + weight > known) {
            *best = Some((alike + weight, at));
        }
    };
    for (at, block) in page.blocks.iter().enumerate() {
        match page.container(block).map(|(_, element)| element.tag) {
            Some(Tag::H1) => {
                first = first.or(Some(at));
                consider(at, block, 0.2, &mut best);
            }
            Some(Tag::H2) => consider(at, block, 0.0, &mut best),
            _ => {}
        }
    }
    if best.is_none() {
        for (at, block) in page.blocks.iter().enumerate().take(SEARCHED) {
            if block.words <= SHORT {
                consider(at, block, 0.0, &mut best);
            }
        }
    }
    best.map(|(_, at)| at).or(first)
}

/// Indices of the blocks near the headline, those after it first, nearest first.
pub(super) fn near(page: &Page, headline: usize) -> impl Iterator<Item = usize> {
    let after = headline + 1..(headline + 1 + AFTER).min(page.blocks.len());
    let before = headline.saturating_sub(BEFORE)..headline;
    after.chain(before.rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    fn headline(html: &str, title: &str) -> Option<usize> {
        block(&LolEngine.read(html, &Limits::default()), Some(title))
    }

    #[test]
    fn the_heading_like_the_title_is_found() {
        let html = "<h1>Site</h1><h2>Two words</h2><h1>Two words!</h1><p>Two words";
        assert_eq!(headline(html, "Two Words"), Some(2));
        assert_eq!(
            headline("<p>menu<p class=t>Two words<p>x", "Two words"),
            Some(1)
        );
        assert_eq!(headline("<p>menu<p>text", "Two words"), None);
    }

    #[test]
    fn near_blocks_come_nearest_first() {
        let page = LolEngine.read("<p>a<p>b<p>c<p>d<p>e", &Limits::default());
        assert_eq!(near(&page, 2).collect::<Vec<_>>(), [3, 4, 1, 0]);
    }
}
