//! The lexicon of a model: attribute words and words of the text, with their learned weights.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::{Attribute, AttributeWord};
use trommel_text::word_hash;

use crate::features::hashes::{HashTable, term_hash};

/// A word of an attribute such as `class` that has a feature of its own: 1 where it occurs, otherwise 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListedWord {
    /// Name of the attribute: `id`, `class`, `role` or `itemprop`.
    pub attribute: String,
    /// Word in the attribute's value.
    // The name in files of the first version, which must stay readable.
    #[serde(rename = "token")]
    pub word: String,
    /// Share of content blocks with the word, divided by the share of other blocks with it; below 1 for boilerplate.
    pub odds: f32,
    /// Share of all blocks that carry the word, 0..=1.
    pub share: f32,
}

/// Weight of a term: of an attribute word, or of a word or word pair of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermWeight {
    /// Term in lower case; an attribute word counts in any attribute.
    #[serde(rename = "token")]
    pub term: String,
    /// Natural logarithm of the odds that blocks with the term are content, or have a role; each page counts once.
    pub weight: f32,
}

/// Words that tell the type of a page, with their weights for each type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeWords {
    /// Names of the page types.
    pub types: Vec<String>,
    /// Words of class names and other attributes, and words of addresses.
    pub words: Vec<TypeWord>,
}

impl TypeWords {
    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns whether each word has a finite weight for each type, and the words are not too many to be numbered.
    pub(crate) fn is_sound(&self) -> bool {
        let is_whole = |word: &TypeWord| {
            word.log_odds.len() == self.types.len() && word.log_odds.iter().all(|odds| odds.is_finite())
        };
        self.words.len() <= usize::from(u16::MAX) && self.words.iter().all(is_whole)
    }

    /// Gives the words weights for these types, in this order. A type without weights gets weights of 0.
    pub fn give_types(&mut self, types: &[String]) {
        let places: Vec<Option<usize>> =
            types.iter().map(|name| self.types.iter().position(|known| known == name)).collect();
        for word in &mut self.words {
            let of = |place: &Option<usize>| place.and_then(|at| word.log_odds.get(at)).copied().unwrap_or(0.0);
            word.log_odds = places.iter().map(of).collect();
        }
        self.types = types.to_vec();
    }
}

/// A word that tells the type of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeWord {
    /// Word in lower case; words of addresses begin with a slash, such as `/forum`.
    pub word: String,
    /// Log odds that a page with the word gains for each type.
    pub log_odds: Vec<f32>,
}

/// Returns a table of the weights of terms, by the hash of the term. If a term is given twice, the last weight counts.
fn weight_table(terms: &[TermWeight], hash: impl Fn(&str) -> u64) -> HashTable<f32> {
    let mut weights = HashTable::default();
    weights.reserve(terms.len());
    for term in terms {
        if let Some(weight) = weights.entry(hash(&term.term)) {
            *weight = term.weight;
        }
    }
    weights
}

impl ListedWord {
    /// Returns the name of the word's feature, such as `class:menu`.
    pub fn feature(&self) -> String {
        format!("{}:{}", self.attribute, self.word)
    }
}

/// Learned weights of attribute words and of words of the text, prepared for look-up.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    listed: FxHashMap<(u64, Attribute), usize>,
    /// Names of the features for the presence of one attribute word, such as `class:menu`.
    pub(crate) names: Vec<String>,
    /// Log odds of content by the hash of an attribute word.
    pub(crate) weights: HashTable<f32>,
    /// Log odds of content by the hash of a term of the text.
    pub(crate) words: HashTable<f32>,
    /// Index of each word of `type_words` by its hash.
    type_word_places: HashTable<u16>,
    pub(crate) type_words: TypeWords,
}

impl Lexicon {
    /// Creates the lexicon from the word lists of a model. Listed words of unknown attributes are ignored.
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
            weights: weight_table(weights, |word| word_hash(word.as_bytes())),
            // Keyed by hashes: terms of a page are hashed once, and no text is compared when a page is judged.
            words: weight_table(words, term_hash),
            ..Self::default()
        }
    }

    /// Returns the lexicon with these words that tell the type of a page.
    pub fn with_type_words(mut self, type_words: &TypeWords) -> Self {
        self.type_words = type_words.clone();
        self.type_word_places.reserve(type_words.words.len());
        for (at, word) in (0u16..).zip(&type_words.words) {
            if let Some(place) = self.type_word_places.entry(word_hash(word.word.as_bytes())) {
                *place = at;
            }
        }
        self
    }

    /// Returns the index of the word with this hash among the words that tell page types; `None` if it is not there.
    pub(crate) fn type_word(&self, hash: u64) -> Option<usize> {
        self.type_word_places.get(hash).map(usize::from)
    }

    /// Returns the names of the columns with the log odds of each page type.
    pub(crate) fn type_columns(&self) -> Vec<String> {
        self.type_words.types.iter().map(|page_type| format!("type_words.{page_type}")).collect()
    }

    /// Returns the index of an attribute word among the listed words; `None` if it is not listed.
    pub(crate) fn listed(&self, token: &AttributeWord) -> Option<usize> {
        self.listed.get(&(token.hash, token.attribute)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_without_weights_get_zeros() {
        let word = TypeWord { word: "cart".into(), log_odds: vec![-1.0, 2.0] };
        let mut words = TypeWords { types: vec!["article".into(), "product".into()], words: vec![word] };
        words.give_types(&["forum", "product", "article"].map(str::to_owned));
        assert_eq!(words.words[0].log_odds, [0.0, 2.0, -1.0]);
        assert!(words.is_sound() && words.types == ["forum", "product", "article"]);
    }

    #[test]
    fn terms_have_their_last_weights() {
        let term = |at: u32, weight: u32| TermWeight { term: format!("term{at}"), weight: weight as f32 };
        let terms: Vec<TermWeight> = (0..1000).map(|at| term(at, 0)).chain((0..1000).map(|at| term(at, at))).collect();
        let hash = |term: &str| trommel_text::hash(term.as_bytes());
        let weights = weight_table(&terms, hash);
        for at in 0..2000 {
            assert_eq!(weights.get(hash(&format!("term{at}"))), (at < 1000).then_some(at as f32), "{at}");
        }
        assert_eq!((weights.get(0), weight_table(&[], hash).get(7)), (None, None));
    }
}
