//! Shows one page as the extractor sees it: every block with its probability, whether it is kept and why.
//!
//! A [`View`] holds what there is to show; [`report`] writes it as an HTML page that loads nothing,
//! [`fragment`] as a part of another page.

mod bars;
mod escape;
mod path;
mod reasons;
mod report;
mod strip;
mod topics;
mod view;

pub use path::path;
pub use reasons::{Contribution, Reasons};
pub use report::{SCRIPT, STYLE, fragment, report};
pub use topics::Topic;
pub use view::{Row, View};
