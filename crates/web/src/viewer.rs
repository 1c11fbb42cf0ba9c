//! Shows the decisions about one page: every block with its probability, whether it is kept, and why.
//!
//! A [`View`] holds the data. [`report`] writes it as an HTML page that loads nothing, and [`fragment`] as a
//! part of another page.

mod reasons;
mod report;
mod view;

pub use reasons::{Reasons, Topic};
pub use report::{SCRIPT, STYLE, fragment, report};
pub use view::{Row, View, path};
