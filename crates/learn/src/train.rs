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

/// Columns of the page's address tell its type, but blocks are not judged by them: what addresses look
/// like differs from crawl to crawl.
const ADDRESS: &str = "address.";

/// The options of training a model.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Name of the model.
    pub name: String,
    /// Day to write into the model, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features.
    pub groups: Vec<FeatureGroup>,
    /// The kind of the model.
    pub learner: Learner,
    /// A block is content if more than this share of its words lies on the common subsequence.
    pub label_share: f32,
    /// The weight of each block.
    pub weighting: Weighting,
    /// Unit that cross-validation holds out.
    pub held_out: HeldOut,
    /// Number of folds, if hosts are held out.
    pub folds: usize,
    /// The number of sets, at the end of all, from which only the scorer of pages that are not one text learns.
    pub list_sets: usize,
    /// The number of sets before these from which only the scorer of threads learns, and that of page types.
    pub thread_sets: usize,
    /// True if the gold's comments are content.
    pub comments: bool,
}

/// Purpose of a fit.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    /// Every candidate, to be judged on other pages. The scorers of kinds are of one seed.
    Test,
    /// The model itself, with this penalty.
    Use(f64),
}

/// The first of the sets that do not teach every scorer.
#[derive(Clone, Copy, Debug)]
struct SetRoles {
    /// The first that teaches the scorer of threads alone.
    threads: usize,
    /// The first that teaches the scorer of pages that are not one text alone.
    lists: usize,
}

/// Those of `trommel train` without options, but for the name and the day.
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
    /// The roles of so many sets.
    fn roles(&self, sets: usize) -> SetRoles {
        let lists = sets.saturating_sub(self.list_sets);
        SetRoles { threads: lists.saturating_sub(self.thread_sets), lists }
    }
}

/// The weight of each block in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Every block once, as in the paper.
    Blocks,
    /// Every page weighs the same, divided among its blocks by the square roots of their words.
    Pages,
}

/// The group of pages that cross-validation holds out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldOut {
    /// Hosts, in folds.
    Hosts,
    /// One set after the other.
    Sets,
}

/// The kind of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// L2 logistic regression.
    Linear,
    /// Logistic regression over binned features and crosses of two.
    Additive,
    /// The same from fewer trees of one seed, which do not ask for columns that cost much: the built-in `lite`.
    Lite,
    /// Two models that share a part: the additive one, and the same with boosted trees beside it, half
    /// of the log odds each.
    Shipped,
}
