//! Files that grow while they are read: those of a crawler, and copies of pipes.
//!
//! A followed file that was cut or replaced is recognised by its mark.

use std::cell::Cell;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fs, fs::File, io, ops::Range, thread, time::Duration};

use tempfile::{NamedTempFile, TempPath};
use trommel_archive::{file_name::OPEN, wacz::Window};

/// Number of processed bytes in the copy of a pipe after which their disk space is freed.
const MIN_DONE_BYTES: u64 = 64 << 20;
/// Number of bytes at the start of a pipe's copy that are never freed, because they may hold a zstd dictionary.
const KEPT_BYTES: u64 = 4 << 20;

/// File that is followed while it grows: one that a crawler writes and may rename, or the copy of a pipe.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrowingFile {
    pub(crate) path: PathBuf,
    pipe: Option<Arc<Pipe>>,
}

/// Pipe whose data is copied to a temporary file.
// On disk, because a record may be read twice and memory would grow with a slow run.
#[derive(Debug)]
struct Pipe {
    /// Temporary file and, if the file needs a name, its path; the file is removed in the end.
    _file: (File, Option<TempPath>),
    is_ended: Arc<AtomicBool>,
    /// Byte offset up to which the disk space of the temporary file has been freed, except for its first bytes.
    freed: AtomicU64,
}

impl GrowingFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, pipe: None }
    }

    /// Begins to copy the pipe that `open` opens to a temporary file. The copying thread ends with the pipe or the
    /// program.
    pub(crate) fn pipe<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> io::Result<Self> {
        let (file, name) = NamedTempFile::new()?.into_parts();
        let mut copied = file.try_clone()?;
        let is_ended = Arc::new(AtomicBool::new(false));
        let ended = is_ended.clone();
        let copy = move || {
            if let Err(error) = open().and_then(|mut input| io::copy(&mut input, &mut copied)) {
                tracing::error!("pipe: {error}");
            }
            ended.store(true, Ordering::Release);
        };
        thread::Builder::new().name("pipe".to_owned()).spawn(copy)?;
        // A file without a name goes with the program, also if that is killed.
        let (path, name) = match by_handle(&file) {
            Some(path) => (path, None),
            None => (name.to_path_buf(), Some(name)),
        };
        Ok(Self { path, pipe: Some(Arc::new(Pipe { _file: (file, name), is_ended, freed: AtomicU64::new(0) })) })
    }

    pub(crate) fn is_pipe(&self) -> bool {
        self.pipe.is_some()
    }

    /// Returns the present length of the file in bytes.
    pub(crate) fn length(&self) -> io::Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }

    /// Opens the first `length` bytes of the file, and stores a second handle of the file in `read`.
    pub(super) fn open(&self, length: u64, read: &Cell<Option<File>>) -> io::Result<Window<File>> {
        let file = File::open(&self.path)?;
        read.set(file.try_clone().ok());
        Window::new(file, 0, length)
    }

    /// Returns whether the file can grow no more, because it is the copy of a pipe that has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.pipe.as_ref().is_some_and(|pipe| pipe.is_ended.load(Ordering::Acquire))
    }

    /// Returns whether the file has stopped growing. It is the copy of a pipe that has ended, or has its final name and
    /// has not changed for `time`.
    pub(crate) fn is_quiet(&self, time: Duration) -> bool {
        if self.is_pipe() || self.path.to_string_lossy().ends_with(OPEN) {
            return self.is_ended();
        }
        let changed = fs::metadata(&self.path).and_then(|file| file.modified());
        changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= time))
    }

    /// Frees the disk space of a pipe's copy before byte `offset`, 64 MiB or more at a time; other files do not change.
    pub(crate) fn discard_before(&self, offset: u64) {
        let Some(pipe) = &self.pipe else { return };
        let from = pipe.freed.load(Ordering::Relaxed);
        if offset.saturating_sub(from) < MIN_DONE_BYTES {
            return;
        }
        pipe.freed.store(offset, Ordering::Relaxed);
        if let Err(error) = free(&self.path, from.max(KEPT_BYTES)..offset) {
            // They stay where they are.
            tracing::debug!("temporary file of a pipe: {error}");
        }
    }
}

/// Returns a path that leads to an open file without a name; none if the system has no such paths.
fn by_handle(file: &File) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    let path = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file)));
    #[cfg(not(target_os = "linux"))]
    let path = PathBuf::new();
    path.exists().then_some(path)
}

/// Frees the disk space of a byte range of a file, whose length and other bytes stay.
#[cfg(target_os = "linux")]
fn free(path: &Path, range: Range<u64>) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let file = File::options().write(true).open(path)?;
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(fallocate(&file, hole, range.start, range.end.saturating_sub(range.start))?)
}

/// Does nothing, because only Linux can free a byte range of a file.
#[cfg(not(target_os = "linux"))]
fn free(_: &Path, _: Range<u64>) -> io::Result<()> {
    Ok(())
}

/// Maximum bytes of each half of a file's fingerprint: at the start of the file, and before the place read up to.
const MARK_BYTES: u64 = 512;

/// Fingerprint of a followed file: its first bytes, and the last bytes before the place up to which it was read.
// Not the number of the file: some copy a file to itself, and some network folders give numbers anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    end: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// True if a warning that the file has become shorter was already logged, so that it is not repeated.
    is_told: bool,
}

impl Mark {
    /// Replaces the fingerprint by that of the file `read`, which was read up to byte `end`; keeps the old on errors.
    pub(super) fn renew(&mut self, read: Option<File>, end: u64) {
        if let (Some(file), false) = (read, end == self.end)
            && let Ok((head, tail)) = ends(file, end)
            // Cut just now: the mark before tells.
            && tail.len() >= head.len()
        {
            *self = Self { end, head, tail, is_told: false };
        }
    }

    /// Checks that a file, which now has `length` bytes, was not cut or replaced since it was read up to byte `end`.
    /// Logs the fault, and returns whether the file was replaced.
    pub(super) fn check(&mut self, name: &str, growing: &GrowingFile, length: u64, end: u64) -> bool {
        if growing.is_pipe() {
            return false;
        }
        // What cannot be read now is looked at again.
        let is_replaced = File::open(&growing.path)
            .and_then(|file| ends(file, self.end))
            .is_ok_and(|(head, tail)| !self.head.starts_with(&head) || length >= self.end && tail != self.tail);
        // A mark is not saved with the state of a run.
        let is_cut = !is_replaced && length < end.max(self.end);
        if is_replaced {
            tracing::warn!("{name}: has other contents than before, which are read from their start");
        } else if is_cut && !self.is_told {
            tracing::warn!("{name}: has {length} bytes, but {end} were read before: it was cut");
        }
        self.is_told = is_cut;
        is_replaced
    }
}

/// Reads the bytes of a file's fingerprint, if they exist: at the start of the file, and before byte `end`.
fn ends(mut file: File, end: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let head = part(&mut file, 0..MARK_BYTES.min(end))?;
    Ok((head, part(&mut file, end.saturating_sub(MARK_BYTES)..end)?))
}

fn part(file: &mut File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(range.start))?;
    file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn all(growing: &GrowingFile, from: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut window = growing.open(growing.length().unwrap(), &Cell::default()).unwrap();
        window.seek(SeekFrom::Start(from)).unwrap();
        window.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn pipes_can_be_read_again_and_what_is_done_with_takes_no_room() {
        let (read, mut write) = io::pipe().unwrap();
        let growing = GrowingFile::pipe(move || Ok(read)).unwrap();
        let wait = |length| {
            while growing.length().unwrap() < length {
                thread::yield_now();
            }
        };
        write.write_all(b"0123456789").unwrap();
        wait(10);
        assert_eq!(all(&growing, 4), b"456789");
        assert!(!growing.is_ended() && !growing.is_quiet(Duration::ZERO));
        let long: Vec<u8> = (0..MIN_DONE_BYTES).map(|at| (at % 251) as u8).collect();
        write.write_all(&long).unwrap();
        drop(write);
        wait(10 + MIN_DONE_BYTES);
        growing.discard_before(MIN_DONE_BYTES);
        assert_eq!(growing.length().unwrap(), 10 + MIN_DONE_BYTES);
        assert_eq!(all(&growing, MIN_DONE_BYTES), long[long.len() - 10..]);
        assert_eq!(all(&growing, 0)[..10], *b"0123456789");
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::MetadataExt;
            let blocks = fs::metadata(&growing.path).unwrap().blocks();
            assert!(blocks * 512 < 2 * KEPT_BYTES, "{blocks}");
        }
        while !growing.is_ended() {
            thread::yield_now();
        }
        assert!(growing.is_quiet(Duration::ZERO));
        #[cfg(target_os = "linux")]
        {
            let named = fs::read_link(&growing.path).unwrap();
            assert!(named.to_string_lossy().ends_with(" (deleted)"), "{}", named.display());
        }
    }

    #[test]
    fn files_are_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let growing = GrowingFile::new(path.clone());
        let mut mark = Mark::default();
        let old: Vec<u8> = (0..3000_u32).map(|at| (at % 251) as u8).collect();
        let mut change = |bytes: &[u8], end: u64| {
            std::fs::write(&path, bytes).unwrap();
            let read = mark.end;
            let is_replaced = mark.check("a", &growing, bytes.len() as u64, read);
            let is_cut = mark.is_told;
            mark.renew(File::open(&path).ok(), end);
            (is_replaced, is_cut)
        };
        let (same, cut, replaced) = ((false, false), (false, true), (true, false));
        assert_eq!(change(&old, 2000), same);
        assert_eq!(change(&[&old[..], b"more"].concat(), 2000), same);
        assert_eq!(change(&old[..1000], 2000), cut);
        assert_eq!(change(&[], 2000), cut);
        assert_eq!(change(&old, 2000), same);
        assert_eq!(change(b"other", 2000), replaced);
        // The same beginning, as crawlers write it, and other records after it.
        let other = [&old[..1000], &old[1003..]].concat();
        assert_eq!(change(&other, 2000), replaced);
        // Replaced while it was read.
        let (read, mut mark) = (Cell::default(), Mark::default());
        growing.open(2000, &read).unwrap();
        let new = [b"new", &old[..]].concat();
        std::fs::write(folder.path().join("b"), &new).unwrap();
        std::fs::rename(folder.path().join("b"), &path).unwrap();
        mark.renew(read.take(), 2000);
        assert!(mark.check("a", &growing, new.len() as u64, 2000));
    }
}
