//! The model file: numbers and names in MessagePack, never code.

use serde::{Deserialize, Serialize};
use trommel_features::{Group, ListedToken, TokenWeight};

use crate::selection::Selection;

/// First field of every model file.
pub const FORMAT: &str = "trommel-model";
/// Version that this program writes. It reads this and every earlier one.
pub const VERSION: u32 = 1;

/// All that a model file holds. Fields added later have defaults, so older files still read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFile {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`] of the program that wrote it.
    pub version: u32,
    /// Name of the model.
    pub name: String,
    /// Day of training, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features a row is made of.
    pub groups: Vec<Group>,
    /// The weight of each feature.
    pub features: Vec<FeatureWeight>,
    /// Log odds of a block whose features are all zero.
    pub intercept: f32,
    /// Tokens with a feature of their own.
    #[serde(default)]
    pub listed: Vec<ListedToken>,
    /// Tokens with a weight.
    #[serde(default)]
    pub token_weights: Vec<TokenWeight>,
    /// How blocks are chosen from their probabilities.
    pub selection: Selection,
    /// What it was trained on and how.
    pub training: Training,
    /// What it scored.
    #[serde(default)]
    pub scores: Vec<Score>,
}

/// The weight of one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureWeight {
    /// Name in the schema.
    pub name: String,
    /// Change of the log odds for a change of one in the feature.
    pub weight: f32,
    /// Standard deviation of the feature over the training blocks: `weight * deviation` compares
    /// features with each other.
    pub deviation: f32,
}

/// How a model was trained.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The page sets.
    pub sets: Vec<TrainingSet>,
    /// Number of blocks (rows) learned from.
    pub blocks: u64,
    /// A block is content if more than this share of its words lies on the longest common
    /// subsequence of page and gold.
    pub label_share: f32,
    /// Strength of the L2 penalty, chosen by cross-validation.
    pub penalty: f64,
    /// Folds of the cross-validation, divided by host.
    pub folds: u32,
}

/// A set of labelled pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSet {
    /// Its name.
    pub name: String,
    /// Pages of it that were used.
    pub pages: u32,
}

/// A score of the model on a set of pages: means over the pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Name of the set.
    pub set: String,
    /// How it was measured (`5-fold by host`, `held out`).
    pub how: String,
    /// Number of pages.
    pub pages: u32,
    /// Mean word precision, 0..=1.
    pub precision: f64,
    /// Mean word recall, 0..=1.
    pub recall: f64,
    /// Mean word F1, 0..=1.
    pub f1: f64,
}
