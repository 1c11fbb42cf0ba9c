//! Finds the byline around the headline.

use trommel_html::{Block, Page};

use super::likeness::TitleWords;
use crate::heading_text::is_heading;

/// Blocks before and after the headline that may hold a byline.
// More behind than before: bylines follow headlines, and categories and dates precede them.
const BLOCKS_BEFORE: usize = 6;
const BLOCKS_AFTER: usize = 14;

/// Blocks that are searched for one that says the title.
// Headlines come early; long pages need not be compared to their end.
const MAX_SEARCHED_BLOCKS: usize = 400;
/// Words of such a block.
const MAX_TITLE_WORDS: u32 = 40;
/// Minimum likeness to the title of a block that states it, and the bonus of headings among such blocks.
const MIN_LIKENESS: f32 = 0.5;
// A breadcrumb and a share line repeat the title, too.
const HEADING_BONUS: f32 = 0.2;

/// Index of the block around which a byline is searched. It is the `headline` of the page, as judged, if it
/// repeats the title; else the short block that repeats it best; else the headline again. Bylines do not
/// stand around the name of the site, which is the only heading of many an old page.
pub(super) fn anchor(page: &Page, headline: Option<usize>, title: Option<&str>) -> Option<usize> {
    let title = TitleWords::of(title.unwrap_or_default());
    let likeness = |block: &Block| TitleWords::of(page.text(block)).like(&title);
    let judged = headline.and_then(|at| page.blocks.get(at));
    if judged.is_some_and(|block| likeness(block) >= MIN_LIKENESS) {
        return headline;
    }
    let mut best: Option<(f32, usize)> = None;
    for (at, block) in page.blocks.iter().enumerate().take(MAX_SEARCHED_BLOCKS) {
        // One with less than a third of the title's words, even if all of them are, cannot say it.
        if block.words > MAX_TITLE_WORDS || (block.words as usize) * 3 < title.different_words() {
            continue;
        }
        let mut score = likeness(block);
        if score < MIN_LIKENESS {
            continue;
        }
        if is_heading(page, block) {
            score += HEADING_BONUS;
        }
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, at));
        }
    }
    best.map(|(_, at)| at).or(headline)
}

/// Indices of the blocks near the headline, those after it first, nearest first.
pub(super) fn near(page: &Page, headline: usize) -> impl Iterator<Item = usize> {
    let after = headline + 1..(headline + 1 + BLOCKS_AFTER).min(page.blocks.len());
    let before = headline.saturating_sub(BLOCKS_BEFORE)..headline;
    after.chain(before.rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn bylines_stand_around_what_says_the_title() {
        let html = "<h1>Daily</h1><p>menu<p class=t>Two words<p>x<h2>Two words</h2><p>y<h2>Two words!</h2>";
        let page = ScanEngine.read(html, &Limits::default());
        let of = |headline, title| anchor(&page, headline, title);
        assert_eq!(of(Some(6), Some("Two words")), Some(6));
        assert_eq!(of(Some(0), Some("Two words")), Some(4));
        assert_eq!(of(Some(0), Some("Others")), Some(0));
        assert_eq!(of(Some(0), None), Some(0));
        assert_eq!(of(None, Some("Others")), None);
        let page = ScanEngine.read("<p>menu<p class=t>Two words<p>x", &Limits::default());
        assert_eq!(anchor(&page, None, Some("Two Words!")), Some(1));
    }

    #[test]
    fn near_blocks_come_nearest_first() {
        let page = ScanEngine.read("<p>a<p>b<p>c<p>d<p>e", &Limits::default());
        assert_eq!(near(&page, 2).collect::<Vec<_>>(), [3, 4, 1, 0]);
    }
}
