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
//!
//! Errors of signing, comparing and rewriting outputs.

mod duplicates;
mod signatures;

use std::error::Error;
use std::path::{Path, PathBuf};

pub use duplicates::{DocumentPlace, Duplicate, DuplicateReason, Finder, KeyShare, Removed, read_duplicates, without};
pub use signatures::{Signature, SignedFile, is_signed, read_signatures, shard_name, sign};

/// Reason why outputs cannot be signed, compared or written again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DedupError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system or of its format.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A line is not a signature, or not a duplicate.
    #[error("{path}: line {line}: {source}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// The error of the JSON reader.
        source: serde_json::Error,
    },
    /// Two documents have one place: two shards have the same name, or one was signed twice.
    #[error("{shard}: row {row} is there twice: give each output a name of its own, and its signatures once")]
    Twice {
        /// Name of the shard.
        shard: String,
        /// Number of the document in it.
        row: u64,
    },
    /// A duplicate that the output does not have.
    #[error(
        "{path}: has no row {row}, which is listed as a duplicate: it is another output than the one that was signed"
    )]
    Missing {
        /// The output.
        path: PathBuf,
        /// The row.
        row: u64,
    },
    /// An output that is not the one whose duplicates are listed.
    #[error("{path}: was made again after it was signed ({what}): sign it again, and find the duplicates again")]
    Changed {
        /// The output.
        path: PathBuf,
        /// The difference.
        what: String,
    },
    /// A name that tells no format in which documents are read back.
    #[error("{0}: is no output of JSON lines, MessagePack or Parquet by its name")]
    Name(PathBuf),
}

impl DedupError {
    /// Names the file that an error is about.
    pub(crate) fn of<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source: source.into() }
    }
}
