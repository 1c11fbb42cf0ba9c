//! Finds and drops the further articles that endless pages append when a reader comes to the end.

use std::ops::Range;

use trommel_html::{Element, NONE, Page, Tag};

/// Minimum number of kept words of an element that counts as an article. A shorter one is a teaser or a post.
const MIN_ARTICLE_WORDS: u32 = 40;
/// Names of HTML attributes that give the address of an article, on the element around the article.
// Attributes by which scripts of news sites change the address while a reader scrolls.
const ADDRESSES: [&str; 12] = [
    "data-url", "data-href", "data-permalink", "data-article-url", "data-page-url", "data-post-url", "data-story-url",
    "data-canonical", "data-canonical-url", "data-share-url", "data-path", "itemid",
];
/// Class and id words of elements that hold an article.
const ARTICLES: [&str; 6] = ["article", "story", "post", "entry", "hentry", "artikel"];
/// Maximum number of articles on a page for those after the first to be found. A page with more is a listing.
// It also bounds the work: each of them is compared with the others.
const MAX_ARTICLES: usize = 100;

/// Returns the range of elements that hold the articles after the first, or `None` if there are none. Articles are
/// elements with the same tag and depth that hold enough kept text. Each has its own `h1` headline or a different
/// address, compared without query and fragment. Entries of a live blog and posts of a forum have neither. `kept` has
/// one flag per block.
pub(crate) fn follow_ups(page: &Page, html: &str, kept: &[bool]) -> Option<Range<u32>> {
    // Headlines first, because addresses in attributes also belong to share buttons.
    let by_headline = || side_by_side(page, kept, with_headlines(page)?);
    let by_address = || side_by_side(page, kept, with_addresses(page, html)?);
    by_headline().or_else(by_address)
}

/// Returns for each `h1` the outermost element around it with a possible article and no other `h1`.
fn with_headlines(page: &Page) -> Option<Vec<u32>> {
    let headlines = (0u32..).zip(&page.elements);
    let headlines = headlines.filter(|(_, element)| element.tag == Tag::H1 && !element.hidden);
    let headlines: Vec<u32> = headlines.map(|(at, _)| at).take(MAX_ARTICLES + 1).collect();
    if headlines.len() > MAX_ARTICLES {
        return None;
    }
    let is_alone = |at: u32, end: u32| {
        let before = headlines.partition_point(|headline| *headline < at);
        headlines.get(before + 1).is_none_or(|headline| *headline >= end)
    };
    let around = headlines.iter().filter_map(|headline| {
        let path = page.path(*headline);
        let alone = path.take_while(|(at, element)| is_alone(*at, element.end));
        alone.filter(|(_, element)| may_hold(page, element)).last()
    });
    Some(around.map(|(at, _)| at).collect())
}

/// Returns the outermost elements that may hold an article and have an address; `None` if two addresses are equal.
fn with_addresses(page: &Page, html: &str) -> Option<Vec<u32>> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut end = 0;
    for (at, element) in (0u32..).zip(&page.elements) {
        if at < end || !may_hold(page, element) {
            continue;
        }
        if let Some(address) = address(element, html) {
            end = element.end;
            found.push((at, address));
        }
        if found.len() > MAX_ARTICLES {
            return None;
        }
    }
    let mut addresses: Vec<&String> = found.iter().map(|(_, address)| address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let is_each_another = addresses.len() == found.len();
    is_each_another.then(|| found.iter().map(|(at, _)| *at).collect())
}

/// Returns the range from the second to the last of the elements `found` that are articles. These have enough kept
/// text, and the same tag and depth. `found` is in page order without overlaps.
fn side_by_side(page: &Page, kept: &[bool], mut found: Vec<u32>) -> Option<Range<u32>> {
    if found.len() < 2 {
        return None;
    }
    let mut words = vec![0u32; found.len()];
    for (block, kept) in page.blocks.iter().zip(kept) {
        // A list of teasers has links for text, and must not look like articles.
        if !*kept || block.element == NONE || block.link_density() >= 0.5 {
            continue;
        }
        let next = found.partition_point(|article| *article <= block.element);
        let article = next.checked_sub(1).and_then(|at| found.get(at));
        let holds = article.and_then(|article| page.element(*article));
        if holds.is_some_and(|element| block.element < element.end)
            && let Some(words) = words.get_mut(next - 1)
        {
            *words = words.saturating_add(block.words);
        }
    }
    let mut words = words.into_iter();
    found.retain(|_| words.next().is_some_and(|words| words >= MIN_ARTICLE_WORDS));
    let first = page.element(*found.first()?)?;
    found.retain(|article| {
        let element = page.element(*article);
        // One template puts its articles at one depth; a related article deeper down is part of the first.
        element.is_some_and(|element| element.tag == first.tag && element.depth == first.depth)
    });
    let last = page.element(*found.last()?)?;
    Some(*found.get(1)?..last.end)
}

/// Drops the articles after the first one on a page.
pub(crate) fn drop_follow_ups(page: &Page, html: &str, kept: &mut [bool]) {
    let Some(range) = follow_ups(page, html, kept) else { return };
    for (block, kept) in page.blocks.iter().zip(kept) {
        *kept &= block.element == NONE || !range.contains(&block.element);
    }
}

fn may_hold(page: &Page, element: &Element) -> bool {
    element.tag == Tag::Article || matches!(element.tag, Tag::Div | Tag::Section) && page.says(element, &ARTICLES)
}

/// Returns the article address in an element's attributes, without query and fragment.
fn address(element: &Element, html: &str) -> Option<String> {
    // Entries of a live blog have addresses that differ by fragment, posts of a forum by query.
    let stated = ADDRESSES.iter().find_map(|name| element.attribute(html, name))?;
    let address = stated.split(['?', '#']).next().unwrap_or_default().trim();
    (!address.is_empty()).then(|| address.to_owned())
}
