//! Trains block models, with cross-validation by host or by set.

mod adapted;
mod additive;
mod bins;
mod boost;
mod completed;
mod cross_validation;
mod embedded;
mod fitted;
mod judged;
mod labelled;
mod learned;
mod learner;
mod lexicon;
mod lists;
mod logistic;
mod minimum;
mod options;
mod page_types;
mod pairs;
mod penalty;
mod poor;
mod roles;
mod seeds;
mod selection;
mod table;
mod trained;
mod tree_sample;

/// Columns of the page's address tell its type, but blocks are not judged by them: what addresses look
/// like differs from crawl to crawl.
const ADDRESS: &str = "address.";

pub use adapted::{Adapted, adapt};
pub use judged::{JudgedRow, JudgedSet};
pub use lexicon::list;
pub use logistic::{Fit, Sample, fit_weighted};
pub use options::{HeldOut, Learner, TrainOptions, Weighting};
pub use roles::train_roles;
pub use trained::{JudgedPage, Trained, train};
pub use tree_sample::fit_trees;
