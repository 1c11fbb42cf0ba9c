//! Reads the metadata of a page: title, authors, dates, site, description, address.
//!
//! Each of them has a module that knows its sources, best first: JSON-LD, `<meta>`, microdata, and markup near the
//! headline. Two short texts are alike to a measured degree.

mod author;
pub(crate) mod date_parser;
mod headline_surroundings;
pub(crate) mod language;
mod person_names;
mod publication_dates;
pub(crate) mod site;
mod sources;
mod title;

use std::borrow::Cow;

use trommel_html::{Page, fold_space};
use trommel_text::{EMPTY_HASH, hash_step, without_controls, words};

use crate::{Document, hints::Hints};
use sources::Sources;

/// Returns whether a page writes numeric dates as month/day/year.
pub(crate) fn month_first(html: &str, page: &Page, hints: &Hints) -> bool {
    publication_dates::month_first(&Sources::new(html, page, page.json_ld().graph(), hints))
}

/// Selection of the metadata that [`read`] takes from a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facts {
    /// Title, declared language, dates, authors, description, canonical address and site.
    All,
    /// Title, declared language and date of publication.
    Dated,
    /// Title and declared language.
    Title,
}

/// Reads the title and other facts that a page states about itself. `html` is the decoded source, `page` the parsed
/// page, and `headline` the index of the block that was judged to be the headline.
pub(crate) fn read(html: &str, page: &Page, hints: &Hints, headline: Option<usize>, facts: Facts) -> Document {
    let mut sources = Sources::new(html, page, page.json_ld().graph(), hints);
    // Site before title before authors: each is cleaned of the one before.
    let site = site::site(&sources);
    let names = site::keys(&sources, site.as_deref());
    let title = title::title(&sources, &names);
    let mut document = Document::default();
    if facts != Facts::Title {
        // Set only now: bylines and dates are looked for around the block that says the title.
        sources.headline = headline_surroundings::anchor(page, headline, title.as_deref());
        document.published = publication_dates::published(&sources);
    }
    if facts == Facts::All {
        document.author = author::authors(&sources, &names).into_iter().filter_map(readable).collect();
        document.modified = publication_dates::modified(&sources);
        document.description = site::description(&sources).and_then(readable);
        document.canonical = site::canonical(&sources);
        document.site = site.and_then(readable);
    }
    Document { title: title.and_then(readable), lang_declared: sources.language, ..document }
}

/// Returns the author's name in the byline of a post, even a user name. Returns `None` if the text is longer than names
/// are.
pub(crate) fn pen_name(text: &str) -> Option<String> {
    person_names::pen_name(text).and_then(readable)
}

/// Returns the first date in a text as ISO 8601. Numeric dates are read as month/day/year if `month_first` is true.
pub(crate) fn date_in(text: &str, month_first: bool) -> Option<String> {
    date_parser::find(text, month_first).map(|stamp| stamp.text)
}

/// Returns whether the first date with slashes in a text is month/day/year; `None` if there is none or it is unclear.
pub(crate) fn says_month_first(text: &str) -> Option<bool> {
    date_parser::says_month_first(text)
}

/// Returns a line without control characters, or `None` if nothing else is in the line.
fn readable(line: String) -> Option<String> {
    let clean = match without_controls(&line) {
        Cow::Borrowed(_) => line,
        Cow::Owned(clean) => fold_space(&clean),
    };
    (!clean.is_empty()).then_some(clean)
}

/// Maximum number of words of a text that are compared with a title.
const COMPARED_WORDS: usize = 80;

/// Set of the words of a title, regardless of case, order and repetition. Hundreds of texts of a page may be compared
/// with its title, so the words are stored without heap memory.
#[derive(Clone, Debug)]
pub(crate) struct TitleWords {
    /// Hashes of the different words, in ascending order. Only the first `different` entries are used.
    // On the stack: hundreds of blocks of a page are compared with its title.
    hashes: [u64; COMPARED_WORDS],
    different: usize,
}

impl TitleWords {
    pub fn of(text: &str) -> Self {
        let mut title_words = Self { hashes: [0; COMPARED_WORDS], different: 0 };
        for hash in words::words(text, words::Rule::Characters).map(hash).take(COMPARED_WORDS) {
            if let Err(at) = title_words.different().binary_search(&hash) {
                title_words.hashes.copy_within(at..title_words.different, at + 1);
                title_words.hashes[at] = hash;
                title_words.different += 1;
            }
        }
        title_words
    }

    /// Returns the number of different words of the title.
    pub fn different_words(&self) -> usize {
        self.different
    }

    fn different(&self) -> &[u64] {
        self.hashes.get(..self.different).unwrap_or_default()
    }

    /// Returns Dice's coefficient of the words of two titles: the share (0 to 1) of their words that both contain.
    pub fn like(&self, other: &Self) -> f32 {
        let all = self.different + other.different;
        if all == 0 {
            return 0.0;
        }
        let (ours, theirs) = (self.different(), other.different());
        let shared = ours.iter().filter(|hash| theirs.binary_search(hash).is_ok());
        let shared = shared.count();
        // Dice's coefficient, so that a title within a long text is not alike to it.
        2.0 * shared as f32 / all as f32
    }
}

/// Returns the hash of a word in lower case, letter by letter.
fn hash(word: &str) -> u64 {
    if word.is_ascii() {
        let lower = word.bytes().map(|byte| byte.to_ascii_lowercase());
        return lower.fold(EMPTY_HASH, hash_step);
    }
    let mut utf8 = [0; 4];
    word.chars().flat_map(char::to_lowercase).fold(EMPTY_HASH, |before, c| {
        let bytes = c.encode_utf8(&mut utf8).bytes();
        bytes.fold(before, hash_step)
    })
}

/// Returns the word overlap of two texts (0 to 1), as [`TitleWords::like`] does.
pub(crate) fn overlap(one: &str, other: &str) -> f32 {
    TitleWords::of(one).like(&TitleWords::of(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// Reads the title and metadata of a page whose headline the model judges first, as for served pages.
    pub(super) fn read_judged(html: &str, hints: &Hints) -> Document {
        static MODEL: LazyLock<Model> = LazyLock::new(|| Model::builtin("fast").unwrap());
        let page = ScanEngine.read(html, &Limits::default());
        let headline = MODEL.judge(&page, hints.url).headline;
        read(html, &page, hints, headline, Facts::All)
    }

    #[test]
    fn fields_of_pages_are_those_of_the_rows() {
        crate::rows::check("src/metadata/pages.txt", |section, html| {
            let (field, url) = section.split_once(' ').map_or((section, None), |(field, url)| (field, Some(url)));
            let hints = Hints { url, date: Some("2024-06-01T00:00:00Z"), ..Hints::default() };
            let found = read_judged(html, &hints);
            let text = match field {
                "title" => found.title,
                "authors" => Some(found.author.join(" | ")),
                "canonical" => found.canonical,
                "description" => found.description,
                "site" => found.site,
                _ => Some([found.published, found.modified].into_iter().flatten().collect::<Vec<_>>().join(" | ")),
            };
            text.unwrap_or_default()
        });
    }

    #[test]
    fn nothing_that_is_given_steers_a_terminal_or_the_order_of_letters() {
        let bad = "\u{1b}]0;x\u{7}\u{202e}\u{2066}\u{0}\u{9b}31m";
        let ld = r#"{"@type":"Article","headline":"One\u001b[31m two\u202e","author":{"name":"Jane\u0007 Roe\u0000"}}"#;
        let html = format!(
            "<title>A{bad}B c d</title><meta property=og:site_name content='S{bad}T'>\
             <meta name=description content='D{bad}E'><link rel=canonical href='https://a.example/{bad}'>\
             <script type=application/ld+json>{ld}</script><h1>One{bad} two</h1><p>x"
        );
        for page in [html.clone(), html.replace(ld, "{}")] {
            let hints = Hints { url: Some("https://a.example/"), ..Hints::default() };
            let metadata = read_judged(&page, &hints);
            let all = format!("{}{metadata:?}", metadata.title.clone().unwrap_or_default());
            assert_eq!(without_controls(&all), all);
            assert!(metadata.title.is_some_and(|title| title.starts_with("One")));
            assert_eq!(metadata.site.as_deref(), Some("S]0;x31mT"));
        }
    }

    #[test]
    fn overlap_is_of_words() {
        assert_eq!(overlap("Two words", "two WORDS!"), 1.0);
        assert_eq!(overlap("two words", "two things"), 0.5);
        assert_eq!(overlap("日本", "日 x"), 0.5);
        assert_eq!(overlap("", ""), 0.0);
        assert_eq!(overlap("two two two words words", "two"), 2.0 / 3.0);
        let many: String = (0..200).map(|at| format!("w{} ", at % 90)).collect();
        assert_eq!(overlap(&many, "w79 w80"), 2.0 / 82.0);
    }
}
