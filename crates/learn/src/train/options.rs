//! Options of training.

use trommel_features::FeatureGroup;

/// What to train and how.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Name of the model, or of each.
    pub names: Vec<String>,
    /// Day to write into the model, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features.
    pub groups: Vec<FeatureGroup>,
    /// What the model is made of.
    pub learner: Learner,
    /// A block is content if more than this share of its words lies on the common subsequence.
    pub label_share: f32,
    /// How much each block counts.
    pub weighting: Weighting,
    /// Number of folds.
    pub folds: usize,
    /// Whether the gold's comments are content.
    pub comments: bool,
}

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
    /// Logistic regression over binned features and crosses of two.
    Additive,
    /// Two models that share a part: the additive one, and the same with boosted trees beside it, half
    /// of the log odds each.
    Shipped,
}
