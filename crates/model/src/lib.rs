//! The model file, the logistic scorer and the selection of blocks.
//!
//! A model is numbers and names: MessagePack with the feature schema, the weights, the token lists,
//! the training data, the date and the scores inside. It is never code.

mod additive;
mod candidates;
mod compiled;
mod error;
mod file;
mod model;
mod selection;
mod trees;

pub use additive::{Additive, Cross, Steps};
pub use candidates::JudgedCandidate;
pub use error::ModelError;
pub use file::{
    CandidateScorer, ColumnWeight, FORMAT, KindScorer, Linear, ModelFile, Part, Score, Scorer,
    Training, TrainingSet, VERSION,
};
pub use model::{Comments, Judgement, Model, PageKind, sigmoid};
pub use selection::{Choice, Selection};
pub use trees::{Node, Trees};
