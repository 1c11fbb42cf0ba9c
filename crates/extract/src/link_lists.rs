//! Lists of links to other sites below a heading of the text: what a page gives to read on, as an encyclopedia does.

use trommel_html::{Page, Tag};
use url::Url;

use crate::sections::{heading, is_beside};

/// Items of such a list.
const LEAST: usize = 2;
const MOST: usize = 60;
/// Words of an item in the mean; buttons have fewer.
const WORDS: usize = 2;
/// Elements around a block that may be its item.
const AROUND: usize = 6;

/// Keeps lists right below a kept heading, and beside it, whose items all lead to other sites than that of the page
/// (its `url`) and do not take its address along, as links that share it do. One flag a block in `kept`.
pub(crate) fn keep_link_lists(page: &Page, html: &str, url: Option<&str>, kept: &mut [bool]) {
    let Some(own) = url.and_then(|url| Url::parse(url).ok()) else {
        return;
    };
    let Some(own) = own.host_str().map(site) else {
        return;
    };
    for at in 0..page.blocks.len() {
        let next = at + 1;
        if kept.get(at) != Some(&true) || kept.get(next) != Some(&false) {
            continue;
        }
        let around = heading(page, at).and_then(|at| page.element(at));
        let Some(around) = around.filter(|_| heading(page, next).is_none()) else {
            continue;
        };
        let Some(len) = list(page, html, own, next) else {
            continue;
        };
        if is_beside(page, around.parent, at, next) {
            let list = kept.iter_mut().skip(next).take(len);
            list.for_each(|kept| *kept = true);
        }
    }
}

/// The number of blocks of the list that begins with a block, if it is one of links to other sites.
fn list(page: &Page, html: &str, own: &str, first: usize) -> Option<usize> {
    let block = page.blocks.get(first)?;
    let mut path = page.path(block.element).take(AROUND);
    let (_, item) = path.find(|(_, own)| own.tag == Tag::Li)?;
    let list = item.parent;
    let element = page.element(list).filter(|own| !own.hidden)?;
    let is_in = |own: u32| own > list && own < element.end;
    let is_first = first
        .checked_sub(1)
        .and_then(|at| page.blocks.get(at))
        .is_none_or(|before| !is_in(before.element));
    if !is_first {
        return None;
    }
    let blocks = page.blocks.iter().skip(first);
    let blocks: Vec<_> = blocks
        .take_while(|block| is_in(block.element))
        .take(MOST + 1)
        .collect();
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    let leads_away = |block: &&trommel_html::Block| {
        let links = page.inline(block).iter();
        let around = page.path(block.element).take(AROUND).map(|(at, _)| at);
        let mut elements = links
            .copied()
            .chain(around)
            .filter_map(|at| page.element(at));
        let link = elements.find(|own| own.tag == Tag::A);
        let href = link.and_then(|link| link.attribute(html, "href"));
        href.is_some_and(|href| is_elsewhere(&href, own))
    };
    let fits = (LEAST..=MOST).contains(&blocks.len())
        && words as usize >= WORDS * blocks.len()
        && blocks.iter().all(leads_away);
    fits.then_some(blocks.len())
}

fn is_elsewhere(href: &str, own: &str) -> bool {
    let Ok(url) = Url::parse(href.trim()) else {
        return false;
    };
    matches!(url.scheme(), "http" | "https") && !href.contains(own)
}

/// The name of a site: its host without what stands before the last two names.
fn site(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    let before = dots.nth(1);
    before.and_then(|at| host.get(at + 1..)).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn left(html: &str) -> usize {
        let page = ScanEngine.read(html, &Limits::default());
        let mut kept: Vec<bool> = page
            .blocks
            .iter()
            .map(|block| !page.text(block).starts_with('-'))
            .collect();
        keep_link_lists(&page, html, Some("https://www.own.example/page"), &mut kept);
        kept.iter().filter(|kept| **kept).count()
    }

    #[test]
    fn what_leads_to_other_sites_is_kept() {
        let list = |hrefs: &[&str], heading: &str| {
            let item = |href: &&str| format!("<li><a href={href}>-the other site</a>");
            let items: String = hrefs.iter().map(item).collect();
            format!("<h2>{heading}</h2><ul>{items}</ul><p>text")
        };
        assert_eq!(
            left(&list(&["https://a.example", "http://b.example/x"], "More")),
            4
        );
        // Below a heading that is left out, of the page's own site, or with its address.
        assert_eq!(
            left(&list(&["https://a.example", "http://b.example/x"], "-More")),
            1
        );
        assert_eq!(left(&list(&["https://a.example", "/x"], "More")), 2);
        assert_eq!(
            left(&list(
                &["https://a.example", "https://own.example/"],
                "More"
            )),
            2
        );
        let share = "https://b.example/?u=https://own.example/page";
        assert_eq!(left(&list(&[share, share], "More")), 2);
        assert_eq!(left(&list(&["https://a.example"], "More")), 2);
        let buttons =
            "<h2>More</h2><ul><li><a href=//a.example>-a</a><li><a href=//b.example>-b</a></ul>";
        assert_eq!(left(buttons), 1);
    }
}
