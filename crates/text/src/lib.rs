//! What a word is, hashes of text, shingles, and the language of a text: shared by every crate that looks at
//! text, and knowing nothing of HTML.

pub mod hash;
pub mod language;
pub mod shingle;
pub mod words;

pub use hash::{EMPTY_HASH, hash, hash_step, mix};
