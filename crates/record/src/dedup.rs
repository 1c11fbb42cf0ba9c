//! Finds duplicates among the documents of many runs.
//!
//! A run compares documents only with earlier ones of the same run. This crate compares the outputs of many
//! runs, the shards. [`sign`] writes a [`Signature`] for each document: its place and its keys. [`Finder`]
//! groups those of all shards by their keys. [`without`] copies a shard without its duplicates, unless it is another
//! file than the one that was signed.
//!
//! The rule needs no order of work and no state. A document is a duplicate of the first document, by name of
//! shard and row, that has a key in common with it. So programs can divide the keys among them, and the union
//! of their lists is complete. The filter of a run may keep other documents: it compares only with those that
//! it kept, and it forgets old ones.

mod error;
mod find;
mod remove;
mod shard;
mod signature_file;
mod signed_file;

pub use error::DedupError;
pub use find::{DocumentPlace, Duplicate, DuplicateReason, Finder, KeyShare};
pub use remove::{Removed, read_duplicates, without};
pub use shard::shard_name;
pub use signature_file::{Signature, is_signed, read_signatures, sign};
pub use signed_file::SignedFile;
