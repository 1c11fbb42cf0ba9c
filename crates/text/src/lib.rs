//! Tools for text that all crates share: words, hashes, shingles, statistics and the language of a text.
//! This crate knows nothing of HTML.
//!
//! ```
//! use trommel_text::{TextStats, language, words};
//!
//! let text = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich.";
//! assert_eq!(words::count(text), 13);
//! assert_eq!(language::detect(text).as_deref(), Some("de"));
//! assert_eq!(TextStats::new(text).words().len(), 13);
//! ```

mod byte_size;
mod controls;
pub mod hash;
pub mod language;
mod long_runs;
mod masks;
mod named;
mod plain_run;
#[cfg(test)]
#[path = "../../../tests/rows.rs"]
mod rows;
mod setters;
mod share;
pub mod shingle;
mod stats;
mod url_host;
pub mod vectors;
pub mod words;

pub use byte_size::{ByteSize, ByteSizeError};
pub use controls::without_controls;
pub use hash::{EMPTY_HASH, GOLDEN_GAMMA, SplitMix64, hash, hash_step, mix, word_hash, word_hash_step};
pub use long_runs::long_run;
pub use masks::{AsciiCounts, Run, Runs, TextMasks};
pub use plain_run::{EndSigns, NoSigns, RunEnds, plain_run};
pub use share::{Share, ShareError};
pub use stats::{TextStats, Word, half_words};
pub use url_host::{host_of_authority, url_host};
