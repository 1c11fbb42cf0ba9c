//! Errors of measuring results.

use trommel_learn::LearnError;

use crate::methods::MethodError;

/// Reason why results cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A labelled set cannot be read.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// A method cannot be fitted.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A file cannot be written.
    #[error("{path}: {source}")]
    Write {
        /// The file or folder.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
}
