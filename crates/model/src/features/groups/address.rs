//! Features of the page's address: its path, and the share of the title in it.

use rustc_hash::FxHashSet;
use trommel_html::Page;
use trommel_text::words;

use crate::features::group::{Group, constants, owned};
use crate::features::log::{flag, log};
use crate::features::word_hash::word_hash;

const NAMES: [&str; 10] = [
    "address.known", "address.root", "address.log_segments", "address.log_last_chars", "address.log_last_words",
    "address.log_last_digits", "address.extension", "address.date", "address.query", "address.title_share",
];

pub(crate) const GROUP: Group = Group {
    needs: &[],
    columns: |_| owned(&NAMES),
    // Page types alone use it: with the address as features of blocks DAnIEL fell from .848 to .838.
    on: |facts, _| constants(features(facts.page, facts.url)),
};

/// The address features of a page; all zero if its URL is not known.
fn features(page: &Page, url: Option<&str>) -> [f32; NAMES.len()] {
    // Zeros for an unknown address, with a column that says so: 0 segments would else be the page of a site's root.
    let Some((_, rest)) = url.and_then(|url| url.split_once("://")) else {
        return [0.0; NAMES.len()];
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, query),
        None => (rest, ""),
    };
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let last = segments.last().copied().unwrap_or_default();
    let digits = last.bytes().filter(u8::is_ascii_digit).count();
    // Slugs join the words of the title by such signs.
    let spaced = last.replace(['-', '_', '+', '.'], " ").replace("%20", " ");
    let slug: FxHashSet<u64> = words::words(&spaced, words::Rule::Characters).map(word_hash).collect();
    let title: FxHashSet<u64> = words::words(&page.head.title, words::Rule::Characters).map(word_hash).collect();
    let is_year = |part: &str| {
        // Addresses of articles often name the year; other numbers of four digits are ids.
        part.len() == 4
            && (part.starts_with("19") || part.starts_with("20"))
            && part.bytes().all(|b| b.is_ascii_digit())
    };
    let extension = last
        .rsplit_once('.')
        .is_some_and(|(_, end)| (2..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphabetic()));
    [
        1.0,
        flag(segments.is_empty()),
        log(segments.len() as f64),
        log(last.len() as f64),
        log(slug.len() as f64),
        log(digits as f64),
        flag(extension),
        flag(segments.iter().any(|part| is_year(part))),
        flag(!query.is_empty()),
        slug.intersection(&title).count() as f32 / slug.len().max(1) as f32,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn the_path_is_described() {
        let page = ScanEngine.read("<title>Red apples</title>", &Limits::default());
        let of = |url: &str| features(&page, Some(url));
        let story = of("https://a.example/news/2024/red-apples-win-12.html?x=1#top");
        assert_eq!(story[..2], [1.0, 0.0]);
        assert_eq!(story[2], log(3u32));
        assert_eq!(story[5..9], [log(2u32), 1.0, 1.0, 1.0]);
        assert_eq!(story[9], 2.0 / 5.0);
        assert_eq!(of("https://a.example/")[..3], [1.0, 1.0, 0.0]);
        assert_eq!(features(&page, None), [0.0; NAMES.len()]);
    }
}
