//! Learns weights of attribute words and text words from training pages, and builds the training table with them.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::Attribute;
use trommel_model::KnownWords;
use trommel_model::features::{FeatureGroup, FeatureMatrix, ListedWord, Schema, TermWeight, TypeWords, terms};

use super::{table::BlockTable, training_pages::Labelled, type_words::learn_type_words};
use crate::error::LearnError;
use crate::labelled_pages::{Example, by_group};

/// Minimum odds for or against content at which an `id` or `class` word is listed (Peters and Lecocq, WWW 2013).
const ODDS: f64 = 2.5;
/// Minimum share of content blocks, or of other blocks, that have an `id` or `class` word; rarer words are not listed
/// (Peters and Lecocq 2013).
const SHARE: f64 = 0.01;
/// Minimum number of hosts that use an `id` or `class` word; words of fewer hosts are not listed. Peters and Lecocq
/// picked words "with an obvious meaning" by hand, and words of few sites have none.
const HOSTS: usize = 5;
/// Minimum share of all hosts that use an `id` or `class` word; rarer words are not listed.
const HOST_SHARE: f64 = 0.01;
/// Minimum number of pages with an `id` or `class` word; words on fewer pages get no weight.
const PAGES: f64 = 4.0;
/// Maximum absolute value of a word's weight, in log odds.
const WEIGHT: f64 = 3.0;
/// Number of innermost elements around a block whose attribute words get weights.
const PATH: usize = 6;

/// Votes on whether a word marks content: total weights of content and other blocks with the word, and its hosts.
#[derive(Default)]
struct Votes<'a> {
    content: f64,
    other: f64,
    hosts: FxHashSet<&'a str>,
}

impl Votes<'_> {
    fn add(&mut self, is_content: bool, weight: f64) {
        *(if is_content { &mut self.content } else { &mut self.other }) += weight;
    }

    /// Adds the vote of one page: a total of 1, divided between content and other blocks as in `page`.
    fn add_share(&mut self, page: &Votes) {
        let share = page.content / (page.content + page.other).max(f64::MIN_POSITIVE);
        self.content += share;
        self.other += 1.0 - share;
    }

    /// Returns the weight of the word: its log odds of content, limited to ±3.
    fn weight(&self) -> f32 {
        ((self.content + 0.5) / (self.other + 0.5)).ln().clamp(-WEIGHT, WEIGHT) as f32
    }
}

/// Returns the attribute words that the rule of Peters and Lecocq (2013) selects. Their odds between content and other
/// blocks are above 2.5 (or below 1/2.5), on more than 1 % of content or of other blocks. At least five hosts and 1 %
/// of all hosts use them. Only `id` and `class` count, from the elements around a block and the inline elements in it.
/// The words are sorted by attribute and word.
pub fn list(examples: &[Example]) -> Vec<ListedWord> {
    let mut counts: BTreeMap<(Attribute, String), Votes> = BTreeMap::new();
    let mut all = Votes::default();
    for example in examples {
        let page = example.page;
        let mut on_page: FxHashMap<(Attribute, u64), (Votes, &str)> = FxHashMap::default();
        for (block, label) in page.blocks.iter().zip(example.labels) {
            all.add(*label, 1.0);
            let mut seen: FxHashSet<(Attribute, u64)> = FxHashSet::default();
            let around = page.path(block.element).map(|(_, element)| element);
            let inside = page.inline(block).iter().filter_map(|at| page.element(*at));
            for token in around.chain(inside).flat_map(|element| page.attribute_words(element)) {
                let key = (token.attribute, token.hash);
                if matches!(token.attribute, Attribute::Id | Attribute::Class) && seen.insert(key) {
                    let (count, _) = on_page.entry(key).or_insert_with(|| (Votes::default(), page.word_text(token)));
                    count.add(*label, 1.0);
                }
            }
        }
        for ((attribute, _), (of_page, text)) in on_page {
            let count = counts.entry((attribute, text.to_owned())).or_default();
            count.content += of_page.content;
            count.other += of_page.other;
            count.hosts.insert(example.group);
        }
    }
    let blocks = all.content + all.other;
    let hosts: FxHashSet<&str> = examples.iter().map(|example| example.group).collect();
    let least = HOSTS.max((hosts.len() as f64 * HOST_SHARE).ceil() as usize);
    counts
        .into_iter()
        .filter_map(|((attribute, token), count)| {
            let share = |part: f64, whole: f64| (part + 0.5) / (whole + 1.0);
            let (in_content, against) = (share(count.content, all.content), share(count.other, all.other));
            let odds = in_content / against;
            let strong = !(1.0 / ODDS..=ODDS).contains(&odds);
            let common = in_content > SHARE || against > SHARE;
            (strong && common && count.hosts.len() >= least).then(|| ListedWord {
                attribute: attribute.name().to_owned(),
                word: token,
                odds: odds as f32,
                share: ((count.content + count.other) / blocks) as f32,
            })
        })
        .collect()
}

/// Returns the weight of every attribute word on at least four pages: its log odds of content. Each page has one vote
/// for each word, divided between content and the rest by the square roots of the words of the blocks with it. Sorted
/// by attribute word.
pub(super) fn weigh(examples: &[Example]) -> Vec<TermWeight> {
    let mut votes: BTreeMap<&str, Votes> = BTreeMap::new();
    for example in examples {
        let page = example.page;
        let mut on_page: FxHashMap<u64, (Votes, &str)> = FxHashMap::default();
        let mut tokens_of: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for (block, label) in page.blocks.iter().zip(example.labels) {
            let weight = f64::from(block.words).sqrt();
            let hashes = tokens_of.entry(block.element).or_insert_with(|| {
                let mut hashes = Vec::new();
                for (_, element) in page.path(block.element).take(PATH) {
                    for token in page.attribute_words(element) {
                        if !hashes.contains(&token.hash) {
                            hashes.push(token.hash);
                            on_page.entry(token.hash).or_insert_with(|| (Votes::default(), page.word_text(token)));
                        }
                    }
                }
                hashes
            });
            for hash in hashes.iter() {
                if let Some((count, _)) = on_page.get_mut(hash) {
                    count.add(*label, weight);
                }
            }
        }
        for (of_page, text) in on_page.into_values() {
            votes.entry(text).or_default().add_share(&of_page);
        }
    }
    votes
        .into_iter()
        .filter(|(_, vote)| vote.content + vote.other >= PAGES - 1e-9)
        .map(|(token, vote)| TermWeight { term: token.to_owned(), weight: vote.weight() })
        .collect()
}

/// Maximum number of words of a short block; the weights of text words are learned only from short blocks.
const SHORT: u32 = 24;
/// Minimum number of hosts that use a word or word pair; rarer ones get no weight.
const WORD_HOSTS: usize = 6;

/// Returns the weights of words and word pairs at the start of short blocks: their log odds of content. Each page has
/// one vote for each term, divided between content and the rest by the blocks with the term. Terms on fewer than six
/// hosts get no weight. Sorted by term.
pub(super) fn weigh_words(examples: &[Example]) -> Vec<TermWeight> {
    let mut votes: FxHashMap<u64, (String, Votes)> = FxHashMap::default();
    for example in examples {
        let mut on_page: FxHashMap<u64, Votes> = FxHashMap::default();
        for (block, label) in example.page.blocks.iter().zip(example.labels) {
            if block.words > SHORT {
                continue;
            }
            terms(example.page, block, |hash, term| {
                on_page.entry(hash).or_default().add(*label, 1.0);
                votes.entry(hash).or_insert_with(|| (term.to_owned(), Votes::default()));
            });
        }
        for (hash, of_page) in on_page {
            if let Some((_, vote)) = votes.get_mut(&hash) {
                vote.add_share(&of_page);
                vote.hosts.insert(example.group);
            }
        }
    }
    let mut weights: Vec<TermWeight> = votes
        .into_values()
        .filter(|(_, vote)| vote.hosts.len() >= WORD_HOSTS)
        .map(|(token, vote)| TermWeight { weight: vote.weight(), term: token })
        .collect();
    weights.sort_by(|a, b| a.term.cmp(&b.term));
    weights
}

/// Number of parts into which training pages are divided to learn word weights. The features of a page use weights from
/// the other parts, so the model does not learn to trust words on only a few pages.
const CROSS_FIT: usize = 4;
/// Maximum number of blocks of one page in the training table; of a longer page, a random sample is taken.
const MAX_ROWS: usize = 200;
/// Number of training pages out of which [`MASKED`] are trained without word weights, because new pages may have no
/// known words, above all in another language.
const MASK: u64 = 10;
/// Number of pages out of ten that are trained without weights of attribute words; as many without those of text words.
const MASKED: u64 = 3;

/// Name of the feature column with the share of a block's words and word pairs that have a learned weight.
const KNOWN_WORDS_COLUMN: &str = "wording.known";
/// Maximum number of pages for estimating the median share of known words.
const MAX_PAGES: usize = 400;

/// Word lists that were learned from training pages, and the feature schema that uses them.
pub(crate) struct LearnedLists {
    pub listed: Vec<ListedWord>,
    pub weights: Vec<TermWeight>,
    pub words: Vec<TermWeight>,
    pub type_words: TypeWords,
    pub schema: Schema,
}

fn learn_weights(
    groups: &[FeatureGroup],
    pages: &[&Labelled],
) -> Result<(Vec<TermWeight>, Vec<TermWeight>, TypeWords), LearnError> {
    let uses = |group: FeatureGroup| groups.contains(&group);
    let examples: Vec<Example> = pages.iter().map(|page| page.example()).collect();
    Ok((
        if uses(FeatureGroup::PathWeights) { weigh(&examples) } else { Vec::new() },
        if uses(FeatureGroup::Wording) { weigh_words(&examples) } else { Vec::new() },
        if uses(FeatureGroup::TypeWords) { learn_type_words(pages)? } else { TypeWords::default() },
    ))
}

impl LearnedLists {
    pub fn new(pages: &[&Labelled], groups: &[FeatureGroup]) -> Result<Self, LearnError> {
        let examples = || pages.iter().map(|page| page.example()).collect::<Vec<_>>();
        let listed = if groups.contains(&FeatureGroup::ListedWords) { list(&examples()) } else { Vec::new() };
        let (weights, words, type_words) = learn_weights(groups, pages)?;
        let schema = Schema::with_type_words(groups, &listed, &weights, &words, &type_words);
        Ok(Self { listed, weights, words, type_words, schema })
    }

    /// Returns the share of a page's words that have a learned weight, given the feature rows of its blocks.
    pub fn known_words(&self, page: &Labelled, rows: &FeatureMatrix) -> KnownWords {
        let mut known = KnownWords::default();
        if let Some(column) = self.schema.names().iter().position(|name| name == KNOWN_WORDS_COLUMN) {
            let shares = rows.iter().map(|row| row.get(column).copied().unwrap_or_default());
            page.page.page.blocks.iter().zip(shares).for_each(|(block, share)| known.add(block.words, share));
        }
        known
    }

    /// Returns the median over the pages (at most [`MAX_PAGES`]) of the share of words that have a learned weight.
    pub fn usual_known_words(&self, pages: &[&Labelled]) -> f32 {
        let drawn = pages.par_iter().step_by(pages.len().div_ceil(MAX_PAGES).max(1));
        let mut shares: Vec<f32> = drawn.map(|page| self.known_words(page, &page.rows(&self.schema)).share()).collect();
        shares.sort_unstable_by(f32::total_cmp);
        shares.get(shares.len() / 2).copied().unwrap_or_default()
    }

    /// Builds the training table of these pages, with the features of these groups.
    pub fn table(&self, pages: &[&Labelled], groups: &[FeatureGroup]) -> Result<BlockTable, LearnError> {
        // Random parts of long pages teach as much as the whole of them.
        let mut table = BlockTable::new(self.schema.names().len(), MAX_ROWS);
        let is_cross_fitted = groups.contains(&FeatureGroup::PathWeights) || groups.contains(&FeatureGroup::Wording);
        let parts = if is_cross_fitted { CROSS_FIT } else { 1 };
        let hosts: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
        let part_of = by_group(&hosts, parts);
        let schemas = (0..parts).map(|part| {
            if !is_cross_fitted {
                return Ok(self.schema.clone());
            }
            let others: Vec<&Labelled> =
                pages.iter().zip(&part_of).filter(|(_, of)| **of != part).map(|(page, _)| *page).collect();
            let (weights, words, mut type_words) = learn_weights(groups, &others)?;
            // A part without pages of some type must not lack its column.
            type_words.give_types(&self.type_words.types);
            Ok(Schema::with_type_words(groups, &self.listed, &weights, &words, &type_words))
        });
        let schemas: Vec<Schema> = schemas.collect::<Result<_, LearnError>>()?;
        let names = self.schema.names();
        let beginning_with = |prefix| -> Vec<usize> {
            (0..).zip(names).filter(|(_, name)| name.starts_with(prefix)).map(|(at, _)| at).collect()
        };
        let masks = ["weights.", "wording."].map(beginning_with);
        let sets = pages.iter().map(|page| page.set + 1).max().unwrap_or(0);
        let mut sizes = vec![0.0f64; sets];
        pages.iter().for_each(|page| sizes[page.set] += page.share);
        for (number, (page, part)) in pages.iter().zip(part_of).enumerate() {
            let Some(schema) = schemas.get(part) else { continue };
            let from = table.data.len();
            let rows: Vec<f32> = page.rows(schema).iter().flatten().copied().collect();
            table.push_page(number, page, &rows, sizes[page.set].sqrt());
            for (salt, columns) in (0u64..).zip(&masks) {
                let id = page.page.gold.record_id.as_bytes();
                let draw = trommel_text::hash(id).rotate_left(11) ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                if trommel_text::hash(&draw.to_le_bytes()) % MASK >= MASKED {
                    continue;
                }
                for row in table.data[from..].chunks_exact_mut(names.len()) {
                    columns.iter().for_each(|column| row[*column] = 0.0);
                }
            }
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_pages;

    #[test]
    fn tokens_of_content_and_of_menus_are_told_apart() {
        let html = "<div class='top-menu x9'><p>a</p></div><div class=story id=story><p>b c</p></div><div class=both><p>d</p><p>e</p></div>";
        let page = test_pages::read(html);
        let labels = [false, true, true, false];
        let hosts: Vec<String> = (0..6).map(|host| host.to_string()).collect();
        let examples: Vec<Example> =
            hosts.iter().map(|group| Example { page: &page, labels: &labels, group }).collect();
        let listed = list(&examples);
        let names: Vec<String> = listed.iter().map(ListedWord::feature).collect();
        assert_eq!(names, ["id:story", "class:menu", "class:story", "class:top"]);
        assert!(listed[0].odds > ODDS as f32 && listed[1].odds < 1.0 / ODDS as f32);
        assert!((listed[1].share - 0.25).abs() < 1e-6);
        // Four hosts are too few to give a token a meaning of its own, but enough for a weight.
        assert!(list(&examples[..4]).is_empty());
        let weights = weigh(&examples[..4]);
        let weight = |token: &str| weights.iter().find(|w| w.term == token).map(|w| w.weight).unwrap();
        assert!(weight("menu") < -1.0 && weight("story") > 1.0 && weight("both").abs() < 0.01);
        assert!(weigh(&examples[..3]).is_empty());
    }
}
