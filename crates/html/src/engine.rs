//! The trait that all HTML engines share.

use crate::limits::Limits;
use crate::table::Page;

/// Reads a whole decoded page into its tables in one pass. All engines give the same [`Page`] for the
/// same text.
pub trait Engine {
    /// The page of `html`. Any text is accepted; what goes beyond `limits` is left out and marked.
    fn read(&self, html: &str, limits: &Limits) -> Page;
}
