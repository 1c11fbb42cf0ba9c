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

/// The name of a site: its host without what stands before the last two names.
fn site(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    // The last two names: `example.org`. For `example.co.uk` that is too little, which only keeps fewer lists.
    let before = dots.nth(1);
    before.and_then(|at| host.get(at + 1..)).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::trial;

    fn left(html: &str) -> usize {
        let url = Some("https://www.own.example/page");
        trial::left(html, |page, kept| keep_link_lists(page, html, url, kept)).len()
    }

    #[test]
    fn what_leads_to_other_sites_is_kept() {
        let list = |hrefs: &[&str], heading: &str| {
            let item = |href: &&str| format!("<li><a href={href}>-the other site</a>");
            let items: String = hrefs.iter().map(item).collect();
            format!("<h2>{heading}</h2><ul>{items}</ul><p>text")
        };
        assert_eq!(left(&list(&["https://a.example", "http://b.example/x"], "More")), 4);
        // Below a heading that is left out, of the page's own site, or with its address.
        assert_eq!(left(&list(&["https://a.example", "http://b.example/x"], "-More")), 1);
        assert_eq!(left(&list(&["https://a.example", "/x"], "More")), 2);
        assert_eq!(left(&list(&["https://a.example", "https://own.example/"], "More")), 2);
        let share = "https://b.example/?u=https://own.example/page";
        assert_eq!(left(&list(&[share, share], "More")), 2);
        assert_eq!(left(&list(&["https://a.example"], "More")), 2);
        let buttons = "<h2>More</h2><ul><li><a href=//a.example>-a</a><li><a href=//b.example>-b</a></ul>";
        assert_eq!(left(buttons), 1);
    }
}
