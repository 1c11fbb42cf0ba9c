//! The files of a run's saved state and journal, and the lock that lets one run at a time write an output.

pub(crate) mod checkpoint;
pub(crate) mod inputs;

use std::fs::{File, TryLockError};
use std::{io, path::PathBuf};

use tempfile::TempPath;
use trommel_record::{Disk, create_locked, discard};

use crate::run::{inputs::Input, plan::Follow, plan::Plan, plan::output::Destination};
use crate::{Error, Result};

/// Name of the file with the state of an unfinished run, in the folder of its outputs.
// Readers of the folder pass over both.
const FOLDER_STATE: &str = ".run.checkpoint";
pub(crate) const FINISHED_STATE: &str = "_STATE";

impl Plan {
    /// Returns the path of the state file of the unfinished run: `.run.checkpoint` in the folder of its outputs, or
    /// `.NAME.checkpoint` beside its one output. None if the run cannot be continued, as with standard input or output.
    pub fn state_file(&self) -> Option<PathBuf> {
        let pipe = |follow: &Follow| follow.arguments.iter().any(|argument| argument == "-");
        // What came through a pipe cannot be read again, so there is nothing to continue from.
        if self.inputs.contains(&Input::Stdin) || self.follow.as_ref().is_some_and(pipe) {
            return None;
        }
        self.output.destination.beside(FOLDER_STATE, |name| format!(".{name}.checkpoint"))
    }

    /// Returns the path from which the hidden journal (list of finished inputs) gets its name: `run.journal` in the
    /// folder of outputs (hidden: `.run.journal.tmp`), or `NAME.journal` beside a single output.
    pub(crate) fn journal_file(&self) -> Option<PathBuf> {
        self.output.destination.beside("run.journal", |name| format!("{name}.journal"))
    }

    /// Removes the files that remain of a removed state: its list of finished inputs, and an incomplete newer state.
    /// Errors are ignored, because these files do no harm.
    pub(crate) fn discard_state(&self, disk: &dyn Disk) {
        self.state_file().iter().chain(&self.journal_file()).for_each(|path| discard(disk, path));
    }

    /// Returns the path of the state of a finished run, to which inputs may be added later: `_STATE` in the folder of
    /// its outputs, or `_NAME.state` beside its one output. None if the run cannot be continued.
    pub fn finished_file(&self) -> Option<PathBuf> {
        self.state_file()?;
        self.output.destination.beside(FINISHED_STATE, |name| format!("_{name}.state"))
    }
}

/// Lock of a run on its output: the hidden lock file, removed in the end, and its open handle. The lock of a killed run
/// ends with its process.
// Removed before its lock ends, so that nobody's file is removed but ours.
pub(crate) type OutputLock = (TempPath, File);

/// Locks the destination of a run against other runs. Standard output and the caller need no lock.
///
/// # Errors
/// Fails if another run holds the lock.
pub(crate) fn lock(destination: &Destination) -> Result<Option<OutputLock>> {
    let (Destination::Folder(output) | Destination::File(output)) = destination else { return Ok(None) };
    let Some(path) = destination.beside(".run.lock", |name| format!(".{name}.lock")) else { return Ok(None) };
    let lock = match create_locked(&path) {
        Ok(Some((file, path))) => file.try_lock().map(|()| (path, file)),
        Ok(None) => Err(TryLockError::WouldBlock),
        Err(error) => Err(TryLockError::Error(error)),
    };
    match lock {
        Ok(lock) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Err(Error::exists(output, "another run is writing there")),
        // Some network file systems have no locks; a run there is as safe as it was without.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            tracing::warn!("{}: this file system has no locks; see that no other run writes there", output.display());
            Ok(None)
        }
        // There is no such folder: the user named the output, not the lock.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::NotFound => Err(Error::output(output)(error)),
        Err(TryLockError::Error(error)) => Err(Error::output(&path)(error)),
    }
}
