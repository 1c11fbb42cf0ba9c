//! Errors that end a run early.

pub(crate) mod resume;

use std::io;
use std::path::{Path, PathBuf};

use trommel_record::OutputError;
use trommel_sources::SourceError;

use crate::run::counts::summary::SumMismatch;

pub use resume::ResumeError;

/// The reason why a run ended early. The written part of unfinished files stays under a hidden name if
/// [`Plan::state_file`](crate::run::Plan::state_file) is there to continue from, and is removed if not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An output cannot be written.
    #[error("{path}: {source}")]
    Output {
        /// The output.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// An output cannot be written in its format.
    #[error(transparent)]
    Encode(#[from] OutputError),
    /// An archive could be opened and read, but not to its end.
    #[error("{0}")]
    Input(String),
    /// Another run is writing the same output.
    #[error("{0}: another run is writing there")]
    Locked(PathBuf),
    /// Outputs are there already.
    #[error("{0}: is there already; --overwrite replaces it, --resume continues the run that wrote it")]
    Exists(PathBuf),
    /// Outputs are there, and nothing tells how they were made.
    #[error("{0}: is there already, without the state of a run to resume; --overwrite replaces it")]
    NoState(PathBuf),
    /// A run was interrupted here.
    #[error("{0}: a run was interrupted here; --resume continues it, --overwrite starts afresh")]
    Interrupted(PathBuf),
    /// A folder that would be replaced holds something else.
    #[error("{path}: holds {file}, which is not part of such an output; the folder is left as it is")]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The file at that place.
        file: PathBuf,
    },
    /// A device, pipe or socket has the name of an output.
    #[error(
        "{0}: is a device, pipe or socket; documents are written to files and folders, or with -o - to standard output"
    )]
    NotAFile(PathBuf),
    /// Two files of the run have one name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The run was stopped from outside.
    #[error("stopped")]
    Stopped,
    /// The run cannot continue where another ended.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// The counts of the run contradict one another.
    #[error(transparent)]
    Sums(#[from] SumMismatch),
    /// The caller who takes the documents ended the run.
    #[error(transparent)]
    Caller(io::Error),
    /// A run cannot start in the middle of its inputs.
    #[error("a run that follows its inputs or drops duplicates cannot start in the middle of them")]
    Start,
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl RunError {
    /// Returns whether the run ended before it changed anything.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Locked(_)
                | Self::Exists(_)
                | Self::NoState(_)
                | Self::Interrupted(_)
                | Self::Foreign { .. }
                | Self::NotAFile(_)
                | Self::Name(_)
                | Self::Resume(_)
                | Self::Start
        )
    }

    /// Like [`output`](Self::output), for a file of an interrupted run. If the file has changed, the run cannot
    /// continue.
    pub(crate) fn unfinished(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            // The file is gone, shorter or other than the state says. All other errors are those of the disk.
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                ResumeError::Unfinished { path: path.to_owned(), what: source.to_string() }.into()
            }
            _ => Self::output(path, source),
        }
    }

    pub(crate) fn output(path: &Path, source: io::Error) -> Self {
        Self::Output { path: path.to_owned(), source }
    }
}

/// A name that another file of the run has.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: is {what}; name another file with {option}")]
pub struct NameError {
    /// The name.
    pub path: PathBuf,
    /// The owner of the name.
    pub what: &'static str,
    /// The option that gives it again.
    pub option: &'static str,
}

/// Reason why outputs cannot be in a bucket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BucketError {
    /// The existing outputs cannot be continued.
    #[error("{0}: outputs in a bucket cannot be continued; what is whole there stays")]
    Resume(String),
    /// There is no local folder for outputs that are not yet sent.
    #[error("folder for unfinished outputs (TMPDIR): {0}")]
    Folder(#[source] io::Error),
    /// The network cannot be used.
    #[error("network: {0}")]
    Network(#[source] SourceError),
    /// The bucket answers otherwise than it should.
    #[error("{url}: {source}")]
    Answer {
        /// The URL of the request.
        url: String,
        /// The error of the source.
        source: SourceError,
    },
    /// An output is there already.
    #[error("{0}: is there already; --overwrite replaces it")]
    Exists(String),
}
