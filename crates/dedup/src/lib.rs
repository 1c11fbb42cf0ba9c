//! Duplicates among the documents of many runs.
//!
//! A run compares documents with those before it in the same run. Here the outputs of many runs, the shards, are
//! compared: [`sign`] makes of each document a [`Signature`], its place and its keys; [`Finder`] groups those
//! of all shards by their keys; [`without`] writes a shard again without the documents that are duplicates.
//!
//! The rule needs no order of work and no state: a document is a duplicate of the first document, by name of
//! shard and row, that has a key in common with it. So the keys can be divided among programs, and what
//! these find is put together by a union. What a run's own filter keeps may differ: it compares with the documents
//! that it kept, and forgets.

mod error;
mod find;
mod remove;
mod shard;
mod sign;

pub use error::DedupError;
pub use find::{DocumentPlace, Duplicate, DuplicateReason, Finder, KeyShare};
pub use remove::{Removed, read_duplicates, without};
pub use shard::shard_name;
pub use sign::{Signature, read_signatures, sign};
