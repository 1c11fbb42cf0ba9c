//! The name of the site.

use trommel_html::{FactKind, fold_space, strip_markup};

use super::sources::Sources;

/// Characters beyond which a name is none.
// Longer ones are slogans or the title of the page.
const MAX_NAME_CHARS: usize = 100;

/// Name of the site or publisher, where the page states it.
pub(super) fn site(sources: &Sources) -> Option<String> {
    let graph = &sources.graph;
    let website = || {
        let site = graph.nodes().iter().find(|node| node.is("WebSite"))?;
        site.name()
    };
    let publisher = || {
        sources
            .main
            .and_then(|node| node.publisher(graph))
            .or_else(|| graph.nodes().iter().find_map(|node| node.publisher(graph)))
    };
    let meta =
        |names: &[&str]| sources.metas(names).map(|name| fold_space(&strip_markup(name))).find(|name| is_name(name));
    let fact = || {
        let fact = sources.page.facts.iter().find(|fact| fact.kind == FactKind::Publisher && !fact.value.is_empty())?;
        Some(fold_space(&fact.value))
    };
    // The name made for sharing is the one that readers know; publishers are often companies.
    meta(&["og:site_name"])
        .or_else(|| publisher().filter(|name| is_name(name)))
        .or_else(|| website().filter(|name| is_name(name)))
        .or_else(|| {
            meta(&[
                "application-name", "citation_journal_title", "dc.publisher", "dcterms.publisher", "publisher",
                "article:publisher", "apple-mobile-web-app-title",
            ])
        })
        .or_else(|| fact().filter(|name| is_name(name)))
}

/// Keys of all names the site goes by: `site`, what the page states, and its host.
pub(super) fn keys(sources: &Sources, site: Option<&str>) -> Vec<String> {
    let mut keys: Vec<String> = site.map(key).into_iter().collect();
    keys.extend(sources.metas(&["og:site_name", "application-name"]).map(key));
    let publisher = sources.main.and_then(|node| node.publisher(&sources.graph));
    keys.extend(publisher.as_deref().map(key));
    keys.extend(host_names(sources));
    keys.retain(|key| !key.is_empty() && key.chars().count() <= MAX_NAME_CHARS);
    keys
}

/// Names that the host stands for: `news.example.co.uk` gives `newsexamplecouk`, `examplecouk`, `example`.
fn host_names(sources: &Sources) -> Vec<String> {
    let Some(host) = sources.url.as_ref().and_then(|url| url.host_str()) else { return Vec::new() };
    let host = host.strip_prefix("www.").unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let mut names = vec![key(host)];
    if let Some((_, rest)) = host.split_once('.').filter(|_| labels.len() > 2) {
        names.push(key(rest));
    }
    let ending = labels.len().saturating_sub(1);
    // Shorter labels are endings (`co`, `com`), which would match words of titles.
    names.extend(labels.iter().take(ending).filter(|label| label.len() > 3).map(|label| key(label)));
    names
}

/// A name for comparison: its letters and digits in lower case.
pub(super) fn key(name: &str) -> String {
    // Titles are compared by it with one another, and with names: memory is asked for once.
    let mut key = String::with_capacity(name.len());
    for c in name.chars().filter(|c| c.is_alphanumeric()) {
        match c {
            c if c.is_ascii() => key.push(c.to_ascii_lowercase()),
            c => key.extend(c.to_lowercase()),
        }
    }
    key
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && !name.contains("://")
}
