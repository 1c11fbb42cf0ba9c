//! The model file, the scorers, and the selection of main text among blocks.
//!
//! A model is numbers and names: MessagePack with the feature schema, the weights, the token lists, the
//! training data, the date and the scores, packed with zstd. It is never code.

mod additive;
mod compiled;
mod embedded;
pub mod features;
mod file;
mod model;
mod roles;
mod scorer;
mod selection_by_worlds;
pub mod sites;
mod term_list;
mod trees;

pub use additive::{Additive, Cross, StepFunction, sigmoid};
pub use embedded::JudgedEmbedded;
pub use file::{
    ColumnWeight, EmbeddedScorer, FORMAT, KindScorer, Linear, ModelError, ModelFile, PageType, PageTypeScorer, Score,
    Scorer, Training, TrainingSet, VERSION, WeightedScorer, probability_of_kind,
};
pub use model::{Judgement, KnownWords, Model};
pub use roles::{ROLES_FORMAT, ROLES_VERSION, RoleFile, RoleModel, RoleScore, RoleScorer, pooled};
pub use scorer::log_odds_of_parts;
pub use selection_by_worlds::{Choice, Layout, Selection};
pub use trees::{TreeNode, Trees};
