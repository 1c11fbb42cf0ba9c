//! A logistic model over bins: each feature's part of the log odds is a step function of its value.

use serde::{Deserialize, Serialize};

/// The part of one feature: a weight a bin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// Column of the feature.
    pub column: u16,
    /// Upper edges of the bins but the last, rising.
    pub edges: Vec<f32>,
    /// Log odds of each bin: one more than edges.
    pub weights: Vec<f32>,
}

/// A sum of step functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Additive {
    /// Log odds of a row whose parts are all zero.
    pub intercept: f32,
    /// The features' parts.
    pub steps: Vec<Steps>,
}

impl Steps {
    /// Log odds that a value adds.
    pub fn weight(&self, value: f32) -> f32 {
        let bin = self.edges.partition_point(|edge| *edge < value);
        self.weights.get(bin).copied().unwrap_or(0.0)
    }
}

impl Additive {
    /// Log odds of a row. A column that the row does not have is taken for 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        let parts = self
            .steps
            .iter()
            .map(|steps| steps.weight(row.get(usize::from(steps.column)).copied().unwrap_or(0.0)));
        self.intercept + parts.sum::<f32>()
    }

    /// Whether all numbers are finite, edges rise, and columns are below `width`.
    pub fn is_sound(&self, width: usize) -> bool {
        self.intercept.is_finite()
            && self.steps.iter().all(|steps| {
                usize::from(steps.column) < width
                    && steps.weights.len() == steps.edges.len() + 1
                    && steps
                        .edges
                        .iter()
                        .chain(&steps.weights)
                        .all(|v| v.is_finite())
                    && steps.edges.is_sorted_by(|a, b| a < b)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up() {
        let model = Additive {
            intercept: -1.0,
            steps: vec![
                Steps {
                    column: 0,
                    edges: vec![0.5, 2.0],
                    weights: vec![0.0, 1.0, 4.0],
                },
                Steps {
                    column: 2,
                    edges: vec![],
                    weights: vec![0.25],
                },
            ],
        };
        assert_eq!(model.log_odds(&[0.5, 0.0, 0.0]), -0.75);
        assert_eq!(model.log_odds(&[0.6, 0.0, 0.0]), 0.25);
        assert_eq!(model.log_odds(&[2.1, 0.0, 9.0]), 3.25);
        assert!(model.is_sound(3) && !model.is_sound(2));
        let mut odd = model;
        odd.steps[0].edges.swap(0, 1);
        assert!(!odd.is_sound(3));
    }
}
