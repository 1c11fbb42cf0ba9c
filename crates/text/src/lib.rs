//! Text tools that all crates share: words, hashes, shingles, statistics and the language of a text. This crate knows
//! nothing of HTML.
//!
//! ```
//! use trommel_text::{TextStats, language, words};
//!
//! let text = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich.";
//! assert_eq!(words::count(text), 13);
//! assert_eq!(language::detect(text).as_deref(), Some("de"));
//! assert_eq!(TextStats::new(text).words().len(), 13);
//! ```

mod amounts;
mod control_characters;
pub mod hash;
pub mod keys;
pub mod language;
mod macros;
mod masks;
#[cfg(test)]
#[path = "../../../tests/rows.rs"]
mod rows;
mod runs;
mod small_signs;
mod url_host;
pub mod vectors;
pub mod words;

pub use amounts::{ByteSize, ByteSizeError, Share, ShareError};
pub use control_characters::without_controls;
pub use hash::{EMPTY_HASH, GOLDEN_GAMMA, SplitMix64, hash, hash_step, mix, word_hash, word_hash_step};
pub use masks::{AsciiCounts, Run, Runs, TextMasks};
pub use runs::{EndSigns, NoSigns, RunEnds, plain_run};
pub use small_signs::{lowered, plain_sign, raised};
pub use url_host::{host_of_authority, url_host};
pub use words::{TextStats, Word, half_words};
