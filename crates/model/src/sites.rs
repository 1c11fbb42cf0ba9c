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
//!
//! Errors of reading, writing and merging a memory of sites.

mod counts;
mod evidence;
mod memory;

pub use counts::{PagePrint, site_of};
pub use evidence::{BY_COUNTS, BY_PROBABILITIES, BlockEvidence, Correction, PageEvidence, Signals, signals};
pub use memory::{DEFAULT_BYTES, MIN_BYTES, SiteMemory, SiteSize};

/// Reason why a site memory (counts of the texts on each site's pages) cannot be read, written or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitesError {
    /// The file is not a site memory (counts of texts per site), or is damaged.
    #[error("not a site memory: {0}")]
    Read(#[from] rmp_serde::decode::Error),
    /// The first field of the file names another format.
    #[error("not a site memory but {0:?}")]
    NotASiteMemory(String),
    /// Another version of the program wrote the file.
    #[error("site memory of version {found}, this program reads {known}")]
    Version {
        /// Version of the file.
        found: u32,
        /// Version that this program reads.
        known: u32,
    },
    /// The file holds impossible values.
    #[error("damaged site memory: {0}")]
    Unsound(&'static str),
    /// The site memory cannot be written.
    #[error("cannot write the site memory: {0}")]
    Write(#[from] rmp_serde::encode::Error),
    /// The two site memories hold probabilities of different models, so they cannot be merged.
    #[error("judged by different models, {0} and {1}: build both with one model, or without")]
    Models(String, String),
}
