//! The learners a model can be made by.

use trommel_model::{BlockScorer, ColumnWeight, Linear, Part, Scorer, Trees};

use crate::additive::fit_additive;
use crate::bins::Binned;
use crate::boost::{BoostOptions, boost};
use crate::error::LearnError;
use crate::logistic::{Fit, Sample, fit};
use crate::table::Table;
use crate::weighted::fit_weighted;

/// Strengths of the L2 penalty that are tried for a linear model.
const PENALTIES: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// The penalty of an additive model.
const ADDITIVE_PENALTY: f64 = 3e-5;
/// Bins of a column of an additive model, and of trees.
const BINS: usize = 24;
const TREE_BINS: usize = 64;

/// How much each block counts in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Every block once, as in the paper.
    Blocks,
    /// Every page the same, divided among its blocks by the square roots of their words.
    Pages,
}

/// What a model is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// L2 logistic regression.
    Linear,
    /// L2 logistic regression over binned features.
    Additive,
    /// Boosted trees and an additive model, half of the log odds each.
    Ensemble,
}
