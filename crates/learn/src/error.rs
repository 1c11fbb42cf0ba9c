//! Errors of learning and scoring.

use trommel_archive::ArchiveError;
use trommel_model::ModelError;

/// The errors of learning and scoring.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A line of a file of gold objects or judged pages cannot be parsed or written.
    #[error("{path}, line {line}: {source}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// A line of a file of judged pages has impossible values.
    #[error("{path}, line {line}: {message}")]
    Unsound {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The fault.
        message: &'static str,
    },
    /// The archive of the pages cannot be read to its end.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A page of the archive cannot be decoded.
    #[error("{file} at {offset}: {message}")]
    Page {
        /// The archive.
        file: String,
        /// The record's offset.
        offset: u64,
        /// The fault.
        message: String,
    },
    /// A gold object has no page in the archive.
    #[error("{pages}: {missing} of {golds} gold objects have no page, the first is {first}")]
    NoPage {
        /// The archive.
        pages: String,
        /// The number of missing pages.
        missing: usize,
        /// The number of golds.
        golds: usize,
        /// Record id of the first.
        first: String,
    },
    /// There is nothing to learn from.
    #[error("nothing to learn from: {0}")]
    Nothing(&'static str),
    /// A role that no block of the pages has.
    #[error("no block of the pages to learn from is labelled {0:?}")]
    Role(String),
    /// The solver failed.
    #[error("logistic regression failed: {0}")]
    Solver(String),
    /// The result is not a usable model.
    #[error(transparent)]
    Model(#[from] ModelError),
}
