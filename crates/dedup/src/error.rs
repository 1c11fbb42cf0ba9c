//! Errors of signing, comparing and rewriting outputs.

use std::{io, path::PathBuf};

use trommel_output::{OutputError, ReadError};

/// Why outputs cannot be signed, compared or written again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DedupError {
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// An output cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// The output.
        path: PathBuf,
        /// The fault in the file.
        source: ReadError,
    },
    /// A line is not a signature, or not a duplicate.
    #[error("{path}: line {line}: {source}", path = path.display())]
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
    #[error("{path}: has no row {row}, which is listed as a duplicate: it is another output than the one that was signed", path = path.display())]
    Missing {
        /// The output.
        path: PathBuf,
        /// The row.
        row: u64,
    },
    /// A name that tells no format in which documents are read back.
    #[error("{path}: is no output of JSON lines, MessagePack or Parquet by its name", path = .0.display())]
    Name(PathBuf),
    /// A document cannot be written.
    #[error("{path}: {source}", path = path.display())]
    Output {
        /// The new output.
        path: PathBuf,
        /// The fault in the output.
        source: OutputError,
    },
}

impl DedupError {
    /// The error for a file that cannot be read or written.
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
