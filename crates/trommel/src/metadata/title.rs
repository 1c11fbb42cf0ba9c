//! The title of a page.

use std::collections::HashSet;

use trommel_html::{Tag, fold, plain, words};

use super::sources::{Sources, rank};

/// Characters beyond which a title is none.
const LONGEST: usize = 400;

/// The best title of a page without the name of its site: the headline of its JSON-LD, `og:title`,
/// `<title>`, its first `h1`.
pub(super) fn title(sources: &Sources, site: Option<&str>) -> Option<String> {
    let page = sources.page;
    let headings: Vec<String> = page
        .blocks
        .iter()
        .filter(|block| page.container(block).is_some_and(|(_, e)| e.tag == Tag::H1))
        .take(8)
        .map(|block| fold(page.text(block)))
        .collect();
    let mut names: Vec<String> = site.map(key).into_iter().collect();
    names.extend(sources.metas(&["og:site_name", "application-name"]).map(key));
    names.extend(host_names(sources));
    names.retain(|name| !name.is_empty());

    let from_graph = sources
        .main
        .filter(|node| rank(node) > 1)
        .and_then(|node| node.headline().or_else(|| node.name()));
    let from_meta = sources
        .metas(&["og:title", "twitter:title", "citation_title", "dc.title"])
        .next()
        .map(|title| fold(&plain(title)));
    let from_head = Some(page.head.title.clone());
    let first_heading = headings.first().cloned();
    [from_graph, from_meta, from_head, first_heading]
        .into_iter()
        .flatten()
        .filter(|title| !title.is_empty() && title.chars().count() <= LONGEST)
        .map(|title| clean(&title, &headings, &names))
        .find(|title| !names.contains(&key(title)))
        .or_else(|| Some(page.head.title.clone()).filter(|title| !title.is_empty()))
        .or_else(|| headings.first().cloned())
        .filter(|title| !title.is_empty())
}

/// Names that the host stands for: `news.example.co.uk` gives `newsexamplecouk`, `examplecouk`, `example`.
fn host_names(sources: &Sources) -> Vec<String> {
    let Some(host) = sources.url.as_ref().and_then(|url| url.host_str()) else {
        return Vec::new();
    };
    let host = host.strip_prefix("www.").unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let mut names = vec![key(host)];
    if let Some((_, rest)) = host.split_once('.') {
        names.push(key(rest));
    }
    let ending = labels.len().saturating_sub(1);
    names.extend(
        labels
            .iter()
            .take(ending)
            .filter(|label| label.len() > 3)
            .map(|label| key(label)),
    );
    names
}

/// A name for comparison: its letters and digits in lower case.
fn key(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Share of the words of either text that both have, 0..=1.
pub(super) fn overlap(one: &str, other: &str) -> f32 {
    let set = |text: &str| -> HashSet<String> {
        words::words(text, words::Rule::Characters)
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (set(one), set(other));
    let shared = one.intersection(&other).count();
    let all = one.len() + other.len();
    if all == 0 {
        0.0
    } else {
        2.0 * shared as f32 / all as f32
    }
}

/// Drops the name of the site at either end of a title.
fn clean(title: &str, headings: &[String], names: &[String]) -> String {
    let cuts = separators(title);
    if cuts.is_empty() {
        return title.to_owned();
    }
    let own = key(title);
    // A heading that is one end of the title says where the site's part starts.
    for heading in headings {
        let heading_key = key(heading);
        if heading_key.chars().count() < 4 || names.contains(&heading_key) {
            continue;
        }
        if own == heading_key {
            return title.to_owned();
        }
        for (start, end) in &cuts {
            let (before, after) = (
                title.get(..*start).unwrap_or_default(),
                title.get(*end..).unwrap_or_default(),
            );
            for part in [before, after] {
                if key(part) == heading_key {
                    return part.trim().to_owned();
                }
            }
        }
    }
    let mut title = title;
    // Each round drops a part, and a title has few.
    while let Some(shorter) = without_name(title, names) {
        title = shorter;
    }
    title.trim().to_owned()
}

fn without_name<'t>(title: &'t str, names: &[String]) -> Option<&'t str> {
    let cuts = separators(title);
    let is_name = |part: &str| {
        let part = key(part);
        !part.is_empty() && names.iter().any(|name| is_same_name(&part, name))
    };
    let (start, end) = cuts.last()?;
    let (before, after) = (title.get(..*start)?, title.get(*end..)?);
    if is_name(after) && !key(before).is_empty() {
        return Some(before.trim());
    }
    let (start, end) = cuts.first()?;
    let (before, after) = (title.get(..*start)?, title.get(*end..)?);
    (is_name(before) && !key(after).is_empty()).then(|| after.trim())
}

/// Whether a part of a title names the site: the same, or one begins as the other does and is not
/// much longer (`BBC` and `BBC News`).
fn is_same_name(part: &str, name: &str) -> bool {
    if part == name {
        return true;
    }
    let (short, long) = if part.len() < name.len() {
        (part, name)
    } else {
        (name, part)
    };
    short.chars().count() >= 3
        && (long.starts_with(short) || long.ends_with(short))
        && long.chars().count() <= short.chars().count() * 3
}

/// Places of the separators in a title, as (start, end) bytes with the spaces around them.
fn separators(title: &str) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    for (at, c) in title.char_indices() {
        let end = at + c.len_utf8();
        let before = title.get(..at).unwrap_or_default();
        let after = title.get(end..).unwrap_or_default();
        let spaced = before.ends_with(' ') && after.starts_with(' ');
        let is_separator = match c {
            '|' | '»' | '«' | '·' | '•' | '｜' | '–' | '—' | '-' | '/' | '~' | '>' | '<'
            | '‹' | '›' | '→' | '⋆' | '★' => spaced || matches!(c, '|' | '»' | '｜'),
            ':' => after.starts_with(' '),
            '_' => !before.is_ascii() && !after.is_ascii() || spaced,
            _ => false,
        };
        if is_separator {
            cuts.push((at, end));
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::Hints;
    use trommel_html::{Engine, Limits, LolEngine};

    fn of(html: &str) -> Option<String> {
        let page = LolEngine.read(html, &Limits::default());
        let hints = Hints {
            url: Some("https://www.daily-news.example.org/a"),
            ..Hints::default()
        };
        read(html, &page, &hints).0
    }

    #[test]
    fn the_best_source_gives_the_title() {
        let html = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"From &quot;LD&quot;\"}</script>\
             <meta property=og:title content='From og'><title>From head</title><h1>From\n<i>h1</i></h1>";
        assert_eq!(of(html).as_deref(), Some("From \"LD\""));
        let (_, html) = html.split_once("</script>").unwrap();
        assert_eq!(of(html).as_deref(), Some("From og"));
        let (_, html) = html.split_once('>').unwrap();
        assert_eq!(of(html).as_deref(), Some("From head"));
        let (_, html) = html.split_once("</title>").unwrap();
        assert_eq!(of(html).as_deref(), Some("From h1"));
        assert_eq!(of("<p>x"), None);
    }

    #[test]
    fn the_name_of_the_site_is_dropped() {
        for (html, title) in [
            ("<title>Fire in the hills | Daily News</title>", "Fire in the hills"),
            ("<title>Daily News: Fire in the hills</title>", "Fire in the hills"),
            ("<title>Fire - a story - Daily News Online</title>", "Fire - a story"),
            ("<title>Fire - a story</title>", "Fire - a story"),
            ("<meta property=og:site_name content='The Sun'><title>Fire » The Sun</title>", "Fire"),
            ("<title>Fire in the hills | World | Anything</title><h1>Fire in the hills</h1>", "Fire in the hills"),
            ("<title>Anything | Fire | Hills</title><h1>Fire | Hills</h1>", "Fire | Hills"),
            ("<title>Daily News</title>", "Daily News"),
            ("<meta property=og:title content='Daily News'><title>Fire | Daily News</title>", "Fire"),
        ] {
            assert_eq!(of(html).as_deref(), Some(title), "{html}");
        }
    }

    #[test]
    fn overlap_is_of_words() {
        assert_eq!(overlap("Two words", "two WORDS!"), 1.0);
        assert_eq!(overlap("two words", "two things"), 0.5);
        assert_eq!(overlap("", ""), 0.0);
    }
}
