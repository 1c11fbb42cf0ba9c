//! Labels blocks from gold text, trains block models and scores them.

mod additive;
mod bins;
mod boost;
mod embedded;
mod error;
mod evaluate;
mod folds;
mod label;
mod lcs;
mod learner;
mod lexicon;
mod logistic;
pub mod markdown;
mod metric;
mod page_types;
mod pages;
mod pairs;
pub mod quality;
mod table;
mod train;
mod weighted;

pub use error::LearnError;
pub use evaluate::{EvalOptions, Mean, Report, evaluate, kept_text};
pub use folds::by_group;
pub use label::{LABEL_SHARE, shares};
pub use lcs::on_common_subsequence;
pub use learner::{Learner, Weighting};
pub use lexicon::{Example, list, weigh, weigh_words};
pub use logistic::{Fit, Sample, fit};
pub use metric::Scores;
pub use pages::{Gold, LabelledPage, PageSet, read_gold, read_set};
pub use train::{JudgedPage, TrainOptions, Trained, train};
pub use weighted::fit_weighted;
