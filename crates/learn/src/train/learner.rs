//! Fits the scorers of each kind of model: linear, additive, or additive with boosted trees.
//!
//! Trees of two questions are written as an equivalent logistic model over bins and crosses.

use std::collections::BTreeMap;

use trommel_model::{Additive, ColumnWeight, Cross, Linear, Scorer, StepFunction, TreeNode, Trees, WeightedScorer};

use super::boost::{BoostOptions, boost, boost_seeds};
use super::logistic::{Fit, Sample, fit_weighted};
use super::table::{Binned, BlockTable};
use super::{ADDRESS, Learner, Weighting};
use crate::error::LearnError;

/// L2 penalty on the leaf values of the boosted trees that become an additive model.
pub(super) const ADDITIVE_PENALTY: f64 = 5.0;
/// Maximum number of bins into which a column is divided.
pub(super) const BINS: usize = 64;
/// Boosting options for an additive model: trees of depth two, which are equivalent to weights of bins and of pairs of
/// bins. Such a model fitted all at once by L-BFGS scored less on pages of other hosts.
const PAIRS: BoostOptions = BoostOptions {
    trees: 500,
    leaves: 4,
    depth: 2,
    rate: 0.15,
    least_rows: 40,
    penalty: ADDITIVE_PENALTY,
    columns: 0.3,
    rows: 0.5,
    seed: 1,
};

/// Boosting options for the additive model of `lite`, and for the additive part of `fast`.
const LITE: BoostOptions = BoostOptions { trees: 400, ..PAIRS };

/// Prefixes of the columns that the model `lite` does not use, because each needs another pass over the page.
const NOT_IN_LITE: [&str; 7] = [
    "tag_ratio.", "position.log_repeats", "position.seen_before", "position.log_like", "position.like_words",
    "position.title_share", "position.share_in_title",
];

/// Number of seeds over which an additive model is averaged.
pub(super) const SEEDS: u16 = 3;

/// Boosting options for quick additive models, which label unlabelled blocks and score roles and kinds of pages: fewer
/// trees with larger steps.
const SKETCH: BoostOptions = BoostOptions { trees: 150, rate: 0.3, rows: 0.5, ..PAIRS };

/// Fits a quick additive model, such as one that labels the unlabelled blocks of partly labelled pages.
///
/// # Errors
/// Fails if there is nothing to learn from.
pub(super) fn sketch(table: &BlockTable) -> Result<Additive, LearnError> {
    let binned = Binned::new(&table.data, table.width, &table.weights, BINS);
    sketch_of(&binned, &table.labels, &table.weights, 1)
}

/// Fits the additive model of [`sketch`] on a binned table, as the mean over `seeds` seeds.
///
/// # Errors
/// Fails if there is nothing to learn from.
pub(super) fn sketch_of(binned: &Binned, labels: &[bool], weights: &[f32], seeds: u16) -> Result<Additive, LearnError> {
    as_additive(&boost_seeds(binned, labels, weights, &SKETCH, seeds)?)
}

impl Learner {
    /// Returns the share (0 to 1) of a block's log odds that comes from the mean over all blocks of its field (the
    /// blocks with the same path of element names and classes).
    pub(crate) fn pooling(self) -> f32 {
        match self {
            // The paper judges every block by itself.
            Learner::Linear => 0.0,
            Learner::Additive | Learner::Lite | Learner::Shipped => 0.5,
        }
    }

    /// Sets to zero the feature columns of a training table that models of this kind do not use.
    pub(crate) fn blank_unasked(self, table: &mut BlockTable, names: &[String]) {
        table.blank(names, ADDRESS);
        if self == Learner::Lite {
            NOT_IN_LITE.iter().for_each(|prefix| table.blank(names, prefix));
        }
    }

    /// Fits the scorers whose weighted sum gives the log odds of a block.
    ///
    /// # Errors
    /// Fails if there is nothing to learn from or a solver fails.
    pub(crate) fn fit(
        self,
        table: &BlockTable,
        weighting: Weighting,
        penalty: f64,
    ) -> Result<Vec<WeightedScorer>, LearnError> {
        let weights = weights(table, weighting);
        let part = |share: f32, scorer: Scorer| WeightedScorer { share, scorer };
        let binned = || Binned::new(&table.data, table.width, &weights, BINS);
        match self {
            Learner::Linear => linear(table, weighting, penalty),
            Learner::Additive => {
                let additive = pairs_of(&binned(), &table.labels, &weights)?;
                Ok(vec![part(1.0, Scorer::Additive(additive))])
            }
            Learner::Lite => {
                let additive = as_additive(&boost(&binned(), &table.labels, &weights, &LITE)?)?;
                Ok(vec![part(1.0, Scorer::Additive(additive))])
            }
            Learner::Shipped => {
                let binned = binned();
                let additive = as_additive(&boost(&binned, &table.labels, &weights, &LITE)?)?;
                let trees = boost(&binned, &table.labels, &weights, &BoostOptions::default())?;
                Ok(vec![part(1.0 - TREES, Scorer::Additive(additive)), part(TREES, Scorer::Trees(trees))])
            }
        }
    }
}

/// Limit of doubt: a block whose log odds by the additive model are below it, in absolute value, is judged by boosted
/// trees too (docs/decisions/best.md).
// With 2, mean F1 over ten unseen sets is .0008 lower, with 2.5 it is .0001 higher, and more blocks are asked for.
const BAND: f32 = 2.3;
/// Share (0 to 1) of boosted trees in the log odds of the blocks that they judge besides the additive model
/// (docs/decisions/best.md).
const TREES: f32 = 0.85;

/// Returns the limit of doubt: blocks whose absolute log odds by the first scorer are below it are judged by trees too.
/// Returns `None` if the first scorer is trees, or no other scorer is.
pub(super) fn band(parts: &[WeightedScorer]) -> Option<f32> {
    let is_trees = |part: &WeightedScorer| matches!(part.scorer, Scorer::Trees(_));
    let (first, rest) = parts.split_first()?;
    (!is_trees(first) && rest.iter().any(is_trees)).then_some(BAND)
}

/// Fits an additive model over bins and pairs of bins, as the mean over `SEEDS` seeds.
fn pairs_of(binned: &Binned, labels: &[bool], weights: &[f32]) -> Result<Additive, LearnError> {
    as_additive(&boost_seeds(binned, labels, weights, &PAIRS, SEEDS)?)
}

/// Converts trees of depth two to an additive model, and rounds its weights to whole units.
fn as_additive(trees: &Trees) -> Result<Additive, LearnError> {
    let converted = additive(trees);
    let mut converted = converted.ok_or_else(|| LearnError::Solver("a tree asks more than two questions".into()))?;
    converted.round();
    Ok(converted)
}

fn weights(table: &BlockTable, weighting: Weighting) -> Vec<f32> {
    match weighting {
        Weighting::Blocks => vec![1.0; table.weights.len()],
        Weighting::Pages => table.weights.clone(),
    }
}

fn linear(table: &BlockTable, weighting: Weighting, penalty: f64) -> Result<Vec<WeightedScorer>, LearnError> {
    let sample = Sample { width: table.width, data: table.data.clone(), labels: table.labels.clone() };
    let Fit { weights, intercept, deviations } = fit_weighted(&sample, &weights(table, weighting), penalty)?;
    let weights = (0u16..)
        .zip(weights.iter().zip(&deviations))
        .filter(|(_, (weight, _))| **weight != 0.0)
        .map(|(column, (weight, deviation))| ColumnWeight {
            column,
            weight: *weight as f32,
            deviation: *deviation as f32,
        })
        .collect();
    Ok(vec![WeightedScorer { share: 1.0, scorer: Scorer::Linear(Linear { intercept: intercept as f32, weights }) }])
}

/// Range of values of one column: above the first threshold, up to and including the second.
type Range = (f32, f32);
/// Range that includes all values.
const ALL: Range = (f32::NEG_INFINITY, f32::INFINITY);

/// Value that a tree adds to the log odds if two columns are both in their ranges.
struct Area {
    first: Range,
    second: Range,
    value: f32,
}

/// Returns the additive model with the same log odds as `trees`, up to rounding; `None` if a path in a tree has more
/// than two splits.
pub(crate) fn additive(trees: &Trees) -> Option<Additive> {
    let mut singles: BTreeMap<u16, Vec<(Range, f32)>> = BTreeMap::new();
    let mut pairs: BTreeMap<(u16, u16), Vec<Area>> = BTreeMap::new();
    let mut intercept = trees.base;
    for root in &trees.roots {
        let (column, threshold, left, right) = match trees.nodes.get(*root as usize)? {
            TreeNode::Leaf { value } => {
                intercept += value;
                continue;
            }
            TreeNode::Split { column, threshold, left, right } => (*column, *threshold, *left, *right),
        };
        for (range, child) in [((ALL.0, threshold), left), ((threshold, ALL.1), right)] {
            let (other, cut, low, high) = match trees.nodes.get(child as usize)? {
                TreeNode::Leaf { value } => {
                    singles.entry(column).or_default().push((range, *value));
                    continue;
                }
                TreeNode::Split { column, threshold, left, right } => (*column, *threshold, *left, *right),
            };
            for (part, leaf) in [((ALL.0, cut), low), ((cut, ALL.1), high)] {
                let TreeNode::Leaf { value } = trees.nodes.get(leaf as usize)? else { return None };
                if other == column {
                    let both = (range.0.max(part.0), range.1.min(part.1));
                    singles.entry(column).or_default().push((both, *value));
                    continue;
                }
                let (first, second) = if column < other { (range, part) } else { (part, range) };
                let key = (column.min(other), column.max(other));
                pairs.entry(key).or_default().push(Area { first, second, value: *value });
            }
        }
    }
    let steps = singles.into_iter().map(|(column, parts)| {
        let edges = edges(parts.iter().map(|(range, _)| *range));
        let mut weights = vec![0.0; edges.len() + 1];
        for (range, value) in parts {
            for at in bins(&edges, range) {
                if let Some(weight) = weights.get_mut(at) {
                    *weight += value;
                }
            }
        }
        StepFunction { column, edges, weights }
    });
    let crosses = pairs.into_iter().map(|(columns, areas)| {
        let first = edges(areas.iter().map(|area| area.first));
        let second = edges(areas.iter().map(|area| area.second));
        let width = second.len() + 1;
        let mut weights = vec![0.0; (first.len() + 1) * width];
        for area in areas {
            for row in bins(&first, area.first) {
                for at in bins(&second, area.second) {
                    if let Some(weight) = weights.get_mut(row * width + at) {
                        *weight += area.value;
                    }
                }
            }
        }
        Cross { columns, edges: (first, second), weights }
    });
    Some(Additive { intercept, step_functions: steps.collect(), crosses: crosses.collect() })
}

/// Returns all finite thresholds of the ranges, ascending and without duplicates.
fn edges(ranges: impl Iterator<Item = Range>) -> Vec<f32> {
    let mut edges: Vec<f32> = ranges.flat_map(|(low, high)| [low, high]).filter(|edge| edge.is_finite()).collect();
    edges.sort_by(f32::total_cmp);
    edges.dedup();
    edges
}

/// Returns the indices of the bins between `edges` that a range covers.
fn bins(edges: &[f32], (low, high): Range) -> std::ops::Range<usize> {
    edges.partition_point(|edge| *edge <= low)..edges.partition_point(|edge| *edge < high) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::boost::{BoostOptions, boost};
    use crate::train::table::Binned;

    #[test]
    fn lite_learns_nothing_from_columns_that_cost_much() {
        let names = ["address.root", "position.log_repeats", "text.log_words"].map(str::to_owned);
        let blanked = |learner: Learner| {
            let mut table = BlockTable::new(names.len(), 1);
            table.data = vec![1.0, 2.0, 3.0];
            learner.blank_unasked(&mut table, &names);
            table.data
        };
        assert_eq!(blanked(Learner::Lite), [0.0, 0.0, 3.0]);
        assert_eq!(blanked(Learner::Shipped), [0.0, 2.0, 3.0]);
    }

    #[test]
    fn tables_add_up_to_the_trees() {
        let mut data = Vec::new();
        let mut labels = Vec::new();
        for row in 0u32..3000 {
            let value = |salt: u32| (row.wrapping_mul(salt) >> 7) % 100;
            let (x, y, z) = (value(2_654_435_761), value(40_503), value(97));
            data.extend([x as f32, y as f32, z as f32]);
            labels.push((x > 30) != (y > 60) && z > 10);
        }
        let weights = vec![1.0; labels.len()];
        let table = Binned::new(&data, 3, &weights, 32);
        let options = BoostOptions { trees: 60, leaves: 4, depth: 2, columns: 1.0, ..BoostOptions::default() };
        let trees = boost(&table, &labels, &weights, &options).unwrap();
        let model = additive(&trees).unwrap();
        assert!(model.is_sound(3));
        assert!(!model.crosses.is_empty());
        for row in data.chunks_exact(3) {
            assert!((model.log_odds(row) - trees.log_odds(row)).abs() < 1e-3, "{row:?}");
        }
        let deep = BoostOptions { depth: 3, leaves: 8, ..options };
        assert!(additive(&boost(&table, &labels, &weights, &deep).unwrap()).is_none());
    }
}
