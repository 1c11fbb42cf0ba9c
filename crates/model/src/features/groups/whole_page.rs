//! Features of the whole page, the same for all of its blocks, and of its address.

use rustc_hash::FxHashSet;
use trommel_html::{Page, Tag};
use trommel_text::words;

use crate::features::groups::{Fact, Group, constants, owned};
use crate::features::log::{flag, log};
use crate::{features::facts::shape::Sums, features::hashes::word_hash};

const NAMES: [&str; 10] = [
    "page.log_words", "page.log_blocks", "page.link_density", "page.paragraph_share", "page.log_elements",
    "page.article", "page.product", "page.list", "page.discussion", "page.headline",
];

pub(crate) const PAGE_FACTS: Group = Group {
    needs: &[Fact::Sums],
    columns: |_| owned(&NAMES),
    on: |facts, _| constants(features(facts.page, &facts.whole)),
};

fn features(page: &Page, whole: &Sums) -> [f32; NAMES.len()] {
    let has_headline = page.blocks.iter().any(|block| {
        let container = page.container(block);
        container.is_some_and(|(_, element)| element.tag == Tag::H1)
    });
    // JSON-LD as well, because `og:type` has no value for lists and forums.
    let og = page.head.meta("og:type").unwrap_or_default().to_ascii_lowercase();
    let says = |og_part: &str, types: &[&str]| {
        let og = !og_part.is_empty() && og.contains(og_part);
        // A word search does: the names of schema.org types stand in no other place of JSON-LD.
        let ld = page.head.json_ld.iter().any(|script| types.iter().any(|kind| script.text.contains(kind)));
        f32::from(u8::from(og || ld))
    };
    [
        log(whole.words),
        log(whole.blocks),
        whole.link_density(),
        whole.paragraph_share(),
        log(page.elements.len() as f64),
        says("article", &["Article\"", "Posting\""]),
        says("product", &["\"Product\""]),
        says("", &["\"ItemList\"", "\"CollectionPage\""]),
        says("", &["\"DiscussionForumPosting\"", "\"QAPage\""]),
        f32::from(u8::from(has_headline)),
    ]
}

const ADDRESS_NAMES: [&str; 10] = [
    "address.known", "address.root", "address.log_segments", "address.log_last_chars", "address.log_last_words",
    "address.log_last_digits", "address.extension", "address.date", "address.query", "address.title_share",
];

pub(crate) const ADDRESS: Group = Group {
    needs: &[],
    columns: |_| owned(&ADDRESS_NAMES),
    // Page types alone use it: with the address as features of blocks DAnIEL fell from .848 to .838.
    on: |facts, _| constants(address_features(facts.page, facts.url)),
};

/// The address features of a page; all zero if its URL is not known.
fn address_features(page: &Page, url: Option<&str>) -> [f32; ADDRESS_NAMES.len()] {
    // Zeros for an unknown address, with a column that says so: 0 segments would else be the page of a site's root.
    let Some((_, rest)) = url.and_then(|url| url.split_once("://")) else {
        return [0.0; ADDRESS_NAMES.len()];
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
        let of = |url: &str| address_features(&page, Some(url));
        let story = of("https://a.example/news/2024/red-apples-win-12.html?x=1#top");
        assert_eq!(story[..2], [1.0, 0.0]);
        assert_eq!(story[2], log(3u32));
        assert_eq!(story[5..9], [log(2u32), 1.0, 1.0, 1.0]);
        assert_eq!(story[9], 2.0 / 5.0);
        assert_eq!(of("https://a.example/")[..3], [1.0, 1.0, 0.0]);
        assert_eq!(address_features(&page, None), [0.0; ADDRESS_NAMES.len()]);
    }
}
