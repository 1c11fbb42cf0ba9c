//! Errors of runs that cannot be continued.

use std::{io, path::PathBuf};

/// Version of the format of the state; a state of another is refused.
// A run goes on under the same build only, so a new format need not read the old one.
pub(crate) const VERSION: u32 = 9;

/// Reason why a run cannot be continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
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
