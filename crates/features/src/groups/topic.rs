//! Compares the topic of the page with the words of each block. The topic comes from the title, the
//! descriptions and the texts of structured data.

use std::ops::Range;

use trommel_html::Page;
use trommel_html::json_ld::JsonLdKind;

use crate::columns::GroupColumns;
use crate::facts::PageFacts;
use crate::facts::terms::{Sieve, Terms, WordSet};
use crate::group::{Batch, Fact, Fill, Group, RequestedColumns};
use crate::log::log;
use crate::word_hash::hashes;
use crate::work::count_work;

const NAMES: [&str; 8] = [
    "topic.title_share",
    "topic.description_share",
    "topic.description_covered",
    "topic.description_phrases",
    "topic.body_phrases",
    "topic.log_description",
    "topic.log_body",
    "topic.title_words_per_word",
];

/// The columns about descriptions and structured data.
// Descriptions and JSON-LD are hashed only for models that ask for these columns.
const OF_TEXTS: Range<usize> = 1..7;

/// Words of a phrase.
// Phrases distinguish a text that is repeated from one that only shares words.
const PHRASE_WORDS: usize = 3;

/// The texts of a head, as sets of words and phrases.
#[derive(Debug, Default)]
struct HeadTexts {
    title: WordSet,
    description: WordSet,
    /// The sieve for the words of both.
    head: Sieve,
    description_phrases: WordSet,
    body_phrases: WordSet,
    /// The sieve for the phrases of both.
    phrases: Sieve,
}

/// The topic that the head states, for comparison with the blocks of a page.
pub(crate) struct HeadTopic<'a> {
    facts: &'a PageFacts<'a>,
    head: HeadTexts,
}

impl<'a> Group<'a> for HeadTopic<'a> {
    const NEEDS: &'static [Fact] = &[Fact::Terms];
    const NAMES: &'static [&'static str] = &NAMES;

    fn new(facts: &'a PageFacts<'a>, asked: RequestedColumns) -> Self {
        Self { facts, head: HeadTexts::new(facts.page, asked.any(OF_TEXTS)) }
    }
}

impl Fill for HeadTopic<'_> {
    fn fill(&self, _: &Batch, out: &mut GroupColumns) {
        out.put_rows(|at| self.head.features(&self.facts.terms, at));
    }
}

fn phrases(hashes: &[u64]) -> impl Iterator<Item = u64> {
    hashes
        .windows(PHRASE_WORDS)
        .map(|window| window.iter().fold(0u64, |sum, hash| sum.rotate_left(21).wrapping_mul(31) ^ hash))
}

impl HeadTexts {
    /// The topic of a page; only the title unless the others are requested.
    fn new(page: &Page, with_texts: bool) -> Self {
        let mut topic = Self {
            title: WordSet::of(&page.head.title),
            description: WordSet::default(),
            head: Sieve::default(),
            description_phrases: WordSet::default(),
            body_phrases: WordSet::default(),
            phrases: Sieve::default(),
        };
        let names = ["description", "og:description", "twitter:description"];
        for name in names.iter().filter(|_| with_texts) {
            if let Some(text) = page.head.meta(name) {
                let words = hashes(text);
                topic.description_phrases.extend(phrases(&words));
                topic.description.extend(words.iter().copied());
            }
        }
        let texts = with_texts.then(|| page.json_ld().texts());
        for text in texts.into_iter().flatten() {
            let words = hashes(&text.text);
            // A product's description is a summary of its page; other texts of JSON-LD repeat the body itself.
            if text.kind != JsonLdKind::ProductDescription {
                topic.body_phrases.extend(phrases(&words));
                continue;
            }
            topic.description_phrases.extend(phrases(&words));
            topic.description.extend(words.iter().copied());
        }
        topic.head = Sieve::with_capacity(topic.title.len() + topic.description.len());
        for hash in topic.title.iter().chain(topic.description.iter()) {
            topic.head.put(hash);
        }
        let (described, body) = (&topic.description_phrases, &topic.body_phrases);
        topic.phrases = Sieve::with_capacity(described.len() + body.len());
        for hash in described.iter().chain(body.iter()) {
            topic.phrases.put(hash);
        }
        topic
    }

    fn features(&self, terms: &Terms, at: usize) -> [f32; NAMES.len()] {
        let words = terms.words(at);
        count_work(5 * words.len());
        let total = words.len().max(1) as f32;
        let (mut title, mut in_description) = (0u32, 0u32);
        for hash in words {
            // One sieve for both sets: most words are in neither.
            if self.head.may_have(*hash) {
                title += u32::from(self.title.contains(*hash));
                in_description += u32::from(self.description.contains(*hash));
            }
        }
        let (mut described, mut in_body) = (0u32, 0u32);
        if !(self.description_phrases.is_empty() && self.body_phrases.is_empty()) {
            for phrase in phrases(words).filter(|phrase| self.phrases.may_have(*phrase)) {
                described += u32::from(self.description_phrases.contains(phrase));
                in_body += u32::from(self.body_phrases.contains(phrase));
            }
        }
        [
            title as f32 / total,
            in_description as f32 / total,
            described as f32 / self.description_phrases.len().max(1) as f32,
            described as f32 / total,
            in_body as f32 / total,
            log(self.description.len()),
            log(self.body_phrases.len()),
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
