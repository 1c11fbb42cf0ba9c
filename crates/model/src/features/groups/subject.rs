//! Compares the words of each block with what a page states about itself: title, descriptions, structured data.
//!
//! The topic of the page comes from the title, the descriptions and the texts of structured data. Structured data
//! also lists ingredients, steps, questions and answers: a line of three words is content if the page states that
//! it is an ingredient.

use std::ops::Range;

use trommel_html::{Page, json_ld::ContentProperty};

use crate::features::facts::PageFacts;
use crate::features::facts::terms::{SAMPLE_WORDS, Sieve, Terms, WordSet};
use crate::features::groups::{Fill, RequestedColumns, constants, rows};
use crate::features::hashes::{HashTable, hashes, pair_hash, phrases};
use crate::{features::log::log, features::scratch::count_work};

pub(super) const NAMES: [&str; 8] = [
    "topic.title_share", "topic.description_share", "topic.description_covered", "topic.description_phrases",
    "topic.body_phrases", "topic.log_description", "topic.log_body", "topic.title_words_per_word",
];

/// Range in [`NAMES`] of the columns about descriptions and structured data.
// Descriptions and JSON-LD are hashed only for models that ask for these columns.
const OF_TEXTS: Range<usize> = 1..7;

/// Number of words in a phrase; phrases that a block shares with the page's metadata are features.
// Phrases distinguish a text that is repeated from one that only shares words.
const PHRASE_WORDS: usize = 3;

/// Bit that marks words of the title.
const TITLE: u8 = 1;
/// Bit that marks words and phrases of the page's descriptions.
const DESCRIPTION: u8 = 2;
/// Bit that marks phrases of texts in structured data, which repeat the body of the page.
const BODY: u8 = 4;

/// Words and phrases of a page's title, descriptions and structured data, and the number of each kind.
// One table for all kinds: most words of a page are in none, which one look tells.
#[derive(Debug, Default)]
struct HeadTexts {
    words: HashTable<u8>,
    /// Filter that quickly rules out most words that are not in `words`.
    sieve: Sieve,
    phrases: HashTable<u8>,
    described_words: usize,
    described_phrases: usize,
    body_phrases: usize,
}

pub(super) fn topic<'a>(facts: &'a PageFacts<'a>, asked: RequestedColumns<'_>) -> Fill<'a> {
    let head = HeadTexts::new(facts.page, asked.any(OF_TEXTS));
    rows(move |at| head.features(&facts.terms, at))
}

/// Sets the bit `mark` for each of the terms in the table, and returns the number of terms that did not have it.
fn add(table: &mut HashTable<u8>, terms: impl ExactSizeIterator<Item = u64>, mark: u8) -> usize {
    table.reserve(terms.len());
    let mut new = 0;
    for term in terms {
        if let Some(marks) = table.entry(term) {
            new += usize::from(*marks & mark == 0);
            *marks |= mark;
        }
    }
    new
}

impl HeadTexts {
    /// Collects the words of a page's title; `with_texts` adds words and phrases of descriptions and structured data.
    fn new(page: &Page, with_texts: bool) -> Self {
        let mut topic = Self::default();
        topic.add_words(&hashes(&page.head.title), TITLE);
        let names = ["description", "og:description", "twitter:description"];
        for name in names.iter().filter(|_| with_texts) {
            if let Some(text) = page.head.meta(name) {
                topic.add_description(&hashes(text));
            }
        }
        let texts = with_texts.then(|| page.json_ld().texts());
        for text in texts.into_iter().flatten() {
            let words = hashes(&text.text);
            // A product's description is a summary of its page; other texts of JSON-LD repeat the body itself.
            if text.property == ContentProperty::Description {
                topic.add_description(&words);
            } else {
                topic.body_phrases += add(&mut topic.phrases, phrases::<PHRASE_WORDS>(&words), BODY);
            }
        }
        topic
    }

    fn add_description(&mut self, words: &[u64]) {
        self.described_phrases += add(&mut self.phrases, phrases::<PHRASE_WORDS>(words), DESCRIPTION);
        self.described_words += self.add_words(words, DESCRIPTION);
    }

    fn add_words(&mut self, words: &[u64], mark: u8) -> usize {
        words.iter().for_each(|word| self.sieve.put(*word));
        add(&mut self.words, words.iter().copied(), mark)
    }

    fn features(&self, terms: &Terms, at: usize) -> [f32; NAMES.len()] {
        let words = terms.words(at);
        count_work(5 * words.len());
        let total = words.len().max(1) as f32;
        let (mut title, mut in_description) = (0u32, 0u32);
        for word in words.iter().filter(|word| self.sieve.may_have(**word)) {
            if let Some(marks) = self.words.get(*word) {
                title += u32::from(marks & TITLE != 0);
                in_description += u32::from(marks & DESCRIPTION != 0);
            }
        }
        let (mut described, mut in_body) = (0u32, 0u32);
        if self.phrases.len() > 0 {
            for marks in phrases::<PHRASE_WORDS>(words).filter_map(|phrase| self.phrases.get(phrase)) {
                described += u32::from(marks & DESCRIPTION != 0);
                in_body += u32::from(marks & BODY != 0);
            }
        }
        [
            title as f32 / total,
            in_description as f32 / total,
            described as f32 / self.described_phrases.max(1) as f32,
            described as f32 / total,
            in_body as f32 / total,
            log(self.described_words),
            log(self.body_phrases),
            log(title),
        ]
    }
}

pub(super) const STATED_NAMES: [&str; 6] =
    ["stated.same", "stated.pairs", "stated.words", "stated.before", "stated.after", "stated.log_items"];

/// Items that a page's structured data lists, such as ingredients: their number, and hashes of their lines and words.
#[derive(Debug, Default)]
struct Items {
    number: usize,
    lines: WordSet,
    pairs: WordSet,
    words: WordSet,
}

pub(super) fn stated<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    match Items::new(facts.page) {
        // Most pages list nothing, and the columns are then constant.
        items if items.number == 0 => constants([0.0; STATED_NAMES.len()]),
        items => rows(move |at| items.features(&facts.terms, at)),
    }
}

/// Returns the hash of a line of text from the hashes of its first 60 words, as many as are hashed of a block.
fn line(words: &[u64]) -> u64 {
    let words = words.iter().take(SAMPLE_WORDS);
    // By words: markup and punctuation differ between structured data and the page.
    words.fold(0, |sum: u64, word| pair_hash(sum, *word))
}

impl Items {
    fn new(page: &Page) -> Self {
        let mut items = Self::default();
        for item in page.json_ld().items() {
            let words = hashes(&item);
            count_work(words.len());
            items.number += 1;
            items.lines.extend(std::iter::once(line(&words)));
            let pairs = words.windows(2).map(|pair| match pair {
                [first, second] => pair_hash(*first, *second),
                _ => 0,
            });
            items.pairs.extend(pairs);
            items.words.extend(words.iter().copied());
        }
        items
    }

    /// Returns 1 if a block equals a listed item, otherwise 0, and the share of its word pairs found in listed items.
    fn listed(&self, terms: &Terms, at: usize) -> (f32, f32) {
        let words = terms.words(at);
        if words.is_empty() {
            return (0.0, 0.0);
        }
        let is_same = self.lines.contains(line(words));
        let pairs = terms.pairs(at);
        let known = pairs.iter().filter(|pair| self.pairs.contains(**pair));
        let share = known.count() as f32 / pairs.len().max(1) as f32;
        count_work(words.len() + pairs.len());
        (f32::from(u8::from(is_same)), share)
    }

    fn features(&self, terms: &Terms, at: usize) -> [f32; STATED_NAMES.len()] {
        let (same, pairs) = self.listed(terms, at);
        let words = terms.words(at);
        let known = words.iter().filter(|word| self.words.contains(**word));
        // Pages add lines of their own to a list; stated neighbours show that they belong to it.
        let beside = |at: Option<usize>| {
            let (same, pairs) = at.map_or((0.0, 0.0), |at| self.listed(terms, at));
            same.max(pairs)
        };
        [
            same,
            pairs,
            known.count() as f32 / words.len().max(1) as f32,
            beside(at.checked_sub(1)),
            beside(at.checked_add(1)),
            log(self.number as f64),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn blocks_of_the_topic_are_told() {
        let page = ScanEngine.read(
            "<title>Red apples</title><meta name=description content='All about red apples and pears.'>\
             <p>Home page</p><p>Here is all about red apples</p>",
            &Limits::default(),
        );
        let topic = HeadTexts::new(&page, true);
        let terms = Terms::new(&page, &trommel_text::TextMasks::of(page.texts()));
        let value = |block: usize, name: &str| {
            let at = NAMES.iter().position(|n| *n == name).unwrap();
            topic.features(&terms, block)[at]
        };
        assert_eq!((value(0, "topic.description_share"), value(1, "topic.description_share")), (0.0, 4.0 / 6.0));
        assert_eq!(value(1, "topic.title_share"), 2.0 / 6.0);
        assert_eq!(value(1, "topic.description_phrases"), 2.0 / 6.0);
        assert_eq!(value(1, "topic.description_covered"), 0.5);
    }

    #[test]
    fn listed_items_are_told_from_other_lines() {
        let page = ScanEngine.read(
            r#"<script type=application/ld+json>{"@type":"Recipe","recipeIngredient":["Salt","2 cups of flour"]}</script>
            <ul><li>Home<li>Salt<li>2 cups of flour, sifted<li>Print</ul>"#,
            &Limits::default(),
        );
        let items = Items::new(&page);
        let terms = Terms::new(&page, &trommel_text::TextMasks::of(page.texts()));
        let rows: Vec<_> = (0..4).map(|at| items.features(&terms, at)).collect();
        let column = |name: &str| {
            let at = STATED_NAMES.iter().position(|known| *known == name).unwrap();
            rows.iter().map(|row| row[at]).collect::<Vec<f32>>()
        };
        assert_eq!(column("stated.same"), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(column("stated.pairs"), [0.0, 0.0, 0.75, 0.0]);
        assert_eq!(column("stated.words"), [0.0, 1.0, 0.8, 0.0]);
        assert_eq!(column("stated.before"), [0.0, 0.0, 1.0, 0.75]);
        assert_eq!(column("stated.after"), [1.0, 0.75, 0.0, 0.0]);
        assert_eq!(rows[0][5], log(2u32));
    }

    #[test]
    fn pages_without_items_have_none() {
        let page = ScanEngine.read("<p>2 cups of flour</p>", &Limits::default());
        assert_eq!(Items::new(&page).number, 0);
    }
}
