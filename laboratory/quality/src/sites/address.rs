//! Finds the site of a page without a URL from the page itself.

use std::collections::BTreeMap;

use trommel_learn::LabelledPage;
use trommel_model::sites::site_of;

/// Minimum number of links to a host that is taken for the page's own; it must also have the most links.
const MIN_LINKS: usize = 10;

/// The URL of a page: that of its gold. If this is a placeholder, the page decides (`canonical`, `og:url`,
/// `base`), else it is a page of the host of most of its links.
pub(super) fn address(page: &LabelledPage) -> String {
    let gold = &page.gold;
    if site_of(&gold.url).is_some() {
        return gold.url.clone();
    }
    let head = &page.page.head;
    let stated = [head.canonical.as_deref(), head.meta("og:url")];
    if let Some(stated) = stated.into_iter().flatten().find(|url| site_of(url).is_some()) {
        return stated.to_owned();
    }
    let base = head.base.as_deref().and_then(site_of).map(|site| site.into_owned());
    match base.or_else(|| linked(&page.html)) {
        Some(site) => format!("http://{site}/{}", gold.record_id),
        None => gold.url.clone(),
    }
}

/// The host that most links of a page name.
fn linked(html: &str) -> Option<String> {
    let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
    for link in html.split("href=").skip(1) {
        let url = link.trim_start_matches(['"', '\'']);
        let url = url.split(['"', '\'', '>', ' ', '\n']).next()?;
        if let Some(site) = site_of(url) {
            *hosts.entry(site.into_owned()).or_default() += 1;
        }
    }
    let all: usize = hosts.values().sum();
    let (host, links) = hosts.into_iter().max_by_key(|(_, links)| *links)?;
    (links >= MIN_LINKS && 2 * links > all).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_learn::Gold;

    fn of(url: &str, html: &str) -> String {
        address(&LabelledPage {
            gold: Gold { record_id: "7".to_owned(), url: url.to_owned(), ..Gold::default() },
            page: ScanEngine.read(html, &Limits::default()),
            html: html.to_owned(),
        })
    }

    #[test]
    fn a_page_says_where_it_is_from() {
        let canonical = "<link rel=canonical href=http://a.org/x><p>Text";
        assert_eq!(of("http://b.org/y", canonical), "http://b.org/y");
        assert_eq!(of("http://set.invalid/1", canonical), "http://a.org/x");
        let links = |same_site: usize, others: usize| {
            let same_site = "<a href=\"http://www.c.org/1\">one</a> ".repeat(same_site);
            format!("{same_site}{}", "<a href='https://d.org/'>two</a> ".repeat(others))
        };
        let placeholder = "http://set.invalid/1";
        assert_eq!(of(placeholder, &links(10, 9)), "http://c.org/7");
        assert_eq!(of(placeholder, &links(9, 0)), placeholder);
        assert_eq!(of(placeholder, &links(10, 10)), placeholder);
        assert_eq!(of(placeholder, "<base href=http://f.org/dir/><p>Text"), "http://f.org/7");
    }
}
