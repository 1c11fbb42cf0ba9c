//! Why a run ended early.

use std::{
    io,
    path::{Path, PathBuf},
};

use trommel_output::OutputError;

use crate::ResumeError;

/// Why a run ended early. What was written of unfinished files stays under a hidden name if
/// [`Plan::state_file`] is there to continue from, and is removed if not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An output cannot be written.
    #[error("{path}: {source}", path = path.display())]
    Output {
        /// The output.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An output cannot be written in its format.
    #[error(transparent)]
    Encode(#[from] OutputError),
    /// An archive could be opened and read, but not to its end.
    #[error("{0}")]
    Input(String),
    /// The run was stopped from outside.
    #[error("stopped")]
    Stopped,
    /// The run cannot continue where another ended.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl RunError {
    pub(crate) fn output(path: &Path, source: io::Error) -> Self {
        Self::Output {
            path: path.to_owned(),
            source,
        }
    }
}
