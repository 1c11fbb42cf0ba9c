//! Labels pages by clicks on their blocks.
//!
//! [`LabelPages`] reads the pages of an archive, [`GoldFile`] holds what was said of them so far and writes every
//! further choice at once, and [`serve`] shows the pages to browsers.

mod gold_file;
mod page_list;
mod role;
mod router;

pub use gold_file::{GoldError, GoldFile, PageLabels};
pub use page_list::{LabelBlock, LabelPage, LabelPages};
pub use role::{LabelRole, Part};
pub use router::{Labelling, serve};
