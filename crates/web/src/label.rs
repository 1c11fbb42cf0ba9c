//! Labels pages by clicks on their blocks.
//!
//! [`LabelPages`] reads the pages of an archive. [`GoldFile`] holds the labels and writes every change at
//! once. [`serve`] shows the pages in browsers.

mod gold_file;
mod page_list;
mod router;

pub use gold_file::{GoldError, GoldFile, PageLabels};
pub use page_list::{LABEL_ROLES, LabelBlock, LabelPage, LabelPages, Part};
pub use router::{Labelling, serve};
