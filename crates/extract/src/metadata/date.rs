//! Finds the dates of publication and of the last change.

use jiff::{ToSpan, civil::Date};
use trommel_html::{Attribute, FactKind, element_text};

use super::byline::near;
use super::calendar::{self, Stamp};
use super::sources::{Sources, rank};

/// Names of `<meta>` that hold the day of publication, best first.
// Standards first, then names of single systems, then `date`, which some use for the last change.
const PUBLISHED: &[&str] = &[
    "article:published_time",
    "article:published",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publication_date",
    "publicationdate",
    "published_time",
    "publishedtime",
    "article_date_original",
    "originalpublicationdate",
    "cxenseparse:recs:publishtime",
    "rnews:datepublished",
    "bt:pubdate",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.created",
    "dc.date.created",
    "dc.date",
    "dcterms.date",
    "dcterms.available",
    "displaydate",
    "video:release_date",
    "date",
    "datecreated",
    "creation_date",
    "created",
];

/// Names of `<meta>` that hold the day of the last change, best first.
const MODIFIED: &[&str] = &[
    "article:modified_time",
    "article:modified",
    "og:updated_time",
    "og:article:modified_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "modified_time",
    "last-modified",
    "last_updated_date",
    "lastmod",
    "updated_time",
    "revised",
];

/// Words in the attributes of elements that hold dates.
const TOKENS: &[&str] =
    &["date", "datetime", "published", "publish", "pubdate", "dateline", "timestamp", "time", "posted", "entrydate"];

/// Words of a block beyond which a date in it is one in the text.
// Bylines are short; dates in paragraphs are those of events.
const MAX_BYLINE_WORDS: u32 = 30;
/// Blocks after the headline in which a `<time>` is the page's.
const MAX_BLOCKS_AFTER_HEADLINE: usize = 30;
/// Bytes of a path that are searched.
const MAX_PATH_BYTES: usize = 500;
/// Bytes of an element that holds a date.
const MAX_ELEMENT_BYTES: usize = 1000;

/// When the page was published.
pub(super) fn published(sources: &Sources) -> Option<String> {
    // From what is stated for machines to the address, which is the least certain.
    let stamp = from_graph(sources, |node| node.published())
        .or_else(|| from_meta(sources, PUBLISHED))
        .or_else(|| from_facts(sources, FactKind::Published))
        .or_else(|| from_time(sources))
        .or_else(|| from_markup(sources))
        .or_else(|| from_url(sources));
    stamp.map(|stamp| stamp.text)
}

/// When the page was last changed.
pub(super) fn modified(sources: &Sources) -> Option<String> {
    let stamp = from_graph(sources, |node| node.modified())
        .or_else(|| from_meta(sources, MODIFIED))
        .or_else(|| from_facts(sources, FactKind::Modified));
    stamp.map(|stamp| stamp.text)
}

/// A date that can be the page's: not after the crawl. A day is allowed for time zones.
fn read(sources: &Sources, text: &str) -> Option<Stamp> {
    let stamp = calendar::find(text, month_first(sources))?;
    // A later date is that of an event, or the clock of the server.
    let latest = sources.crawled.and_then(|crawled| crawled.checked_add(1.day()).ok()).unwrap_or(Date::MAX);
    (stamp.date <= latest).then_some(stamp)
}

/// Whether numbers stand as month/day/year, as on American pages: those in English that don't say to
/// be from elsewhere.
pub(super) fn month_first(sources: &Sources) -> bool {
    let lang = sources.language.as_deref().unwrap_or("en-US");
    let locale = sources.page.head.meta("og:locale").unwrap_or(lang);
    [lang, locale].iter().filter_map(|tag| tag.as_bytes().last_chunk::<2>()).any(|end| end.eq_ignore_ascii_case(b"US"))
        || lang.eq_ignore_ascii_case("en")
}

fn from_graph<'a>(
    sources: &Sources<'a>,
    get: impl Fn(&trommel_html::json_ld::Node<'a>) -> Option<&'a str>,
) -> Option<Stamp> {
    let nodes = sources.graph.nodes().iter().filter(|node| rank(node) == 3 || rank(node) == 1);
    sources.main.iter().chain(nodes).find_map(|node| read(sources, get(node)?))
}

fn from_meta(sources: &Sources, names: &[&str]) -> Option<Stamp> {
    sources.metas(names).find_map(|content| read(sources, content))
}

fn from_facts(sources: &Sources, kind: FactKind) -> Option<Stamp> {
    sources.facts(kind).take(4).find_map(|fact| {
        read(sources, &fact.value).or_else(|| read(sources, &element_text(sources.html, fact.start, MAX_ELEMENT_BYTES)))
    })
}

/// `<time>` next to the headline, else the only one of the page.
fn from_time(sources: &Sources) -> Option<Stamp> {
    let times = || sources.page.facts.iter().filter(|fact| fact.kind == FactKind::Time);
    if let Some(headline) = sources.headline {
        let blocks: Vec<usize> = std::iter::once(headline).chain(near(sources.page, headline)).collect();
        let found = blocks
            .iter()
            .find_map(|block| times().find(|fact| fact.block as usize == *block))
            .and_then(|fact| read(sources, &fact.value));
        let after = || {
            let far = headline + MAX_BLOCKS_AFTER_HEADLINE;
            times().find(|fact| (headline..far).contains(&(fact.block as usize)))
        };
        let found = found.or_else(|| read(sources, &after()?.value));
        if found.is_some() {
            return found;
        }
    }
    let mut all = times();
    let first = all.next()?;
    // Several different times without a headline are those of a listing.
    all.all(|fact| fact.value == first.value).then(|| read(sources, &first.value)).flatten()
}

/// A date in a short block near the headline; one whose element says so comes first.
fn from_markup(sources: &Sources) -> Option<Stamp> {
    let page = sources.page;
    let headline = sources.headline?;
    let short =
        || near(page, headline).filter_map(|at| page.blocks.get(at)).filter(|block| block.words <= MAX_BYLINE_WORDS);
    let said = short().find_map(|block| {
        let says = page
            .path(block.element)
            .take(3)
            .map(|(_, element)| element)
            .chain(page.inline(block).iter().filter_map(|index| page.element(*index)))
            .flat_map(|element| page.attribute_words(element))
            .any(|token| token.attribute != Attribute::Role && TOKENS.contains(&page.word_text(token)));
        says.then(|| read(sources, page.text(block))).flatten()
    });
    said.or_else(|| short().find_map(|block| read(sources, page.text(block))))
}

/// `/2024/05/18/` or the like in the path of the URL.
fn from_url(sources: &Sources) -> Option<Stamp> {
    let path = sources.url.as_ref()?.path();
    let path = path.get(..MAX_PATH_BYTES).unwrap_or(path);
    let digits = path.find(|c: char| c.is_ascii_digit())?;
    let mut rest = path.get(digits..)?;
    loop {
        let year = rest.find("19").into_iter().chain(rest.find("20")).min()?;
        let from = rest.get(year..)?;
        let before = path.get(..path.len() - from.len()).and_then(|before| before.chars().next_back());
        let end = from.find(|c: char| !(c.is_ascii_digit() || matches!(c, '/' | '-' | '_'))).unwrap_or(from.len());
        let piece = from.get(..end)?.trim_end_matches(['/', '-', '_']);
        if before.is_none_or(|c| !c.is_ascii_digit())
            && let Some(stamp) = read(sources, &piece.replace('_', "-"))
        {
            return Some(Stamp { text: stamp.date.to_string(), ..stamp });
        }
        rest = from.get(2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_judged;
    use crate::Hints;

    fn of(html: &str, url: &str) -> (Option<String>, Option<String>) {
        let hints = Hints { url: Some(url), date: Some("2024-06-01T00:00:00Z"), ..Hints::default() };
        let metadata = read_judged(html, &hints).1;
        (metadata.published, metadata.modified)
    }

    fn published(html: &str) -> Option<String> {
        of(html, "https://e.org/").0
    }

    #[test]
    fn sources_come_in_order() {
        let ld = "<script type=application/ld+json>{\"@type\":\"Article\",\"datePublished\":\"2024-01-01T10:00:00+01:00\",\
             \"dateModified\":\"2024-01-02\"}</script>";
        let meta = "<meta property=article:published_time content=2024-02-01>";
        let micro = "<body><meta itemprop=datePublished content=2024-03-01>";
        let markup = "<h1>Head</h1><p>by A, April 1, 2024<p>text of May 1, 2024";
        let url = "https://e.org/2024/05/01/x";
        let all = format!("{ld}{meta}{micro}{markup}");
        assert_eq!(of(&all, url), (Some("2024-01-01T10:00:00+01:00".to_owned()), Some("2024-01-02".to_owned())));
        let date = |html: String| of(&html, url).0;
        assert_eq!(date(format!("{meta}{micro}{markup}")).as_deref(), Some("2024-02-01"));
        assert_eq!(date(format!("{micro}{markup}")).as_deref(), Some("2024-03-01"));
        assert_eq!(date(markup.to_owned()).as_deref(), Some("2024-04-01"));
        assert_eq!(date("<p>x".to_owned()).as_deref(), Some("2024-05-01"));
        assert_eq!(published("<p>x"), None);
    }

    #[test]
    fn the_future_is_no_date() {
        let html = "<meta name=date content=2025-01-01><meta property=og:updated_time content=2024-06-02>";
        assert_eq!(
            of(html, "https://e.org/20240131-x"),
            (Some("2024-01-31".to_owned()), Some("2024-06-02".to_owned()))
        );
    }

    #[test]
    fn the_time_next_to_the_headline_is_the_pages() {
        let html = "<ul><li>news <time datetime=2024-05-05>x</time></ul><p>1<p>2<p>3<p>4<p>5<p>6<h1>Head</h1>\
             <p>by A <time datetime='2024-04-04T01:00'>y</time><p>text";
        assert_eq!(published(html).as_deref(), Some("2024-04-04T01:00:00"));
    }

    #[test]
    fn an_element_that_says_date_comes_first() {
        let html = "<h1>Head</h1><p>Sale until 01.02.2024<p class=entry-date>03.02.2024<p>text";
        assert_eq!(published(html).as_deref(), Some("2024-02-03"));
    }

    #[test]
    fn dates_of_comments_are_not_the_pages() {
        let html =
            "<script type=application/ld+json>{\"@type\":\"Comment\",\"datePublished\":\"2024-01-01\"}</script><p>x";
        assert_eq!(published(html), None);
    }
}
