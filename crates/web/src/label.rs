//! Labels pages by clicks on their blocks.
//!
//! [`LabelPages`] reads the pages of an archive. [`GoldFile`] holds the labels and writes every change at
//! once. [`serve`] shows the pages in browsers.

mod gold_file;
mod page_list;
mod role;
mod router;

pub use gold_file::{GoldError, GoldFile, PageLabels};
pub use page_list::{LabelBlock, LabelPage, LabelPages};
pub use role::{LABEL_ROLES, Part};
pub use router::{Labelling, serve};
