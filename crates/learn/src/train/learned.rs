//! Learns the weights of attribute words and wording from the training pages, and makes the rows of the pages
//! with them.

use rayon::prelude::*;
use trommel_model::KnownWords;
use trommel_model::features::{FeatureGroup, FeatureMatrix, ListedWord, Schema, TermWeight};

use super::labelled::Labelled;
use super::lexicon;
use super::table::BlockTable;
use crate::example::Example;
use crate::folds::by_group;

/// The number of parts into which the training pages are divided to learn token weights. The features of a
/// page use weights from the other parts, so a token on only a few training pages cannot teach the model to
/// trust it blindly.
const CROSS_FIT: usize = 4;
/// Rows that a page gives at most.
const MAX_ROWS: usize = 200;
/// Out of this number of pages, three lose their attribute tokens and three their wording. New pages may have no known
/// ones, above all in another language.
const MASK: u64 = 10;
const MASKED: u64 = 3;

/// Column that tells which share of the terms of a block have a weight.
const KNOWN_WORDS_COLUMN: &str = "wording.known";
/// Pages by which the usual share of known words is told.
const MAX_PAGES: usize = 400;

/// Token lists learned from training pages, and the schema with them.
pub(crate) struct LearnedLists {
    pub listed: Vec<ListedWord>,
    pub weights: Vec<TermWeight>,
    pub words: Vec<TermWeight>,
    pub schema: Schema,
}

fn learn_weights(groups: &[FeatureGroup], examples: &[Example]) -> (Vec<TermWeight>, Vec<TermWeight>) {
    let uses = |group: FeatureGroup| groups.contains(&group);
    (
        if uses(FeatureGroup::PathWeights) { lexicon::weigh(examples) } else { Vec::new() },
        if uses(FeatureGroup::Wording) { lexicon::weigh_words(examples) } else { Vec::new() },
    )
}

impl LearnedLists {
    pub fn new(pages: &[&Labelled], groups: &[FeatureGroup]) -> Self {
        let examples: Vec<Example> = pages.iter().map(|page| page.example()).collect();
        let listed = if groups.contains(&FeatureGroup::ListedWords) { lexicon::list(&examples) } else { Vec::new() };
        let (weights, words) = learn_weights(groups, &examples);
        let schema = Schema::new(groups, &listed, &weights, &words);
        Self { listed, weights, words, schema }
    }

    /// The words of a page that have a weight, given its rows.
    pub fn known_words(&self, page: &Labelled, rows: &FeatureMatrix) -> KnownWords {
        let mut known = KnownWords::default();
        if let Some(column) = self.schema.names().iter().position(|name| name == KNOWN_WORDS_COLUMN) {
            let shares = rows.iter().map(|row| row.get(column).copied().unwrap_or_default());
            page.page.page.blocks.iter().zip(shares).for_each(|(block, share)| known.add(block.words, share));
        }
        known
    }

    /// The median share of known words of the pages.
    pub fn usual_known_words(&self, pages: &[&Labelled]) -> f32 {
        let drawn = pages.par_iter().step_by(pages.len().div_ceil(MAX_PAGES).max(1));
        let mut shares: Vec<f32> = drawn.map(|page| self.known_words(page, &page.rows(&self.schema)).share()).collect();
        shares.sort_unstable_by(f32::total_cmp);
        shares.get(shares.len() / 2).copied().unwrap_or_default()
    }

    /// The rows of the training pages.
    pub fn table(&self, pages: &[&Labelled], groups: &[FeatureGroup]) -> BlockTable {
        // Random parts of long pages teach as much as the whole of them.
        let mut table = BlockTable::new(self.schema.names().len(), MAX_ROWS);
        let is_cross_fitted = groups.contains(&FeatureGroup::PathWeights) || groups.contains(&FeatureGroup::Wording);
        let parts = if is_cross_fitted { CROSS_FIT } else { 1 };
        let hosts: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
        let part_of = by_group(&hosts, parts);
        let schemas: Vec<Schema> = (0..parts)
            .map(|part| {
                if !is_cross_fitted {
                    return self.schema.clone();
                }
                let others: Vec<Example> =
                    pages.iter().zip(&part_of).filter(|(_, of)| **of != part).map(|(page, _)| page.example()).collect();
                let (weights, words) = learn_weights(groups, &others);
                Schema::new(groups, &self.listed, &weights, &words)
            })
            .collect();
        let names = self.schema.names();
        let masks: Vec<Vec<usize>> = ["weights.", "wording."]
            .iter()
            .map(|prefix| {
                (0..names.len()).filter(|at| names.get(*at).is_some_and(|name| name.starts_with(prefix))).collect()
            })
            .collect();
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
        table
    }
}
