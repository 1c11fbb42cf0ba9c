//! Shows the decisions about one page: every block with its probability, whether it is kept, and why.
//!
//! A [`View`] holds the data. [`report`] writes it as an HTML page that loads nothing, and [`fragment`] as a
//! part of another page.

mod bars;
mod escape;
mod path;
mod reasons;
mod report;
mod topics;
mod view;

pub use path::path;
pub use reasons::{Contribution, Reasons};
pub use report::{SCRIPT, STYLE, fragment, report};
pub use topics::Topic;
pub use view::{Row, View};
