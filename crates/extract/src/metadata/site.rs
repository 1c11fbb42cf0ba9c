//! Finds the name of a site, and the summary and address that a page states for itself.
//!
//! Titles are divided at the signs that set off their parts; one of them may be the name of the site.

use trommel_html::{FactKind, fold_space, strip_markup};
use url::Url;

use super::sources::Sources;

/// Maximum number of characters of the name of a site.
// Longer ones are slogans or the title of the page.
const MAX_NAME_CHARS: usize = 100;

/// Returns the name of the site or publisher, if the page states it.
pub(super) fn site(sources: &Sources) -> Option<String> {
    let graph = &sources.graph;
    let website = || {
        let site = graph.nodes().iter().find(|node| node.is("WebSite"))?;
        site.text("name")
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

/// Returns all names of the site as lower-case letters and digits: `site`, those the page states, and its host.
pub(super) fn keys(sources: &Sources, site: Option<&str>) -> Vec<String> {
    let mut keys: Vec<String> = site.map(key).into_iter().collect();
    keys.extend(sources.metas(&["og:site_name", "application-name"]).map(key));
    let publisher = sources.main.and_then(|node| node.publisher(&sources.graph));
    keys.extend(publisher.as_deref().map(key));
    keys.extend(host_names(sources));
    keys.retain(|key| !key.is_empty() && key.chars().count() <= MAX_NAME_CHARS);
    keys
}

/// Returns the names in the page's host without dots: `newsexampleorg`, `exampleorg` and `example` for
/// `news.example.org`.
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

/// Returns a name in the form for comparison: only its letters and digits, in lower case.
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

/// Returns the byte range (start, end) of each separator in a title, without the spaces around it.
pub(super) fn separators(title: &str) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    for (at, c) in title.char_indices() {
        let end = at + c.len_utf8();
        let before = title.get(..at).unwrap_or_default();
        let after = title.get(end..).unwrap_or_default();
        let spaced = || before.ends_with(' ') && after.starts_with(' ');
        let is_separator = match c {
            'a'..='z' | 'A'..='Z' | ' ' => false,
            '|' | '»' | '«' | '·' | '•' | '｜' | '–' | '—' | '-' | '/' | '~' | '>' | '<' | '‹' | '›' | '→' | '⋆'
            // A dash without spaces joins words; a bar never does.
            | '★' => matches!(c, '|' | '»' | '｜') || spaced(),
            ':' => after.starts_with(' '),
            '_' => !before.is_ascii() && !after.is_ascii() || spaced(),
            _ => false,
        };
        if is_separator {
            cuts.push((at, end));
        }
    }
    cuts
}

/// Returns whether a heading equals the part of a title before or after a separator, by letters and digits.
pub(crate) fn is_end_of_title(heading: &str, title: &str) -> bool {
    let heading = key(heading);
    !heading.is_empty()
        && separators(title).iter().any(|(start, end)| {
            let ends = [title.get(..*start), title.get(*end..)];
            ends.into_iter().flatten().any(|part| key(part) == heading)
        })
}

/// Maximum number of bytes of a summary that are kept. The rest is cut off, because it is the text itself.
// Some sites put whole articles there.
const MAX_BYTES: usize = 2000;

/// Returns the summary of the page in one line: the one for sharing, else for search engines, else of the JSON-LD.
pub(super) fn description(sources: &Sources) -> Option<String> {
    sources
        // Texts for sharing are written for people, those for search engines often for keywords.
        .metas(&[
            "og:description", "description", "twitter:description", "dc.description", "dcterms.abstract",
            "sailthru.description",
        ])
        .map(|text| fold_space(&strip_markup(text)))
        .find(|text| !text.is_empty())
        .or_else(|| sources.main?.text("description"))
        .map(cut)
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_BYTES {
        let mut end = MAX_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}

/// Returns the page's canonical address: `<link rel=canonical>`, else `og:url`, resolved against the page's URL. Only
/// http and https addresses count.
pub(super) fn canonical(sources: &Sources) -> Option<String> {
    let resolve = |text: &str| -> Option<String> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let url = match &sources.url {
            Some(base) => base.join(text).ok()?,
            None => Url::parse(text).ok()?,
        };
        // Generators write `file:` addresses, and paths without a host, of the machine that built the page.
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        is_web.then(|| url.into())
    };
    sources.page.head.canonical.as_deref().and_then(resolve).or_else(|| sources.metas(&["og:url"]).find_map(resolve))
}

#[cfg(test)]
mod tests {
    use super::is_end_of_title;
    use crate::Hints;
    use crate::metadata::tests::read_judged;

    #[test]
    fn a_heading_may_be_one_end_of_a_title() {
        for (heading, title, is_end) in [
            ("Membership", "Society of Millers | Membership", true),
            ("The wheel", "the wheel - Mills of the valley", true),
            ("Wheels | Parts", "Mills | Wheels | Parts", true),
            ("Wheels", "Mills | Wheels | Parts", false),
            ("Mills", "Mills", false),
            ("Mill", "Mills - Wheels", false),
            ("!", "! - Wheels", false),
        ] {
            assert_eq!(is_end_of_title(heading, title), is_end, "{heading}: {title}");
        }
    }

    fn of(html: &str) -> Option<String> {
        read_judged(html, &Hints::default()).description
    }

    #[test]
    fn a_summary_is_one_line() {
        let html = "<meta name=description content='One &lt;b&gt;two&lt;/b&gt;\nthree'>\
             <script type=application/ld+json>{\"@type\":\"Product\",\"description\":\"No\"}</script>";
        assert_eq!(of(html).as_deref(), Some("One two three"));
        let (_, script) = html.split_once('>').unwrap();
        assert_eq!(of(script).as_deref(), Some("No"));
        assert_eq!(of("<meta name=description content=' '>"), None);
        let long = format!("<meta name=description content='{}'>", "é".repeat(3000));
        assert_eq!(of(&long).map(|text| text.len()), Some(2000));
    }
}
