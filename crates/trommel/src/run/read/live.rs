//! Inputs that grow during reading: the files of a crawler, and pipes.
//!
//! A followed file that was cut or replaced is recognised by its mark.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fs, fs::File, io, ops::Range, thread, time::Duration};

use trommel_archive::wacz::{Bytes, Window};

/// Bytes read from a pipe at a time.
// Larger than a pipe holds, so that one call takes all that waits.
const PIECE_BYTES: usize = 256 << 10;
/// Bytes of a pipe that are done with, from which on they are thrown away.
// Letting go copies the rest, so it must not happen for every record.
const MIN_DONE_BYTES: u64 = 64 << 20;

/// Something that grows.
#[derive(Clone, Debug)]
pub(crate) enum GrowingInput {
    /// A file, which the crawler may rename.
    File(PathBuf),
    /// A pipe.
    Pipe(Arc<Pipe>),
}

impl GrowingInput {
    /// Bytes there are up to now.
    pub(crate) fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(path) => Ok(fs::metadata(path)?.len()),
            Self::Pipe(pipe) => pipe.length(),
        }
    }

    /// The first `length` bytes.
    pub(crate) fn open(&self, length: u64) -> io::Result<Window<Box<dyn Bytes>>> {
        let bytes: Box<dyn Bytes> = match self {
            Self::File(path) => Box::new(File::open(path)?),
            Self::Pipe(pipe) => Box::new(PipeBytes { pipe: pipe.clone(), at: 0 }),
        };
        Window::new(bytes, 0, length)
    }

    /// Returns whether nothing more will come.
    pub(crate) fn is_ended(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Pipe(pipe) => pipe.lock().is_ended,
        }
    }

    /// Returns whether nothing is being written to it: a pipe that has ended, or a file under its final name that has
    /// not changed for so long.
    pub(crate) fn is_quiet(&self, time: Duration) -> bool {
        match self {
            Self::File(path) if path.to_string_lossy().ends_with(OPEN) => false,
            Self::File(path) => fs::metadata(path)
                .and_then(|file| file.modified())
                .is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= time)),
            Self::Pipe(_) => self.is_ended(),
        }
    }

    /// Releases the bytes before `offset` that are not needed again.
    pub(crate) fn discard_before(&self, offset: u64) {
        if let Self::Pipe(pipe) = self
            && let Err(error) = pipe.forget(offset)
        {
            // They stay where they are.
            tracing::debug!("temporary file of a pipe: {error}");
        }
    }
}

/// The data from a pipe that is still needed, in a temporary file without a name.
#[derive(Debug)]
pub(crate) struct Pipe(Mutex<StoredBytes>);

#[derive(Debug)]
struct StoredBytes {
    file: File,
    /// Place in the pipe of the first byte of the file.
    base: u64,
    /// Bytes that came.
    length: u64,
    is_ended: bool,
    error: Option<io::Error>,
}

impl Pipe {
    /// Begins to read the pipe that `open` opens, on a thread of its own that ends with the pipe or the program.
    pub(crate) fn new<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> io::Result<Arc<Self>> {
        let pipe = Arc::new(Self(Mutex::new(StoredBytes {
            // On disk, because a record may be read twice and memory would grow with a slow run.
            file: tempfile::tempfile()?,
            base: 0,
            length: 0,
            is_ended: false,
            error: None,
        })));
        let filled = pipe.clone();
        thread::Builder::new().name("pipe".to_owned()).spawn(move || {
            let read = open().and_then(|input| filled.fill(input));
            let mut stored = filled.lock();
            stored.error = read.err();
            stored.is_ended = true;
        })?;
        Ok(pipe)
    }

    fn lock(&self) -> MutexGuard<'_, StoredBytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(&self, mut input: impl Read) -> io::Result<()> {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let read = match input.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let mut stored = self.lock();
            stored.file.seek(SeekFrom::End(0))?;
            stored.file.write_all(piece.get(..read).unwrap_or_default())?;
            stored.length += read as u64;
        }
    }

    fn length(&self) -> io::Result<u64> {
        let mut stored = self.lock();
        match stored.error.take() {
            Some(error) => Err(error),
            None => Ok(stored.length),
        }
    }

    fn forget(&self, offset: u64) -> io::Result<()> {
        let mut stored = self.lock();
        if offset.saturating_sub(stored.base) < MIN_DONE_BYTES {
            return Ok(());
        }
        let mut head = [0; 4];
        stored.file.rewind()?;
        stored.file.read_exact(&mut head)?;
        // Its dictionary stands at the head.
        if head == trommel_archive::signature::ZSTD {
            return Ok(());
        }
        let mut rest = tempfile::tempfile()?;
        let from = offset - stored.base;
        stored.file.seek(SeekFrom::Start(from))?;
        io::copy(&mut stored.file, &mut rest)?;
        stored.file = rest;
        stored.base = offset;
        Ok(())
    }
}

/// The bytes of a pipe, with a place of its own in them.
struct PipeBytes {
    pipe: Arc<Pipe>,
    at: u64,
}

impl Read for PipeBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut stored = self.pipe.lock();
        let Some(at) = self.at.checked_sub(stored.base) else {
            return Err(io::Error::other("these bytes of the pipe are done with"));
        };
        stored.file.seek(SeekFrom::Start(at))?;
        let read = stored.file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for PipeBytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.pipe.lock().length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// The suffix that crawlers add to the name of a file while they write it.
pub(crate) const OPEN: &str = ".open";

/// The path without the ending that marks an unfinished file.
pub(crate) fn without_open(path: &Path) -> PathBuf {
    let name = path.to_string_lossy();
    match name.strip_suffix(OPEN) {
        Some(name) => PathBuf::from(name),
        None => path.to_owned(),
    }
}

/// Bytes at the head of a file, and before the place where reading goes on, by which it is known again.
const MARK_BYTES: u64 = 512;

/// Fingerprint of a followed file: its first bytes, and those before the place up to which it was read.
// Not the number of the file: some copy a file to itself, and some network folders give numbers anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    end: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// True after the warning that the file is shorter than before.
    is_told: bool,
}

impl Mark {
    /// The mark of an input that was read up to `end`; the one before if that cannot be made.
    pub(super) fn renew(&mut self, growing: &GrowingInput, end: u64) {
        if let (GrowingInput::File(path), false) = (growing, end == self.end)
            && let Ok((head, tail)) = ends(path, end)
            // Cut just now: the mark before tells.
            && tail.len() >= head.len()
        {
            *self = Self { end, head, tail, is_told: false };
        }
    }

    /// Reports that a file, which now has `length` bytes, was cut or replaced since it was read up to `end`. Returns
    /// whether it was replaced.
    pub(super) fn check(&mut self, name: &str, growing: &GrowingInput, length: u64, end: u64) -> bool {
        let GrowingInput::File(path) = growing else { return false };
        // What cannot be read now is looked at again.
        let is_replaced = ends(path, self.end)
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

/// The bytes of a mark that are there.
fn ends(path: &Path, end: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
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

    fn all(growing: &GrowingInput, from: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut window = growing.open(growing.length().unwrap()).unwrap();
        window.seek(SeekFrom::Start(from)).unwrap();
        window.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn pipes_can_be_read_again_as_far_as_they_are_not_done_with() {
        let (read, mut write) = io::pipe().unwrap();
        let growing = GrowingInput::Pipe(Pipe::new(move || Ok(read)).unwrap());
        let wait = |length| {
            while growing.length().unwrap() < length {
                thread::yield_now();
            }
        };
        write.write_all(b"0123456789").unwrap();
        wait(10);
        assert_eq!(all(&growing, 4), b"456789");
        assert!(!growing.is_ended());
        let long: Vec<u8> = (0..MIN_DONE_BYTES).map(|at| (at % 251) as u8).collect();
        write.write_all(&long).unwrap();
        drop(write);
        wait(10 + MIN_DONE_BYTES);
        growing.discard_before(MIN_DONE_BYTES);
        assert_eq!(growing.length().unwrap(), 10 + MIN_DONE_BYTES);
        assert_eq!(all(&growing, MIN_DONE_BYTES), long[long.len() - 10..]);
        let mut before = growing.open(MIN_DONE_BYTES).unwrap();
        assert!(before.read(&mut [0]).is_err());
        while !growing.is_ended() {
            thread::yield_now();
        }
    }

    #[test]
    fn files_are_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let growing = GrowingInput::File(path.clone());
        let mut mark = Mark::default();
        let old: Vec<u8> = (0..3000_u32).map(|at| (at % 251) as u8).collect();
        let mut change = |bytes: &[u8], end: u64| {
            std::fs::write(&path, bytes).unwrap();
            let read = mark.end;
            let is_replaced = mark.check("a", &growing, bytes.len() as u64, read);
            let is_cut = mark.is_told;
            mark.renew(&growing, end);
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
    }
}
