//! Trains block models, with cross-validation by host or by set.

mod adaptation;
mod block_model;
mod boost;
mod cross_validation;
mod judged_file;
mod learned_words;
mod learner;
mod logistic;
mod page_types;
mod roles;
mod scorers;
mod table;
mod training_pages;
mod type_words;

use trommel_model::features::FeatureGroup;

use crate::LABEL_SHARE;

pub use adaptation::{Adapted, adapt};
pub use block_model::{JudgedPage, Trained, train};
pub use boost::fit_trees;
pub use cross_validation::ScoredPage;
pub use judged_file::{JudgedRow, JudgedSet};
pub use learned_words::list;
pub use logistic::{Fit, Sample, fit_weighted};
pub use roles::train_roles;

/// Prefix of the feature columns about the page's URL. They help to find the page type, but blocks are not judged by
/// them, because URLs differ from crawl to crawl.
const ADDRESS: &str = "address.";
/// Prefix of the feature columns of words that tell the type of a page. Of the scorers of blocks, only those of a kind
/// of pages use them.
const TYPE_WORDS: &str = "type_words.";

/// Options for training a model.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Name to write into the trained model.
    pub name: String,
    /// Date to write into the trained model, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features that the model uses.
    pub groups: Vec<FeatureGroup>,
    /// Kind of model to train.
    pub learner: Learner,
    /// Threshold of labelling: a block is content if more than this share of its words is in the gold text (0 to 1).
    pub label_share: f32,
    /// Rule for the weight of each block in training.
    pub weighting: Weighting,
    /// Unit that cross-validation holds out: hosts or page sets.
    pub held_out: HeldOut,
    /// Number of folds of cross-validation, if hosts are held out.
    pub folds: usize,
    /// Number of page sets, the last ones, that train only the part of the model for listings and similar pages.
    pub list_sets: usize,
    /// Number of page sets before the last `list_sets` that train only the parts of the model for forums and page
    /// types.
    pub thread_sets: usize,
    /// True if readers' comments in the gold count as content.
    pub comments: bool,
}

/// Purpose of a training run: to compare candidate models, or to make the final one.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    /// Training of all candidate models for cross-validation; the parts for forums and for listings use one random
    /// seed.
    Test,
    /// Training of the final model, with this L2 penalty.
    Use(f64),
}

/// Indices that divide the page sets into those that train the whole model and those that train only parts of it.
#[derive(Clone, Copy, Debug)]
struct SetRoles {
    /// Index of the first page set that trains only the parts of the model for forum threads and page types.
    threads: usize,
    /// Index of the first page set that trains only the part of the model for listings and similar pages.
    lists: usize,
}

/// Options of `trommel train` without arguments, with an empty name and date.
impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            created: String::new(),
            groups: FeatureGroup::serving(),
            learner: Learner::Additive,
            label_share: LABEL_SHARE,
            weighting: Weighting::Pages,
            held_out: HeldOut::Hosts,
            folds: 5,
            list_sets: 0,
            thread_sets: 0,
            comments: true,
        }
    }
}

impl TrainOptions {
    /// Divides `sets` page sets into those that train the whole model and those that train only parts of it.
    fn roles(&self, sets: usize) -> SetRoles {
        let lists = sets.saturating_sub(self.list_sets);
        SetRoles { threads: lists.saturating_sub(self.thread_sets), lists }
    }
}

/// Rule for the weight of each block in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Every block has the same weight, as in the paper of Peters and Lecocq (2013).
    Blocks,
    /// All pages of a set have the same weight, divided among their blocks by the square roots of the word counts.
    Pages,
}

/// Unit that cross-validation holds out of training and then judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldOut {
    /// Hosts, divided into folds.
    Hosts,
    /// Page sets, one after the other.
    Sets,
}

/// Kind of model to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// Logistic regression with an L2 penalty.
    Linear,
    /// Additive model: logistic regression over binned features and pairs of binned features.
    Additive,
    /// Additive model of fewer trees and one seed, without columns that are slow to compute: the built-in model `lite`.
    Lite,
    /// Additive model for clear blocks, with boosted trees for the blocks in doubt: the built-in model `fast`.
    Shipped,
}
