//! Keeps lists of links to other sites below a heading of the text: further reading, as in an encyclopedia.

use trommel_html::{Block, Page};
use url::Url;

use super::headed_lists::{has_words, keep_headed_lists};

/// Items of such a list.
const MIN_ITEMS: usize = 2;
// Longer ones are directories, whose links are the page and not a part of it.
const MAX_ITEMS: usize = 60;
/// Words of an item in the mean; buttons have fewer.
const MIN_MEAN_WORDS: usize = 2;
/// Elements around a block that may be its link.
const ANCESTORS: usize = 6;

/// Keeps lists directly below a kept heading and beside it, if all of their items lead to other sites than
/// that of the page (its `url`). Links that share the page, which take its address along, do not count as
/// such. One flag a block in `kept`.
pub(crate) fn keep_link_lists(page: &Page, html: &str, url: Option<&str>, kept: &mut [bool]) {
    let Some(url) = url.and_then(|url| Url::parse(url).ok()) else { return };
    // Without an address it is unknown which links lead away. All lists below headings cost news-world-dev .0006.
    let Some(site) = url.host_str().map(site) else { return };
    let leads_away =
        |block: &&Block| page.link_address(html, block, ANCESTORS).is_some_and(|href| is_elsewhere(&href, site));
    keep_headed_lists(page, kept, |_, blocks| {
        (MIN_ITEMS..=MAX_ITEMS).contains(&blocks.len())
            && has_words(blocks, MIN_MEAN_WORDS)
            && blocks.iter().all(leads_away)
    });
}

fn is_elsewhere(href: &str, site: &str) -> bool {
    let Ok(url) = Url::parse(href.trim()) else { return false };
    // Share links name the page's address in their query.
    matches!(url.scheme(), "http" | "https") && !href.contains(site)
}

/// The name of a site: the last two names of its host.
fn site(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    // The last two names: `example.org`. For `example.co.uk` that is too little, which only keeps fewer lists.
    let before = dots.nth(1);
    before.and_then(|at| host.get(at + 1..)).unwrap_or(host)
}
