//! Where the headline of a page stands, and what stands near it.

use trommel_html::{Page, Tag};

use super::title::overlap;

/// Blocks before and after the headline that may hold a byline.
const BEFORE: usize = 6;
const AFTER: usize = 14;

/// Index of the headline's block: the heading that is most like the title, else another short block
/// that is the same.
pub(super) fn block(page: &Page, title: Option<&str>) -> Option<usize> {
    let title = title.unwrap_or_default();
    let mut best: Option<(f32, usize)> = None;
    for (at, block) in page.blocks.iter().enumerate() {
        let Some((_, element)) = page.container(block) else {
            continue;
        };
        let weight = match element.tag {
            Tag::H1 => 0.3,
            Tag::H2 => 0.1,
            _ if block.words <= 40 && !title.is_empty() => 0.0,
            _ => continue,
        };
        let alike = overlap(page.text(block), title);
        if alike < 0.5 && element.tag != Tag::H1 {
            continue;
        }
        let score = alike + weight;
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, at));
        }
    }
    best.map(|(_, at)| at)
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
        assert_eq!(headline("<p>menu<p class=t>Two words<p>x", "Two words"), Some(1));
        assert_eq!(headline("<p>menu<p>text", "Two words"), None);
    }

    #[test]
    fn near_blocks_come_nearest_first() {
        let page = LolEngine.read("<p>a<p>b<p>c<p>d<p>e", &Limits::default());
        assert_eq!(near(&page, 2).collect::<Vec<_>>(), [3, 4, 1, 0]);
    }
}
