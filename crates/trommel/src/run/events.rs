//! The steps of a run as its caller sees them.

use std::io;

use trommel_archive::ResumePoint;

use crate::run::counts::drop_reason::{DropReason, FailureKind};
use crate::run::error::RunError;
use crate::run::work::label::RecordLabel;

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

/// A place in the inputs of a run, after an event. There is none after an input that could not be read to its end.
/// There is none in a run that follows its inputs or drops duplicates, because a position does not contain its memory.
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
