//! The readers of HTML, which drive one builder. One reads a whole page in memory, one a growing page. A third
//! one, for tests alone, reads a page in chunks by the tokenizer of lol_html.

mod content;
#[cfg(any(test, feature = "lol"))]
#[path = "tests/lol.rs"]
mod lol;
mod scan;
mod scanner;
mod text_ends;

use crate::{limits::Limits, page::Page};

#[cfg(any(test, feature = "lol"))]
pub use lol::{LolEngine, PushReader};
pub use scan::{GrowingReader, ScanEngine, ScanReader};

/// Reads a whole decoded page into its tables in one pass. All engines give the same [`Page`] for the
/// same text.
pub trait Engine {
    /// The page of `html`. Any text is accepted; what goes beyond `limits` is left out and marked.
    fn read(&self, html: &str, limits: &Limits) -> Page;
}

/// The depth to which `noscript` in `noscript` is followed, each level by a tokenizer of its own. Deeper
/// ones are read like other elements.
// A `noscript` cannot contain another in HTML. The bound keeps readers from nesting as deep as a hostile page.
const MAX_NOSCRIPT_DEPTH: u32 = 2;
