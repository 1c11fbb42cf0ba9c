//! The published content-extraction methods, each in a file of its own, behind one trait and on the
//! same tables, so that they can be compared page by page.
//!
//! ```
//! use trommel_html::{Engine, Limits, ScanEngine};
//!
//! let page = ScanEngine.read("<p>One</p><p>Two</p>", &Limits::default());
//! let method = trommel_lab::methods::by_name("all-text").unwrap();
//! assert_eq!(method.extract(&page).unwrap(), [true, true]);
//! ```

mod all_text;
mod boilerpipe;
mod bte;
mod by_site;
mod cetd;
mod cetr;
mod cetr_lines;
mod class_words;
mod feature_extractor;
mod home;
mod justext;
mod kim;
mod largest_block;
mod method;
mod mixture;
mod mss;
mod mss_supervised;
mod peters_lecocq;
mod peters_lecocq_2013;
mod rai_chaudhary;
mod readability;
mod registry;
mod segments;
mod source_line;
mod span;
mod string_length;
mod table_pattern;
mod token_stream;
mod tree;
mod ttr;
mod xml;

pub use self::justext::JusText;
pub use all_text::AllText;
pub use boilerpipe::Boilerpipe;
pub use bte::{Bte, BteSegments};
pub use by_site::{
    ContentExtractor, ContentLikeness, InfoDiscoverer, SiteMethod, SiteStyleTree, XCex, all_by_site, extract_by_host,
    pages_by_host,
};
pub use cetd::Cetd;
pub use cetr::{Cetr, CetrThreshold};
pub use cetr_lines::{CetrLines, CetrLinesThreshold};
pub use feature_extractor::{FeatureExtractor, KFeatureExtractor};
pub use kim::{BlockAttributes, BlockScores, FoldUnit, Kim, Validation, block_scores};
pub use largest_block::LargestBlock;
pub use method::{About, Example, Method, MethodError};
pub use mss::Mss;
pub use mss_supervised::MssSupervised;
pub use peters_lecocq::PetersLecocq;
pub(crate) use peters_lecocq_2013::paper_blocks;
pub use peters_lecocq_2013::{BlockWeight, PaperChoices, PaperFeatures, PetersLecocq2013};
pub use rai_chaudhary::RaiChaudhary;
pub use readability::Readability;
pub use registry::{all, by_name};
pub use string_length::StringLengthSmoothing;
pub use table_pattern::TablePattern;
pub use ttr::{TtrEm, TtrFarthestFirst, TtrKmeans, TtrThreshold};
pub use xml::to_xml;
