//! Errors of measuring results.

use trommel_learn::LearnError;

use crate::layout::LayoutError;
use crate::methods::MethodError;

/// Why results cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A labelled set cannot be read.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// A method cannot be fitted.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// Layouts cannot be read.
    #[error(transparent)]
    Layouts(#[from] LayoutError),
    /// A file cannot be written.
    #[error("{path}: {source}")]
    Write {
        /// The file or folder.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}
