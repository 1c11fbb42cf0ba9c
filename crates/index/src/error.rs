//! Errors of writing and searching an index.

use std::path::PathBuf;

use tantivy::TantivyError;

/// Why an index cannot be written or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder cannot be read or made.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no index in the folder.
    #[error("{path}: no index here", path = .0.display())]
    NoIndex(PathBuf),
    /// The folder holds something else.
    #[error("{path}: is neither empty nor an index", path = .0.display())]
    NotEmpty(PathBuf),
    /// The index was made with other fields, by another version of the program or by another program.
    #[error("{path}: the index has other fields; make it anew", path = .0.display())]
    OtherFields(PathBuf),
    /// Another program is writing the index.
    #[error("{path}: the index is being written by another program", path = .0.display())]
    Locked(PathBuf),
    /// A query without a word to look for.
    #[error("the query has no word to look for")]
    EmptyQuery,
    /// A file of the index, or the index as a whole, is not as it was written.
    #[error("{path}: the index is damaged ({what}); make it anew", path = .path.display())]
    Damaged {
        /// The file, or the folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The index is damaged, or the disk full.
    #[error("index: {0}")]
    Tantivy(#[from] TantivyError),
}
