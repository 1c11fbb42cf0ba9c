//! Scorers: compute the log odds of a row, and list the columns that they read.

use rustc_hash::FxHashMap;

use crate::file::{Linear, ModelError, Scorer, WeightedScorer};
use crate::trees::TreeNode;

/// Returns the log odds of a row as the weighted sum of a model's scorers. If those by the first scorer are at least
/// `band` ([`ModelFile::band`](crate::ModelFile::band)) away from 0, they replace those of trees.
pub fn log_odds_of_parts(parts: &[WeightedScorer], band: Option<f32>, row: &[f32]) -> f32 {
    let first = parts.first().map_or(0.0, |part| part.scorer.log_odds(row));
    let is_sure = band.is_some_and(|band| first.abs() >= band);
    let weighted = parts.iter().enumerate().map(|(at, part)| {
        let stands_in = at == 0 || is_sure && matches!(part.scorer, Scorer::Trees(_));
        part.share * if stands_in { first } else { part.scorer.log_odds(row) }
    });
    weighted.sum()
}

impl Scorer {
    /// Returns the scorer's log odds for a row of feature values. Missing columns count as 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.log_odds_of(|column| row.get(usize::from(column)).copied().unwrap_or(0.0))
    }

    /// Returns the scorer's log odds for a row of features; `value` returns the row's value in a column.
    pub(crate) fn log_odds_of(&self, value: impl Fn(u16) -> f32) -> f32 {
        match self {
            Scorer::Linear(linear) => linear.log_odds_of(value),
            Scorer::Additive(additive) => additive.log_odds_of(value),
            Scorer::Trees(trees) => trees.log_odds_of(value),
        }
    }

    /// Returns the numbers of the columns that the scorer reads.
    pub(crate) fn columns(&self) -> Vec<u16> {
        let mut columns = Vec::new();
        self.clone().each_column(|column| columns.push(*column));
        columns
    }

    /// Passes each column number in the scorer to `give`, which may change it.
    pub(crate) fn each_column(&mut self, mut give: impl FnMut(&mut u16)) {
        match self {
            Scorer::Linear(linear) => {
                linear.weights.iter_mut().for_each(|weight| give(&mut weight.column));
            }
            Scorer::Additive(additive) => {
                for step in &mut additive.step_functions {
                    give(&mut step.column);
                }
                for cross in &mut additive.crosses {
                    give(&mut cross.columns.0);
                    give(&mut cross.columns.1);
                }
            }
            Scorer::Trees(trees) => {
                for node in &mut trees.nodes {
                    if let TreeNode::Split { column, .. } = node {
                        give(column);
                    }
                }
            }
        }
    }

    /// Returns the scorer with other column numbers: column `c` becomes `columns[c]`. Weights of an additive scorer are
    /// rounded to whole units. Fails if the scorer is invalid or refers to a column beyond `columns`.
    pub(crate) fn on(&self, columns: &[u16]) -> Result<Self, ModelError> {
        let mut scorer = self.clone();
        if let Scorer::Additive(additive) = &mut scorer {
            // Before the check, so that what is checked is what is used. Models trained elsewhere have any weights.
            additive.round();
        }
        let width = columns.len();
        let (is_sound, part) = match &scorer {
            Scorer::Linear(linear) => (linear.is_sound(width), "linear"),
            Scorer::Additive(additive) => (additive.is_sound(width), "additive"),
            Scorer::Trees(trees) => (trees.is_sound(width), "trees"),
        };
        if !is_sound {
            return Err(ModelError::Unsound { part });
        }
        // Only after the check that every column is within the list.
        scorer.each_column(|column| {
            *column = columns.get(usize::from(*column)).copied().unwrap_or(0);
        });
        Ok(scorer)
    }
}

impl Linear {
    /// Returns the model's log odds for a row of feature values. Missing columns count as 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.log_odds_of(|column| row.get(usize::from(column)).copied().unwrap_or(0.0))
    }

    pub(crate) fn log_odds_of(&self, value: impl Fn(u16) -> f32) -> f32 {
        let parts = self.weights.iter().map(|weight| weight.weight * value(weight.column));
        self.intercept + parts.sum::<f32>()
    }

    fn is_sound(&self, width: usize) -> bool {
        self.intercept.is_finite()
            && self.weights.iter().all(|weight| weight.weight.is_finite() && usize::from(weight.column) < width)
    }
}

/// Returns the number of each named column, which is its index in `all`.
///
/// # Errors
/// If a name is unknown.
pub(crate) fn numbers<'n>(columns: &[String], all: impl IntoIterator<Item = &'n str>) -> Result<Vec<u16>, ModelError> {
    let known: FxHashMap<&str, u16> = all.into_iter().zip(0..=u16::MAX).collect();
    let number = |name: &String| {
        known.get(name.as_str()).copied().ok_or_else(|| ModelError::UnknownFeature { feature: name.clone() })
    };
    columns.iter().map(number).collect()
}
