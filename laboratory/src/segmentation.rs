//! Segmentation of pages into blocks with a purpose, measured against blocks marked by hand (Kreuzer, Hage and
//! Feelders, A Quantitative Comparison of Semantic Web Page Segmentation Approaches, ICWE 2015).

mod block_classes;
mod by_text;
mod candidates;
mod gold;
mod learned;
mod matching;
mod ours;
mod region;
mod report;
mod set;
mod visual_rows;

pub use block_classes::block_class_report;
pub use by_text::SameTexts;
pub use candidates::{Candidate, candidates};
pub use gold::{GoldBlock, GoldPage, SegmentGoldError, read_gold_blocks};
pub use matching::{Counts, FUZZY_SIMILARITY, Match, count};
pub use ours::{GroupLevels, group};
pub use region::{Leaves, Region};
pub use report::segmentation_report;
pub use set::{SegmentationError, SegmentedPage, read_segmented};
