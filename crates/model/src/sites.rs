//! A site memory records the number of pages of a site that have a block, and derives evidence for or against main text
//! from it. Its space is bounded, and memories can be merged.
//!
//! ```
//! use trommel_html::{Engine, Limits, ScanEngine};
//! use trommel_model::sites::{PagePrint, SiteMemory};
//!
//! let mut memory = SiteMemory::new(64 << 20);
//! for (url, story) in [("https://example.org/1", "One"), ("https://example.org/2", "Two")] {
//!     let html = format!("<p>Subscribe to our letter</p><p>{story} is a story of its own.</p>");
//!     let page = ScanEngine.read(&html, &Limits::default());
//!     memory.add(url, &PagePrint::of(&page), None);
//! }
//! let page = ScanEngine.read("<p>Subscribe to our letter</p><p>A third story.</p>", &Limits::default());
//! let evidence = memory.evidence("https://example.org/3", &PagePrint::of(&page), None).unwrap();
//! assert_eq!(evidence.pages, 2);
//! assert_eq!(evidence.blocks[0].pages, Some(2));
//! assert_eq!(evidence.blocks[1].pages, Some(0));
//! ```

mod compact;
mod correction;
mod counts;
mod error;
mod evidence;
mod file;
mod memory;
mod print;
mod sample;
mod site;

pub use correction::{BY_COUNTS, BY_PROBABILITIES, Correction, Signals, signals};
pub use error::SitesError;
pub use evidence::{BlockEvidence, PageEvidence};
pub use memory::{DEFAULT_BYTES, MIN_BYTES, SiteMemory, SiteSize};
pub use print::PagePrint;
pub use site::site_of;
