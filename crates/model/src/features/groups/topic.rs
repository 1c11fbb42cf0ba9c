//! Compares the topic of the page with the words of each block. The topic comes from the title, the
//! descriptions and the texts of structured data.

use std::ops::Range;

use trommel_html::Page;
use trommel_html::json_ld::JsonLdKind;

use crate::features::facts::terms::{Sieve, Terms};
use crate::features::group::{Fact, Group, owned, rows};
use crate::features::hash_table::HashTable;
use crate::features::log::log;
use crate::features::word_hash::hashes;
use crate::features::work::count_work;

const NAMES: [&str; 8] = [
    "topic.title_share", "topic.description_share", "topic.description_covered", "topic.description_phrases",
    "topic.body_phrases", "topic.log_description", "topic.log_body", "topic.title_words_per_word",
];

/// The columns about descriptions and structured data.
// Descriptions and JSON-LD are hashed only for models that ask for these columns.
const OF_TEXTS: Range<usize> = 1..7;

/// Words of a phrase.
// Phrases distinguish a text that is repeated from one that only shares words.
const PHRASE_WORDS: usize = 3;

/// Marks of the words of the title, and of the words and phrases of descriptions and of the body.
const TITLE: u8 = 1;
const DESCRIPTION: u8 = 2;
const BODY: u8 = 4;

/// The words and phrases of a head, and how many there are of each kind.
// One table for all kinds: most words of a page are in none, which one look tells.
#[derive(Debug, Default)]
struct HeadTexts {
    words: HashTable<u8>,
    /// Tells most words that are none of them.
    sieve: Sieve,
    phrases: HashTable<u8>,
    described_words: usize,
    described_phrases: usize,
    body_phrases: usize,
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Terms],
    columns: |_| owned(&NAMES),
    on: |facts, asked| {
        let head = HeadTexts::new(facts.page, asked.any(OF_TEXTS));
        rows(move |at| head.features(&facts.terms, at))
    },
};

/// Hashes of the phrases of some words.
#[inline(always)]
fn phrases(hashes: &[u64]) -> impl ExactSizeIterator<Item = u64> {
    // Rotation before each word makes the hash depend on the order of the words.
    let step = |sum: u64| sum.rotate_left(21).wrapping_mul(31);
    hashes.windows(PHRASE_WORDS).map(move |window| match window {
        [first, second, third] => step(step(*first) ^ second) ^ third,
        _ => 0,
    })
}

/// Marks terms, and gives the number of those that did not have the mark.
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
    /// The topic of a page; only the title unless the others are requested.
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
            if text.kind == JsonLdKind::ProductDescription {
                topic.add_description(&words);
            } else {
                topic.body_phrases += add(&mut topic.phrases, phrases(&words), BODY);
            }
        }
        topic
    }

    fn add_description(&mut self, words: &[u64]) {
        self.described_phrases += add(&mut self.phrases, phrases(words), DESCRIPTION);
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
            for marks in phrases(words).filter_map(|phrase| self.phrases.get(phrase)) {
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
}
