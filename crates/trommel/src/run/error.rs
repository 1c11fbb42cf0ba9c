//! Errors that end a run early, those of runs that cannot be continued, and the steps of a run as its caller sees them.

use std::io;
use std::path::{Path, PathBuf};

use trommel_archive::ResumePoint;
use trommel_record::OutputError;
use trommel_sources::SourceError;

use crate::ErrorKind;
use crate::run::counts::reasons::{DropReason, FailureKind};
use crate::run::counts::summary::SumMismatch;
use crate::run::work::task::RecordLabel;

/// The reason why a run ended early. The written part of unfinished files stays under a hidden name if
/// [`Plan::state_file`](crate::run::Plan::state_file) is there to continue from, and is removed if not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
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
    /// The subject of the error.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Output { .. } | Self::Encode(_) => ErrorKind::Output,
            Self::Input(_) => ErrorKind::Input,
            Self::Locked(_)
            | Self::Exists(_)
            | Self::NoState(_)
            | Self::Interrupted(_)
            | Self::Foreign { .. }
            | Self::NotAFile(_) => ErrorKind::Exists,
            Self::Name(_) | Self::Start => ErrorKind::Setting,
            Self::Stopped => ErrorKind::Stopped,
            Self::Resume(_) => ErrorKind::Resume,
            Self::Sums(_) => ErrorKind::Defect,
            Self::Caller(_) => ErrorKind::Caller,
            Self::Thread(_) => ErrorKind::System,
        }
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
pub(crate) struct NameError {
    /// The name.
    pub path: PathBuf,
    /// The owner of the name.
    pub what: &'static str,
    /// The option that gives it again.
    pub option: &'static str,
}

/// Reason why outputs cannot be in a bucket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BucketError {
    /// The existing outputs cannot be continued.
    #[error("{0}: outputs in a bucket cannot be continued; what is whole there stays")]
    Resume(String),
    /// There is no local folder for outputs that are not yet sent.
    #[error("folder for unfinished outputs (TMPDIR): {0}")]
    Folder(#[source] io::Error),
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

impl BucketError {
    /// The subject of the error.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Resume(_) => ErrorKind::Resume,
            Self::Folder(_) => ErrorKind::Output,
            Self::Answer { .. } => ErrorKind::Network,
            Self::Exists(_) => ErrorKind::Exists,
        }
    }
}

/// Version of the format of the state; a state of another is refused.
// A run goes on under the same build only, so a new format need not read the old one.
pub(crate) const VERSION: u32 = 10;

/// Reason why a run cannot be continued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    /// It reads standard input or writes standard output.
    #[error("a run that reads standard input or writes standard output cannot be resumed")]
    Stream,
    /// The state cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The state or its journal.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The state is damaged.
    #[error(
        "{path}: the state of the run is empty or damaged ({what}); remove this file and start afresh with --overwrite"
    )]
    Damaged {
        /// The state or its journal.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// The state was written by another version of the program.
    #[error("{path}: state of version {version}, this program reads version {VERSION}; start afresh with --overwrite")]
    Version {
        /// The state.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The run was another.
    #[error(
        "{path}: the run to continue had {name} {then}, this one has {now}; use the same, or start afresh with --overwrite"
    )]
    OtherPlan {
        /// The state.
        path: PathBuf,
        /// The setting that differs.
        name: String,
        /// Its earlier value.
        then: String,
        /// Its present value.
        now: String,
    },
    /// An input has changed since the run read it.
    #[error("{input}: has changed since the run read it: {change}; start afresh with --overwrite")]
    Changed {
        /// The input.
        input: String,
        /// Description of the change.
        change: String,
    },
    /// An input that the run read is not among those of this one.
    #[error(
        "{input}: the run to continue read this input, which is not among those of this one; name it too, or start afresh with --overwrite"
    )]
    Missing {
        /// The input.
        input: String,
    },
    /// One file for all inputs takes no more once it is whole.
    #[error(
        "{output}: the run into this file is finished, and {input} is new; write into a folder to add inputs, or start afresh with --overwrite"
    )]
    Whole {
        /// The output.
        output: PathBuf,
        /// The first new input.
        input: String,
    },
    /// An input is new, and all pages depend on all inputs.
    #[error(
        "{input}: is new, and with {why} each page depends on all inputs: no run from the start would give what this one would; name the same inputs as before, or start afresh with --overwrite"
    )]
    Added {
        /// The first new input.
        input: String,
        /// The option.
        why: &'static str,
    },
    /// A file that the run left unfinished is gone, or has been changed.
    #[error(
        "{path}: what the run had written of it is damaged ({what}); restore its hidden file, or start afresh with --overwrite"
    )]
    Unfinished {
        /// The final name of the file.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// An output of the run is gone.
    #[error("{output}: written by the run to continue, but gone; start afresh with --overwrite")]
    Gone {
        /// The output.
        output: PathBuf,
    },
}

/// One step of a run, in the order of the inputs and their records.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent<T> {
    /// An input is opened.
    Opened {
        /// Its name.
        input: String,
    },
    /// A document, as `Run::map` made it.
    Document(T),
    /// A record without a document, for a reason that is not a fault.
    Dropped {
        /// The record.
        record: Box<RecordLabel>,
        /// The reason.
        reason: DropReason,
    },
    /// A record without a document, by a fault.
    Failed {
        /// Kind of fault.
        kind: FailureKind,
        /// One line that names the file, the offset, the record and the fault.
        message: String,
    },
    /// Damage that was skipped.
    Damaged {
        /// Stored offset where it begins.
        offset: u64,
        /// Bytes lost.
        lost: u64,
        /// Its description.
        what: String,
    },
    /// The end of an input.
    Ended {
        /// Stored bytes read.
        bytes: u64,
        /// Reason why it could not be read, or not to its end.
        error: Option<String>,
    },
}

/// A place in the inputs of a run, after an event. There is none after an input that could not be read completely,
/// nor in a run that follows its inputs or drops duplicates: that depends on more than the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPosition {
    /// Index of the input; their number after the last one.
    pub input: usize,
    /// Place in it; none: its start.
    pub point: Option<ResumePoint>,
}

/// Takes an event, and the position at which `Run::starting_at` continues after it, if the run can be continued there.
/// [`ErrorKind::BrokenPipe`](io::ErrorKind::BrokenPipe) ends the run without an error.
pub type TakeEvent<'a, T> = dyn FnMut(RunEvent<T>, Option<RunPosition>) -> io::Result<()> + 'a;

/// The function that takes the events of a run for the caller.
pub(crate) type TakeStep<'a, T> = dyn FnMut(RunEvent<T>, Option<RunPosition>) -> Result<(), RunError> + 'a;
