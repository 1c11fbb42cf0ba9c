//! Labels blocks from gold text, scores block models and, with the feature `train`, trains them.

mod error;
mod evaluate;
mod example;
mod folds;
mod gold_line;
mod label;
mod lcs;
mod lines;
mod metric;
mod pages;
mod required;
#[cfg(test)]
mod toy;
#[cfg(feature = "train")]
mod train;

pub use error::LearnError;
pub use evaluate::{EvalOptions, Mean, Report, evaluate, kept_text, text_by};
pub use example::Example;
pub use folds::by_group;
pub use label::{LABEL_SHARE, shares};
pub use lcs::on_common_subsequence;
pub use lines::numbered_lines;
pub use metric::Scores;
pub use pages::{Gold, GoldBlock, LabelledPage, PageSet, gold_beside, read_gold, read_set};
pub use required::Required;
#[cfg(feature = "train")]
pub use train::{
    Adapted, Fit, HeldOut, JudgedPage, JudgedRow, JudgedSet, Learner, Sample, TrainOptions, Trained, Weighting, adapt,
    fit_trees, fit_weighted, list, train, train_roles,
};
/// Of what reports and options name.
pub use trommel_model::{Score, features::FeatureGroup};
