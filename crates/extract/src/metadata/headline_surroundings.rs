//! Distinguishes what belongs to the headline, such as its byline, from what belongs to a teaser, comment or event.

use trommel_html::{Block, Element, FactKind, NONE, Page, StatedFact, Tag, element_text};

use super::{TitleWords, date_parser::is_date};
use crate::{heading_text::is_heading, kept_flags::elements_of};

/// Class and id words of elements that hold comments.
const COMMENTS: [&str; 10] = [
    "comment", "comments", "commentlist", "reply", "replies", "responses", "kommentare", "commentaires", "comentarios",
    "reacties",
];
/// Minimum number of words of a block that is text, and not a name or a label.
const TEXT_BLOCK: u32 = 15;
/// Number of words of text below a headline after which a heading begins another part of the page.
pub(super) const TEXT_WORDS: u32 = 25;
/// Number of words of text below a headline after which an element with other text is a comment or another article.
const MANY_WORDS: u32 = 100;
/// Minimum number of words and of characters of a link that is taken for the title of another page.
// By characters for scripts without spaces.
const TITLE: (usize, usize) = (4, 16);
/// Maximum number of bytes of a link that are read for its text.
const MAX_LINK_BYTES: usize = 500;
/// Maximum number of blocks in an item of a listing, and maximum number of sibling elements that are compared.
const ITEM: (usize, usize) = (6, 50);
/// Maximum number of elements around a block among which an item of a listing is looked for.
const ITEM_LEVELS: usize = 10;

/// Blocks around a headline, which are searched for the author and the date of the page.
#[derive(Debug)]
pub(super) struct Surroundings<'p> {
    html: &'p str,
    page: &'p Page,
    /// Block index and element index of the headline.
    headline: (usize, u32),
    /// Number of words of text between the headline and each block, one entry per block.
    text: Vec<u32>,
    headings: Vec<Heading>,
}

/// Heading of another part of the page, whose author and date are not those of the headline.
#[derive(Debug)]
struct Heading {
    block: usize,
    element: u32,
    /// Index of the parent element of the heading.
    parent: u32,
    is_link: bool,
}

impl<'p> Surroundings<'p> {
    pub fn of(html: &'p str, page: &'p Page, headline: usize) -> Self {
        let said = page.blocks.get(headline);
        let element = said.map_or(NONE, |block| block.element);
        let mut around = Self { html, page, headline: (headline, element), text: Vec::new(), headings: Vec::new() };
        let mut words = 0u32;
        for (at, block) in page.blocks.iter().enumerate() {
            around.text.push(words);
            let container = page.container(block).map(|(_, element)| element);
            match container.filter(|element| element.tag.is_heading()) {
                Some(container) => {
                    let is_title = around.is_title(block);
                    // Right below the headline a heading goes on with it, and posts repeat it.
                    let goes_on = at > headline && words < TEXT_WORDS && !is_title;
                    if !goes_on && at != headline && said.is_none_or(|said| page.text(said) != page.text(block)) {
                        let is_link = block.link_words > 0;
                        around.headings.push(Heading {
                            block: at,
                            element: block.element,
                            parent: container.parent,
                            is_link,
                        });
                    }
                }
                None if at > headline && is_text(block) => {
                    words = words.saturating_add(block.words);
                }
                None => {}
            }
        }
        around
    }

    /// Returns the number of words of text between the headline and the block `at` below it.
    pub fn text_before(&self, at: usize) -> u32 {
        self.text.get(at).copied().unwrap_or_default()
    }

    /// Returns whether an author or date in an element around the block `at` is that of the headline. The element has
    /// no other heading and no link to another page. It is neither a comment, an item of a listing, a quote, a figure
    /// nor the site's header or footer.
    pub fn own(&self, element: u32, at: usize) -> bool {
        let (page, (headline, of_headline)) = (self.page, self.headline);
        // The largest part around it without the headline, and the element around both.
        let (mut part, mut around) = (element..element + 1, NONE);
        for (level, (index, outer)) in page.path(element).enumerate() {
            if (index..outer.end).contains(&of_headline) {
                around = index;
                break;
            }
            // Comments follow the text; above it stands how many there are.
            let is_late = self.text_before(at) >= TEXT_WORDS;
            let is_comment = is_late && page.is_named_as(outer, &COMMENTS) && self.inside(index).nth(1).is_some();
            let is_other = match outer.tag {
                Tag::Blockquote | Tag::Figure | Tag::Nav => true,
                Tag::Aside => self.text_before(at) >= MANY_WORDS,
                // Those of an article stand in it, those of the site in the body.
                Tag::Header | Tag::Footer => {
                    page.element(outer.parent).is_none_or(|parent| matches!(parent.tag, Tag::Body | Tag::Html))
                }
                _ => false,
            };
            if is_comment || is_other || level < ITEM_LEVELS && self.is_item(index, outer) {
                return false;
            }
            part = index..outer.end;
        }
        // A comment has a text of its own below its time.
        let end = page.blocks.get(at).map_or(0, |block| block.span.1);
        let is_below = |block: &Block| block.span.0 >= end && is_text(block);
        if self.text_before(at) >= MANY_WORDS && self.inside(part.start).any(is_below) {
            return false;
        }
        let is_over = |heading: &Heading| {
            let inside = part.contains(&heading.element);
            if at < headline {
                inside && heading.is_link
            } else {
                heading.block > headline && (inside || heading.parent == around)
            }
        };
        !self.headings.iter().take_while(|heading| heading.block < at).any(is_over)
            && !page.blocks.get(at).is_some_and(|block| self.is_title(block))
    }

    /// Returns the blocks inside the element `at`.
    fn inside(&self, at: u32) -> impl Iterator<Item = &'p Block> {
        let (start, end) = self.page.element(at).map_or((u32::MAX, at), |element| (element.start, element.end));
        let first = self.page.blocks.partition_point(|block| block.span.0 < start);
        let blocks = self.page.blocks.get(first..).unwrap_or_default().iter();
        blocks.take_while(move |block| (at..end).contains(&block.element))
    }

    /// Returns whether an element is an item of a listing, with a date, a link and no long text. A sibling with the
    /// same markup must be such an item too.
    fn is_item(&self, index: u32, element: &Element) -> bool {
        let page = self.page;
        let is_one = |at: u32| {
            let blocks: Vec<&Block> = self.inside(at).take(ITEM.0 + 1).collect();
            let is_time = |fact: &StatedFact| {
                fact.kind == FactKind::Time
                    && page.element(at).is_some_and(|element| (at..element.end).contains(&fact.element))
            };
            blocks.len() <= ITEM.0
                && blocks.iter().any(|block| block.link_words > 0)
                && !blocks.iter().any(|block| is_text(block))
                && (page.facts.iter().any(is_time) || blocks.iter().any(|block| is_date(page.text(block))))
        };
        let parent = page.element(element.parent).filter(|_| !element.tag.is_inline() && is_one(index));
        let Some(parent) = parent else { return false };
        let mut next = element.parent + 1;
        let siblings = std::iter::from_fn(|| {
            let (at, sibling) = (next, page.element(next).filter(|_| next < parent.end)?);
            next = sibling.end.max(next + 1);
            Some((at, sibling))
        });
        let mut alike = siblings.take(ITEM.1).filter(|(_, sibling)| sibling.signature == element.signature);
        alike.any(|(at, _)| at != index && is_one(at))
    }

    /// Returns whether a block has a link long enough to be the title of another page.
    fn is_title(&self, block: &Block) -> bool {
        let page = self.page;
        if (block.link_words as usize) < TITLE.0 || block.link_density() < 0.5 {
            return false;
        }
        // The names of authors may be as long.
        let of_author = |element: &Element| {
            page.facts.iter().any(|fact| fact.kind == FactKind::AuthorLink && fact.start == element.start)
        };
        let is_long = |text: &str| {
            text.split_whitespace().count() >= TITLE.0 && text.chars().count() >= TITLE.1 && !is_date(text)
        };
        elements_of(page, block, 3).any(|element| {
            element.tag == Tag::A
                && !of_author(element)
                && is_long(&element_text(self.html, element.start, MAX_LINK_BYTES))
        })
    }
}

/// Returns whether a block is text, not a label or a link, by its words and link density.
fn is_text(block: &Block) -> bool {
    block.words >= TEXT_BLOCK && block.link_density() < 0.5
}

/// Number of blocks before the headline that may hold a byline.
// More behind than before: bylines follow headlines, and categories and dates precede them.
const BLOCKS_BEFORE: usize = 6;
const BLOCKS_AFTER: usize = 14;

/// Maximum number of blocks that are searched for one that repeats the title.
// Headlines come early; long pages need not be compared to their end.
const MAX_SEARCHED_BLOCKS: usize = 400;
/// Maximum number of words of a block that may repeat the title.
const MAX_TITLE_WORDS: u32 = 40;
/// Minimum word overlap (0 to 1) of a block with the title, for the block to be taken as the headline.
const MIN_LIKENESS: f32 = 0.5;
// A breadcrumb and a share line repeat the title, too.
const HEADING_BONUS: f32 = 0.2;

/// Returns the index of the block around which a byline is searched: `headline` if it repeats the title, otherwise the
/// short block that repeats the title best, otherwise `headline`. Bylines are not near the site's name, which is the
/// only heading of many old pages.
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

/// Iterates over the indices of the blocks near the headline: those after it first, nearest first.
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
