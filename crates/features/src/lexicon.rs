//! The lexicon of a model: attribute words and words of the text, with their learned weights.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::{Attribute, AttributeWord};
use trommel_text::word_hash;

use crate::weight_table::{TermWeight, WeightTable};
use crate::word_hash::term_hash;

/// An attribute word with a feature of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListedWord {
    /// `id`, `class`, `role` or `itemprop`.
    pub attribute: String,
    /// The word.
    // The name in files of the first version, which must stay readable.
    #[serde(rename = "token")]
    pub word: String,
    /// Odds of content against other blocks; below 1 for words of boilerplate.
    pub odds: f32,
    /// Share of all blocks that carry it, 0..=1.
    pub share: f32,
}

impl ListedWord {
    /// Name of its feature, such as `class:menu`.
    pub fn feature(&self) -> String {
        format!("{}:{}", self.attribute, self.word)
    }
}

/// The learned weights of attribute words and of words of the text, prepared for look-up.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    listed: FxHashMap<(u64, Attribute), usize>,
    names: Vec<String>,
    weights: WeightTable,
    words: WeightTable,
}

impl Lexicon {
    /// Readies the word lists of a model. Listed words of an attribute unknown here are passed over.
    pub fn new(listed: &[ListedWord], weights: &[TermWeight], words: &[TermWeight]) -> Self {
        let listed_index = listed
            .iter()
            .enumerate()
            .filter_map(|(at, listed_word)| {
                let attribute = Attribute::ALL.into_iter().find(|a| a.name() == listed_word.attribute)?;
                Some(((word_hash(listed_word.word.as_bytes()), attribute), at))
            })
            .collect();
        Self {
            listed: listed_index,
            names: listed.iter().map(ListedWord::feature).collect(),
            weights: WeightTable::new(weights, |word| word_hash(word.as_bytes())),
            // Keyed by hashes: terms of a page are hashed once, and no text is compared when a page is judged.
            words: WeightTable::new(words, term_hash),
        }
    }

    /// Names of the features of the listed words.
    pub(crate) fn listed_names(&self) -> &[String] {
        &self.names
    }

    /// Place of an attribute word among the listed ones.
    pub(crate) fn listed(&self, token: &AttributeWord) -> Option<usize> {
        self.listed.get(&(token.hash, token.attribute)).copied()
    }

    /// Log odds of a term of the text.
    pub(crate) fn word(&self, hash: u64) -> Option<f32> {
        self.words.get(hash)
    }

    /// Log odds of an attribute word.
    pub(crate) fn weight(&self, token: &AttributeWord) -> Option<f32> {
        self.weights.get(token.hash)
    }
}
