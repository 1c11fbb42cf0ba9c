//! Labels blocks from gold text, scores block models and, with the feature `train`, trains them.

mod error;
mod evaluate;
mod label;
mod labelled_pages;
#[cfg(test)]
mod test_pages;
#[cfg(feature = "train")]
mod train;

pub use error::LearnError;
pub use evaluate::{EvalOptions, Mean, Report, Required, Scores, evaluate, kept_text, text_by};
pub use label::{LABEL_SHARE, on_common_subsequence, shares};
pub use labelled_pages::{
    Example, Gold, GoldBlock, LabelledPage, PageSet, by_group, gold_beside, numbered_lines, read_gold, read_set,
};
#[cfg(feature = "train")]
pub use train::{
    Adapted, Fit, HeldOut, JudgedPage, JudgedRow, JudgedSet, Learner, Sample, ScoredPage, TrainOptions, Trained,
    Weighting, adapt, fit_trees, fit_weighted, list, train, train_roles,
};
/// Types of the model that reports and training options use: scores, and groups of features.
pub use trommel_model::{Score, features::FeatureGroup};
