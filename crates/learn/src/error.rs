//! Errors of learning and scoring.

use trommel_archive::ArchiveError;
use trommel_model::ModelError;

/// Error of reading labelled pages, of training a model or of scoring it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file that cannot be read or written.
        path: String,
        /// Error that the operating system reported.
        source: std::io::Error,
    },
    /// A JSON line of a file of labelled pages, or of a file of results by page, cannot be parsed or written.
    #[error("{path}, line {line}: {source}")]
    Line {
        /// Path of the file with the faulty line.
        path: String,
        /// Number of the faulty line, counted from 1.
        line: usize,
        /// Error of the JSON parser or writer.
        source: serde_json::Error,
    },
    /// A line of a file of results by page holds impossible values, such as a probability above 1.
    #[error("{path}, line {line}: {message}")]
    Unsound {
        /// Path of the file with the faulty line.
        path: String,
        /// Number of the faulty line, counted from 1.
        line: usize,
        /// Description of the fault in the line.
        message: &'static str,
    },
    /// The archive with the labelled pages cannot be read to its end.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A page of the archive cannot be decoded.
    #[error("{file} at {offset}: {message}")]
    Page {
        /// Path of the archive that holds the page.
        file: String,
        /// Byte offset in the archive of the page's record.
        offset: u64,
        /// Reason why the page cannot be decoded.
        message: String,
    },
    /// A gold object (the labelled text of one page) has no page in the archive.
    #[error("{pages}: {missing} of {golds} gold objects have no page, the first is {first}")]
    NoPage {
        /// Path of the archive that lacks pages.
        pages: String,
        /// Number of gold objects without a page in the archive.
        missing: usize,
        /// Number of all gold objects in the gold file.
        golds: usize,
        /// WARC-Record-ID of one gold object without a page, the first in sorted order.
        first: String,
    },
    /// The training data holds nothing to learn from; the text says why.
    #[error("nothing to learn from: {0}")]
    Nothing(&'static str),
    /// No block of the training pages is labelled with this role, such as `ingredient`, so the role cannot be learned.
    #[error("no block of the pages to learn from is labelled {0:?}")]
    Role(String),
    /// The numerical solver failed; the text is its message.
    #[error("logistic regression failed: {0}")]
    Solver(String),
    /// The trained model is not valid and cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
}
