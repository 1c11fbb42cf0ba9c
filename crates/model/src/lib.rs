//! The model file, the scorers and the selection of blocks.
//!
//! A model is numbers and names: MessagePack with the feature schema, the weights, the token lists, the
//! training data, the date and the scores, packed with zstd. It is never code.

mod additive;
mod compiled;
mod embedded;
mod error;
pub mod features;
mod file;
mod hard_pages;
mod kept_blocks;
mod known_words;
mod layout;
mod lists;
mod model;
mod packed;
mod page_type;
mod representatives;
mod roles;
mod scorer;
mod sigmoid;
pub mod sites;
mod term_list;
mod trees;
mod worlds;

pub use additive::{Additive, Cross, StepFunction};
pub use embedded::JudgedEmbedded;
pub use error::ModelError;
pub use file::{
    ColumnWeight, EmbeddedScorer, FORMAT, Linear, ModelFile, PageTypeScorer, Score, Scorer, Training, TrainingSet,
    VERSION, WeightedScorer,
};
pub use kept_blocks::{Choice, Selection};
pub use known_words::KnownWords;
pub use layout::Layout;
pub use lists::{ListScorer, not_one_text};
pub use model::{Judgement, Model};
pub use page_type::PageType;
pub use roles::{ROLES_FORMAT, ROLES_VERSION, RoleFile, RoleModel, RoleScore, RoleScorer, pooled};
pub use scorer::log_odds_of_parts;
pub use sigmoid::sigmoid;
pub use trees::{TreeNode, Trees};
