//! The saved state of a run, its journal, and its lock: only one run at a time writes an output.

pub(crate) mod checkpoint;
pub(crate) mod remaining;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::{fs, io};

use trommel_record::open_own;

use crate::{Error, Result, run::plan::output::Destination};

/// Holds an output for one run: the hidden file beside it is locked, and removed in the end. The lock of
/// a run that was killed ends with it.
#[derive(Debug)]
pub(crate) struct OutputLock {
    path: PathBuf,
    /// Open for as long as the lock is wanted.
    _file: File,
}

impl OutputLock {
    /// The lock of a destination; standard output needs none.
    ///
    /// # Errors
    /// If another run has it.
    pub(crate) fn acquire(destination: &Destination) -> Result<Option<Self>> {
        let (Destination::Folder(output) | Destination::File(output)) = destination else { return Ok(None) };
        let Some(path) = destination.beside(".run.lock", |name| format!(".{name}.lock")) else { return Ok(None) };
        loop {
            let file = opened(&path).map_err(|source| match source.kind() {
                // There is no such folder: the user named the output, not the lock.
                io::ErrorKind::NotFound => Error::output(output)(source),
                _ => Error::output(&path)(source),
            })?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::exists(output, "another run is writing there"));
                }
                // Some network file systems have no locks; a run there is as safe as it was without.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    tracing::warn!(
                        "{}: this file system has no locks; see that no other run writes there",
                        output.display()
                    );
                }
                Err(TryLockError::Error(source)) => return Err(Error::output(&path)(source)),
            }
            // The run before may have removed the file between its opening and its locking here.
            if is_same(&file, &path) {
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }
}

/// The file of the lock, which may be there already.
fn opened(path: &Path) -> io::Result<File> {
    loop {
        match open_own(path, true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match File::options().write(true).create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
        }
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // Before the lock ends, so that nobody's file is removed but ours.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn no_lock_is_made_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::os::unix::fs::symlink(&victim, folder.path().join(".run.lock")).unwrap();
        let destination = Destination::Folder(folder.path().to_owned());
        let error = OutputLock::acquire(&destination).unwrap_err().to_string();
        assert!(error.contains(".run.lock: a symbolic link where"), "{error}");
        assert!(!victim.exists());
    }

    #[test]
    fn the_second_is_refused_until_the_first_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        for destination in [Destination::Folder(folder.path().to_owned()), Destination::File(file)] {
            let first = OutputLock::acquire(&destination).unwrap();
            let error = OutputLock::acquire(&destination).unwrap_err();
            assert!(error.to_string().ends_with("another run is writing there"), "{error}");
            drop(first);
            OutputLock::acquire(&destination).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(OutputLock::acquire(&Destination::Stdout).unwrap().is_none());
    }
}
