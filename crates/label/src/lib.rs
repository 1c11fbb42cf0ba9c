//! Labels pages by clicks on their blocks.
//!
//! [`PageList`] reads the pages of an archive, [`GoldFile`] holds what was said of them so far and writes every
//! further choice at once, and [`serve`] shows the pages to a browser on this machine.

mod gold_file;
mod page_list;
mod role;
mod router;
mod server;

pub use gold_file::{Choice, GoldError, GoldFile};
pub use page_list::{Block, LabelPage, PageList};
pub use role::LabelRole;
pub use router::Labelling;
pub use server::{LabelError, serve};
