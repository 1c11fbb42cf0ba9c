//! Finds the dates of publication and of the last change, by the words before a date that name the event.

use std::sync::LazyLock;

use jiff::{ToSpan, civil::Date};
use trommel_html::{Block, FactKind, StatedFact, Tag, element_text};

use super::headline_surroundings::{TEXT_WORDS, near};
use super::sources::{Sources, rank};
use super::{date_parser, date_parser::ParsedDate, person_names};
use crate::kept_flags::elements_of;

/// Names of `<meta>` elements that hold the date of publication, best first.
// Standards first, then names of single systems, then `date`, which some use for the last change.
const PUBLISHED: &[&str] = &[
    "article:published_time", "article:published", "og:article:published_time", "og:published_time", "datepublished",
    "citation_publication_date", "citation_online_date", "citation_date", "parsely-pub-date", "sailthru.date",
    "pubdate", "publishdate", "publish-date", "publish_date", "publication_date", "publicationdate", "published_time",
    "publishedtime", "article_date_original", "originalpublicationdate", "cxenseparse:recs:publishtime",
    "rnews:datepublished", "bt:pubdate", "dcterms.issued", "dc.date.issued", "dcterms.created", "dc.date.created",
    "dc.date", "dcterms.date", "dcterms.available", "displaydate", "video:release_date", "date", "datecreated",
    "creation_date", "created",
];

/// Endings of site-specific `<meta>` names that hold the date of publication (`shop:published_time`).
const PUBLISHED_ENDS: &[&str] = &[
    ":published_time", ":publish_time", ":published_at", ":published", ":publish_date", ":published_date", ":pubdate",
    ":publication_date", ":datepublished", ":uploaded", ":upload_date",
];

/// Names of `<meta>` elements that hold the date of the last change, best first.
const MODIFIED: &[&str] = &[
    "article:modified_time", "article:modified", "og:updated_time", "og:article:modified_time", "datemodified",
    "dcterms.modified", "dc.date.modified", "modified_time", "last-modified", "last_updated_date", "lastmod",
    "updated_time", "revised",
];

/// Class and id words of elements that hold dates.
const TOKENS: &[&str] =
    &["date", "datetime", "published", "publish", "pubdate", "dateline", "timestamp", "time", "posted", "entrydate"];

/// Maximum number of words of a block whose date may be that of the page. Longer blocks state dates of events.
// Bylines are short; dates in paragraphs are those of events.
const MAX_BYLINE_WORDS: u32 = 30;
/// Maximum number of words of text between the headline and a date of the page.
// As many as a lead has.
const MAX_TEXT_BEFORE: u32 = 100;
/// Maximum number of `<time>` elements that are read.
const MAX_TIMES: usize = 40;
/// Maximum number of bytes before the date in a line at the foot of the text that states the publication.
const MAX_LEAD: usize = 24;
/// Maximum number of dated lines at the foot of the text that are read.
const MAX_LINES: usize = 4;
/// Maximum number of words of a block below the text whose `<time>` may be the page's. Longer blocks are sentences.
const MAX_WORDS_WITH_TIME: u32 = 8;
/// Maximum number of bytes of a URL path that are searched for a date.
const MAX_PATH_BYTES: usize = 500;
/// Maximum number of bytes that are read of an element with a date.
const MAX_ELEMENT_BYTES: usize = 1000;

/// Returns the date of the page's publication.
pub(super) fn published(sources: &Sources) -> Option<String> {
    // From what is stated for machines to the address, which is the least certain.
    let stamp = from_graph(sources, |node| node.published())
        .or_else(|| from_meta(sources, PUBLISHED))
        .or_else(|| from_facts(sources, FactKind::Published))
        .or_else(|| from_meta_by_end(sources))
        .or_else(|| seen(sources, Event::Published))
        .map(|stamp| on_day_of_url(sources, stamp))
        .or_else(|| from_url(sources))
        .or_else(|| from_time(sources))
        .or_else(|| from_sentence(sources))
        .or_else(|| from_foot(sources))
        // A page that only says when it was changed had been published by then.
        .or_else(|| seen(sources, Event::Modified));
    stamp.map(|stamp| stamp.text)
}

/// Returns the date of the page's last change.
pub(super) fn modified(sources: &Sources) -> Option<String> {
    let stamp = from_graph(sources, |node| node.modified())
        .or_else(|| from_meta(sources, MODIFIED))
        .or_else(|| from_facts(sources, FactKind::Modified))
        .or_else(|| seen(sources, Event::Modified));
    stamp.map(|stamp| stamp.text)
}

/// Reads a date that can be the page's: at most one day after the crawl, to allow for time zones. A numeric date that
/// would be later is read with month and day in the other order.
fn read(sources: &Sources, text: &str) -> Option<ParsedDate> {
    let month_first = month_first(sources);
    [month_first, !month_first].into_iter().find_map(|order| past(sources, date_parser::find(text, order)?))
}

/// Returns the date unless it is more than a day after the crawl. Later dates are those of events.
fn past(sources: &Sources, stamp: ParsedDate) -> Option<ParsedDate> {
    let latest = sources.crawled.and_then(|crawled| crawled.checked_add(1.day()).ok()).unwrap_or(Date::MAX);
    (stamp.date <= latest).then_some(stamp)
}

/// Returns the day in the URL if it is one day before or after the date `stamp` in UTC, otherwise `stamp`. The day in
/// the URL is the local one at the place of publication.
fn on_day_of_url(sources: &Sources, stamp: ParsedDate) -> ParsedDate {
    if !(stamp.text.ends_with('Z') || stamp.text.ends_with("+00:00")) {
        return stamp;
    }
    let is_next = |url: &ParsedDate| {
        let days = (url.date - stamp.date).get_days();
        days.abs() == 1
    };
    from_url(sources).filter(is_next).unwrap_or(stamp)
}

/// Returns whether numeric dates have the order month/day/year: if the declared language is `en` or missing, or if that
/// language or `og:locale` ends in `US`.
pub(super) fn month_first(sources: &Sources) -> bool {
    let lang = sources.language.as_deref().unwrap_or("en-US");
    let locale = sources.page.head.meta("og:locale").unwrap_or(lang);
    [lang, locale].iter().filter_map(|tag| tag.as_bytes().last_chunk::<2>()).any(|end| end.eq_ignore_ascii_case(b"US"))
        || lang.eq_ignore_ascii_case("en")
}

fn from_graph<'a>(
    sources: &Sources<'a>,
    get: impl Fn(&trommel_html::json_ld::Node<'a>) -> Option<&'a str>,
) -> Option<ParsedDate> {
    let nodes = sources.graph.nodes().iter().filter(|node| rank(node) == 3 || rank(node) == 1);
    sources.main.iter().chain(nodes).find_map(|node| read(sources, get(node)?))
}

fn from_meta(sources: &Sources, names: &[&str]) -> Option<ParsedDate> {
    sources.metas(names).find_map(|content| read(sources, content))
}

fn from_meta_by_end(sources: &Sources) -> Option<ParsedDate> {
    let metas = &sources.page.head.meta;
    PUBLISHED_ENDS.iter().find_map(|end| {
        let mut named = metas.iter().filter(|(name, _)| name.ends_with(end));
        named.find_map(|(_, content)| read(sources, content))
    })
}

fn from_facts(sources: &Sources, kind: FactKind) -> Option<ParsedDate> {
    let is_own =
        |fact: &&StatedFact| sources.surroundings().is_none_or(|around| around.own(fact.element, fact.block as usize));
    sources.facts(kind).filter(is_own).take(4).find_map(|fact| {
        read(sources, &fact.value).or_else(|| read(sources, &element_text(sources.html, fact.start, MAX_ELEMENT_BYTES)))
    })
}

/// Returns the date of publication or change (`wanted`) near the headline: the first that its element marks as a date,
/// otherwise the first that belongs to the headline. A date that no word assigns to a change is that of publication.
fn seen(sources: &Sources, wanted: Event) -> Option<ParsedDate> {
    let page = sources.page;
    let headline = sources.headline?;
    let surroundings = sources.surroundings()?;
    let mut first = None;
    for at in std::iter::once(headline).chain(near(page, headline)) {
        let Some(block) = page.blocks.get(at).filter(|block| block.words <= MAX_BYLINE_WORDS) else { continue };
        // Behind the first date of the page others are those of comments and teasers.
        if first.is_some() && surroundings.text_before(at) >= TEXT_WORDS {
            continue;
        }
        let times = page.facts.iter().filter(|fact| fact.kind == FactKind::Time && fact.block as usize == at);
        let mut is_other = of_label(sources, at).is_some_and(|event| event != wanted);
        for fact in times {
            let event = of_time(sources, block, fact).unwrap_or(Event::Published);
            if event == wanted
                && let Some(stamp) = read(sources, &fact.value).filter(|_| surroundings.own(fact.element, at))
            {
                return Some(stamp);
            }
            is_other |= event == Event::Other;
        }
        if is_other {
            continue;
        }
        let Some((stamp, is_said)) = in_block(sources, block, wanted) else { continue };
        let is_early =
            || surroundings.text_before(at) <= MAX_TEXT_BEFORE || person_names::begins_byline(page.text(block));
        if !surroundings.own(block.element, at) || !is_said && !is_early() {
            continue;
        }
        if is_said {
            return Some(stamp);
        }
        first = first.or(Some(stamp));
    }
    first
}

/// Returns the date of a `<time>` that belongs to the headline, anywhere on the page. A date after words for
/// publication, as at the foot of blog posts, is preferred. Otherwise only a single date counts.
fn from_time(sources: &Sources) -> Option<ParsedDate> {
    let page = sources.page;
    let surroundings = sources.surroundings()?;
    let times = page.facts.iter().filter(|fact| fact.kind == FactKind::Time);
    // More are those of a listing or a thread.
    let own: Vec<(Option<Event>, ParsedDate)> = times
        .take(MAX_TIMES)
        .filter_map(|fact| {
            let at = fact.block as usize;
            let block = page.blocks.get(at).filter(|block| block.words <= MAX_BYLINE_WORDS)?;
            let event = of_time(sources, block, fact);
            let stamp = read(sources, &fact.value).filter(|_| surroundings.own(fact.element, at))?;
            (event != Some(Event::Other)).then_some((event, stamp))
        })
        .collect();
    let stated = own.iter().find(|(event, _)| *event == Some(Event::Published));
    let only = || own.first().filter(|(_, first)| own.iter().all(|(_, stamp)| stamp.date == first.date));
    stated.or_else(only).map(|(_, stamp)| stamp.clone())
}

/// Returns the event (publication, change or other) of a `<time>` element, by the words before it or its class.
fn of_time(sources: &Sources, block: &Block, fact: &StatedFact) -> Option<Event> {
    let (page, text) = (sources.page, sources.page.text(block));
    let element = page.element(fact.element);
    let names = |word| element.is_some_and(|element| page.is_named_as(element, &[word]));
    let inside = element_text(sources.html, fact.start, MAX_ELEMENT_BYTES);
    let before = text.find(inside.trim()).and_then(|start| text.get(..start)).unwrap_or_default();
    let is_change = (names("updated") || names("modified")) && !names("published");
    let at = fact.block as usize;
    // The time in a sentence of the text is that of something in it.
    let is_in_text = || sources.surroundings().is_some_and(|around| around.text_before(at) >= TEXT_WORDS);
    let in_sentence = || (block.words > MAX_WORDS_WITH_TIME && is_in_text()).then_some(Event::Other);
    event(before).or(is_change.then_some(Event::Modified)).or_else(|| of_label(sources, at)).or_else(in_sentence)
}

/// Returns the event (publication, change or other) named by the label before the block `at`, a cell or definition.
fn of_label(sources: &Sources, at: usize) -> Option<Event> {
    let page = sources.page;
    let is_value = |block: &&Block| {
        let mut around = page.path(block.element).take(3);
        around.any(|(_, element)| matches!(element.tag, Tag::Dd | Tag::Td))
    };
    page.blocks.get(at).filter(is_value)?;
    event(page.text(page.blocks.get(at.checked_sub(1)?)?))
}

/// Returns the date of publication or change (`wanted`) in a short block, and whether its element is marked as a date.
fn in_block(sources: &Sources, block: &Block, wanted: Event) -> Option<(ParsedDate, bool)> {
    let page = sources.page;
    let text = page.text(block);
    // Digits of other scripts are not ASCII. Most blocks have none, and the words of their elements are many.
    if !text.bytes().any(|byte| byte.is_ascii_digit() || !byte.is_ascii()) {
        return None;
    }
    let is_said = elements_of(page, block, 3).any(|element| page.is_named_as(element, TOKENS));
    let short_year = || {
        let stamp = past(sources, date_parser::find_with_short_year(text, month_first(sources))?)?;
        (date_parser::find(text, false).is_none() && is(text, wanted)).then_some(stamp)
    };
    let found = of_event(sources, text, wanted).or_else(|| is_said.then(short_year).flatten());
    found.map(|stamp| (stamp, is_said))
}

/// Returns whether the words of a text name the event `wanted`. A text that names no event is about publication.
fn is(text: &str, wanted: Event) -> bool {
    event(text).unwrap_or(Event::Published) == wanted
}

/// Returns the first date in a text that is one of publication or change, as `wanted` says.
fn of_event(sources: &Sources, text: &str, wanted: Event) -> Option<ParsedDate> {
    // Few blocks speak of a change, and to look for dates takes longer.
    let may_be = || wanted != Event::Modified || last_start(&text.to_lowercase(), &MODIFIED_WORDS).is_some();
    if !date_parser::has_year(text) || !may_be() {
        return None;
    }
    let month_first = month_first(sources);
    [month_first, !month_first].into_iter().find_map(|order| {
        let mut from = 0;
        date_parser::all(text, order).find_map(|(at, stamp)| {
            let before = text.get(from..at).unwrap_or_default();
            from = at;
            past(sources, stamp).filter(|_| event(before).unwrap_or(Event::Published) == wanted)
        })
    })
}

/// Returns the date of a sentence about the page itself, as at the foot of blog posts: "This entry was posted on ..."
fn from_sentence(sources: &Sources) -> Option<ParsedDate> {
    let page = sources.page;
    let mut sentences = page.blocks.iter().map(|block| page.text(block)).filter(|text| is_of_page(text));
    sentences.find_map(|text| of_event(sources, text, Event::Published))
}

/// Returns the date of a line at the foot of the text that begins with words for publication.
fn from_foot(sources: &Sources) -> Option<ParsedDate> {
    let (page, surroundings) = (sources.page, sources.surroundings()?);
    // A word and a date have three words at least, and the labels of menus fewer.
    let lines = page.blocks.iter().enumerate().filter(|(_, block)| (3..=MAX_BYLINE_WORDS).contains(&block.words));
    let said = lines.filter_map(|(at, block)| {
        let text = page.text(block);
        let may_have = date_parser::has_year(text) && PUBLISHED_WORDS.begin(text);
        let start = may_have.then(|| date_parser::all(text, false).next())?.map(|(start, _)| start)?;
        let is_said = start <= MAX_LEAD && event(text.get(..start)?) == Some(Event::Published);
        is_said.then_some((at, block))
    });
    // To know what belongs to the headline takes time linear in the page.
    let mut own = said.take(MAX_LINES).filter(|(at, block)| surroundings.own(block.element, *at));
    own.find_map(|(_, block)| of_event(sources, page.text(block), Event::Published))
}

/// Reads the date from the path of the page's URL, such as `/2024/05/18/`.
fn from_url(sources: &Sources) -> Option<ParsedDate> {
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
            return Some(ParsedDate { text: stamp.date.to_string(), ..stamp });
        }
        rest = from.get(2..)?;
    }
}

/// Event whose date a text states: publication, change or another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Published,
    Modified,
    /// Event other than publication or change: a paper was received, a member joined.
    Other,
}

/// Number of bytes before a date that are searched for words that name its event.
const BYTES_BEFORE_DATE: usize = 60;

/// Lower-case words, one line each, after the kind of event they name. They are beginnings of words before a date of
/// publication (`published`), of a change (`modified`) or of another event (`other`). `of-page` lines begin sentences
/// about the page itself.
const WORDS: &str = include_str!("date_words.txt");

static PUBLISHED_WORDS: LazyLock<Words> = LazyLock::new(|| Words::that_say("published"));
static MODIFIED_WORDS: LazyLock<Words> = LazyLock::new(|| Words::that_say("modified"));
static OTHER: LazyLock<Words> = LazyLock::new(|| Words::that_say("other"));
static OF_PAGE: LazyLock<Words> = LazyLock::new(|| Words::that_say("of-page"));

/// Words that name the same kind of event, such as publication.
struct Words {
    all: Vec<&'static str>,
    /// Words of `all` that begin with each ASCII byte, as an index for fast look-up.
    by_first: [Vec<&'static str>; 128],
}

impl Words {
    fn that_say(say: &str) -> Self {
        let lines = WORDS.lines().filter_map(|line| line.strip_prefix(say)?.strip_prefix(' '));
        let all: Vec<&'static str> = lines.collect();
        let begun = |byte| all.iter().filter(|words| words.bytes().next() == Some(byte as u8)).copied().collect();
        Self { by_first: std::array::from_fn(begun), all }
    }

    /// Returns whether a text begins with one of the words, regardless of case.
    fn begin(&self, text: &str) -> bool {
        let text = text.trim_start();
        let starts = |words: &&str| {
            // Nothing is copied.
            let mut lower = text.chars().flat_map(char::to_lowercase);
            words.chars().all(|letter| lower.next() == Some(letter))
        };
        self.from(text).iter().any(starts)
    }

    /// Returns the words with which a text may begin, by its first byte.
    fn from(&self, text: &str) -> &[&'static str] {
        let first = text.bytes().next().unwrap_or_default().to_ascii_lowercase();
        // The small form of another letter may begin with another byte.
        self.by_first.get(usize::from(first)).unwrap_or(&self.all)
    }
}

/// Returns the event that the words directly before a date name, if any. The nearest words decide.
pub(super) fn event(before: &str) -> Option<Event> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(BYTES_BEFORE_DATE));
    let near = before.get(from..)?;
    // Most dates stand alone.
    if !near.chars().any(char::is_alphabetic) {
        return None;
    }
    let near = near.to_lowercase();
    let events = [(Event::Other, &OTHER), (Event::Modified, &MODIFIED_WORDS), (Event::Published, &PUBLISHED_WORDS)];
    let last = events.map(|(event, words)| (last_start(&near, words), event));
    last.into_iter().filter(|(start, _)| start.is_some()).max_by_key(|(start, _)| *start).map(|(_, event)| event)
}

/// Returns whether a text begins like a sentence about the page itself ("This entry was posted").
pub(super) fn is_of_page(text: &str) -> bool {
    OF_PAGE.begin(text)
}

/// Returns the byte offset of the last place in a lower-case text at which one of the words begins.
fn last_start(text: &str, words: &Words) -> Option<usize> {
    let mut from_end = text.char_indices().rev().peekable();
    while let Some((at, letter)) = from_end.next() {
        let follows_letter = from_end.peek().is_some_and(|(_, before)| before.is_alphabetic());
        // Scripts without spaces have no beginnings of words.
        if follows_letter && letter < '\u{e00}' {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        if words.from(rest).iter().any(|word| rest.starts_with(word)) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_words_say_what_a_date_is_of() {
        for (before, expected) in [
            ("Published ", Some(Event::Published)),
            ("Last updated: ", Some(Event::Modified)),
            ("Updated 2 June 2024, first published on ", Some(Event::Published)),
            ("Published by A, updated ", Some(Event::Modified)),
            ("Zuletzt aktualisiert am ", Some(Event::Modified)),
            ("最后更新：", Some(Event::Modified)),
            ("发布于 ", Some(Event::Published)),
            ("Received 2 June 2024, published ", Some(Event::Published)),
            ("Joined: ", Some(Event::Other)),
            ("unpublished ", None),
            ("by A, ", None),
        ] {
            assert_eq!(event(before), expected, "{before}");
        }
        let far = format!("Updated {}", "word ".repeat(20));
        assert_eq!(event(&far), None);
    }

    #[test]
    fn sentences_about_the_page_are_told() {
        assert!(is_of_page("This entry was posted on Monday"));
        assert!(is_of_page(" Dieser Artikel wurde am 14. Dezember 2015 von A geschrieben"));
        assert!(!is_of_page("The entry was wrong"));
        for words in &OF_PAGE.all {
            let upper = words.to_uppercase();
            // Turkish capitals do not tell their small letters.
            assert!(is_of_page(words) && (is_of_page(&upper) || upper.to_lowercase() != *words), "{words}");
        }
    }
}
