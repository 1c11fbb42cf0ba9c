//! Additive models as stored in model files.
//!
//! An additive model is logistic over bins: the part of each feature in the log odds is a step function of its
//! value, and chosen pairs of features have a table of their own.

use serde::{Deserialize, Serialize};

/// Unit of weights, in log odds. All weights are whole multiples of it, so sums are exact in any order.
// A power of two, so that multiplying by it is exact; on 14 of 2,185 pages the rounding changed the choice.
pub const UNIT: f32 = 1.0 / 4096.0;

/// Maximum absolute value of a single weight, in log odds; a model with a larger one is invalid.
// At 1/4096 a unit this is the largest weight whose units f32 counts without rounding (2^24).
const MAX_WEIGHT: f32 = 4096.0;

/// Contribution of one feature to the log odds: one weight for each bin of its values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepFunction {
    /// Column number of the feature in a row of feature values.
    pub column: u16,
    /// Upper edges of all bins except the last, ascending.
    pub edges: Vec<f32>,
    /// Log odds of each bin; there is one more bin than edges.
    pub weights: Vec<f32>,
}

/// Contribution of a pair of features to the log odds: one weight for each pair of bins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cross {
    /// Column numbers of the two features in a row of feature values.
    pub columns: (u16, u16),
    /// Upper edges of the bins of the two features, ascending.
    pub edges: (Vec<f32>, Vec<f32>),
    /// Log odds of each pair of bins: one row per bin of the first feature, one cell per bin of the second.
    pub weights: Vec<f32>,
}

/// Additive model: its log odds are a sum of functions of single features and of functions of pairs of features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Additive {
    /// Log odds before the contribution of any feature.
    pub intercept: f32,
    /// Contributions of single features.
    #[serde(rename = "steps")]
    pub step_functions: Vec<StepFunction>,
    /// Contributions of pairs of features.
    #[serde(default)]
    pub crosses: Vec<Cross>,
}

fn bin(edges: &[f32], value: f32) -> usize {
    // An edge belongs to the bin below it, as a split of a tree sends equal values left.
    edges.partition_point(|edge| *edge < value)
}

impl Cross {
    /// Returns the log odds that a pair of feature values contributes.
    pub fn weight(&self, first: f32, second: f32) -> f32 {
        // n edges make n + 1 bins, so a row of cells is one longer than the edges of the second feature.
        let row = bin(&self.edges.0, first) * (self.edges.1.len() + 1);
        let cell = row + bin(&self.edges.1, second);
        self.weights.get(cell).copied().unwrap_or(0.0)
    }
}

impl StepFunction {
    /// Returns the log odds that a feature value contributes.
    pub fn weight(&self, value: f32) -> f32 {
        self.weights.get(bin(&self.edges, value)).copied().unwrap_or(0.0)
    }
}

impl Additive {
    /// Returns the model's log odds for a row of feature values. Missing columns count as 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.log_odds_of(|column| row.get(usize::from(column)).copied().unwrap_or(0.0))
    }

    /// Returns the model's log odds for a row of features; `value` returns the row's value in a column.
    pub(crate) fn log_odds_of(&self, value: impl Fn(u16) -> f32) -> f32 {
        let steps = self.step_functions.iter().map(|step| step.weight(value(step.column)));
        let crosses = self.crosses.iter().map(|cross| cross.weight(value(cross.columns.0), value(cross.columns.1)));
        self.intercept + steps.sum::<f32>() + crosses.sum::<f32>()
    }

    /// Rounds all weights to whole multiples of `UNIT`.
    pub fn round(&mut self) {
        let of_steps = self.step_functions.iter_mut().flat_map(|step| &mut step.weights);
        let of_crosses = self.crosses.iter_mut().flat_map(|cross| &mut cross.weights);
        let all = of_steps.chain(of_crosses);
        for weight in all.chain(std::iter::once(&mut self.intercept)) {
            *weight = (*weight / UNIT).round() * UNIT;
        }
    }

    /// Returns whether the model is valid: all numbers are finite, no absolute weight is above 4,096 log odds, edges
    /// rise, tables fit the edges, and columns are below `width`.
    pub fn is_sound(&self, width: usize) -> bool {
        // So that sums of them are finite as well. Of NaN it does not hold.
        let sound = |weight: &f32| weight.abs() <= MAX_WEIGHT;
        // Bins are found by bisection, which needs edges in order; equal edges would make a bin that no value reaches.
        let rising = |edges: &[f32]| edges.iter().all(|edge| edge.is_finite()) && edges.is_sorted_by(|a, b| a < b);
        let known = |column: u16| usize::from(column) < width;
        let steps = self.step_functions.iter().all(|step| {
            known(step.column)
                && rising(&step.edges)
                && step.weights.len() == step.edges.len() + 1
                && step.weights.iter().all(sound)
        });
        let crosses = self.crosses.iter().all(|cross| {
            let (first, second) = &cross.edges;
            known(cross.columns.0)
                && known(cross.columns.1)
                && rising(first)
                && rising(second)
                && cross.weights.len() == (first.len() + 1) * (second.len() + 1)
                && cross.weights.iter().all(sound)
        });
        sound(&self.intercept) && steps && crosses
    }
}

/// Converts log odds to a probability by the logistic function.
pub fn sigmoid(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up() {
        let model = Additive {
            intercept: -1.0,
            step_functions: vec![
                StepFunction { column: 0, edges: vec![0.5, 2.0], weights: vec![0.0, 1.0, 4.0] },
                StepFunction { column: 2, edges: vec![], weights: vec![0.25] },
            ],
            crosses: vec![Cross {
                columns: (0, 1),
                edges: (vec![1.0], vec![5.0, 6.0]),
                weights: vec![0.0, 0.0, 0.0, 0.0, 0.0, 8.0],
            }],
        };
        assert_eq!(model.log_odds(&[2.1, 6.5, 9.0]), 11.25);
        assert_eq!(model.log_odds(&[0.5, 0.0, 0.0]), -0.75);
        assert_eq!(model.log_odds(&[0.6, 0.0, 0.0]), 0.25);
        assert_eq!(model.log_odds(&[2.1, 0.0, 9.0]), 3.25);
        assert!(model.is_sound(3) && !model.is_sound(2));
        let mut odd = model;
        odd.step_functions[0].edges.swap(0, 1);
        assert!(!odd.is_sound(3));
    }
}
