//! A disk that fails when told to.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trommel_record::{Disk, DiskFile, LocalDisk};

/// Disk that fails after a number of operations that change files, as if it were full or gone. The failing write stores
/// half of its bytes. Files end with an error after a number of bytes.
#[derive(Debug)]
pub struct Failing {
    left: Arc<AtomicU64>,
    readable: usize,
}

impl Failing {
    pub fn after(operations: u64) -> Self {
        Self { left: Arc::new(AtomicU64::new(operations)), readable: usize::MAX }
    }

    pub fn never() -> Self {
        Self::after(u64::MAX)
    }

    /// Returns the number of operations so far.
    pub fn spent(&self) -> u64 {
        u64::MAX - self.left.load(Ordering::SeqCst)
    }

    pub fn reading(bytes: usize) -> Self {
        Self { left: Arc::new(AtomicU64::new(u64::MAX)), readable: bytes }
    }
}

fn spend(left: &AtomicU64) -> io::Result<()> {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
        .map(drop)
        .map_err(|_| io::ErrorKind::StorageFull.into())
}

struct File(Box<dyn DiskFile>, Arc<AtomicU64>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = spend(&self.1) {
            self.0.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.0.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        // Nothing here outlasts a power cut, and syncing takes most of the time.
        spend(&self.1)
    }
}

struct Input(Box<dyn Read + Send>, usize);

impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.1 == 0 {
            return Err(io::Error::other("input/output error"));
        }
        let wanted = out.len().min(self.1);
        let read = self.0.read(&mut out[..wanted])?;
        self.1 -= read;
        Ok(read)
    }
}

impl Disk for Failing {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Input(LocalDisk.open(path)?, self.readable)))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        spend(&self.left)?;
        Ok(Box::new(File(LocalDisk.create(path)?, self.left.clone())))
    }

    fn append(&self, path: &Path, length: u64) -> io::Result<Box<dyn DiskFile>> {
        spend(&self.left)?;
        Ok(Box::new(File(LocalDisk.append(path, length)?, self.left.clone())))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        spend(&self.left)?;
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        spend(&self.left)?;
        LocalDisk.remove(path)
    }
}
