//! The file system for outputs. It is a trait, so that tests can use a failing one.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::create::{create_new, open_own, sync_folder_of};

/// A file system: that of the operating system, but for the methods that a type has of its own.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// The error of the system.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(path)?))
    }

    /// Creates a file of our own. An existing file of its name is removed, and never written to.
    ///
    /// # Errors
    /// The error of the system.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(create_new(path)?))
    }

    /// Opens an existing file of our own, to continue after its first `length` bytes; the rest is cut off.
    ///
    /// # Errors
    /// The error of the system, and [`io::ErrorKind::UnexpectedEof`] if the file is shorter.
    fn append(&self, path: &Path, length: u64) -> io::Result<Box<dyn DiskFile>> {
        let mut file = open_own(path, true)?;
        if file.metadata()?.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Box::new(file))
    }

    /// Renames a file or folder, replacing a file of the new name, and puts the new name on disk.
    ///
    /// # Errors
    /// The error of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        sync_folder_of(to);
        Ok(())
    }

    /// Removes a file.
    ///
    /// # Errors
    /// The error of the system.
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// A file being written.
pub trait DiskFile: Write + Send {
    /// Syncs everything that was written to disk.
    ///
    /// # Errors
    /// The error of the system.
    fn sync(&mut self) -> io::Result<()>;
}

/// The file system of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct LocalDisk;

impl Disk for LocalDisk {}

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
