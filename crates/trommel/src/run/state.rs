//! The saved state of a run, its journal, and its lock: only one run at a time writes an output.

pub(crate) mod checkpoint;
pub(crate) mod remaining;

use std::fs::{File, TryLockError};
use std::io;

use tempfile::TempPath;
use trommel_record::create_locked;

use crate::{Error, Result, run::plan::output::Destination};

/// Holds an output for one run: the hidden file beside it is locked, and removed in the end. The lock of a run that was
/// killed ends with it.
// Removed before its lock ends, so that nobody's file is removed but ours.
pub(crate) type OutputLock = (TempPath, File);

/// The lock of a destination; standard output needs none.
///
/// # Errors
/// If another run has it.
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
