//! Tells a followed file that was cut or replaced from one that has grown.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use crate::run::read::live::GrowingInput;

/// Bytes at the head of a file, and before the place where reading goes on, by which it is known again.
const MARK_BYTES: u64 = 512;

/// Fingerprint of a followed file: its first bytes, and those before the place up to which it was read.
// Not the number of the file: some copy a file to itself, and some network folders give numbers anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    head: Vec<u8>,
    end: u64,
    tail: Vec<u8>,
    /// True after the warning that the file is shorter than before.
    is_told: bool,
}

/// Compares a followed file with its state when it was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// It may have grown.
    None,
    /// It ends before the place up to which it was read.
    Shorter,
    /// It has other contents.
    Replaced,
}

impl Mark {
    /// The mark of an input that was read up to `end`; the one before if that cannot be made.
    pub(super) fn renew(&mut self, growing: &GrowingInput, end: u64) {
        if let (GrowingInput::File(path), false) = (growing, end == self.end)
            && let Ok(mark) = Self::of(path, end)
        {
            *self = mark;
        }
    }

    fn of(path: &Path, end: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let head = part(&mut file, 0..MARK_BYTES.min(end))?;
        let tail = part(&mut file, end.saturating_sub(MARK_BYTES)..end)?;
        // Cut just now: the mark before tells.
        if tail.len() < head.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Self { head, end, tail, is_told: false })
    }

    /// Reports that a file, which now has `length` bytes, was cut or replaced since it was read up to `end`. Returns
    /// whether it was replaced.
    pub(super) fn check(&mut self, name: &str, growing: &GrowingInput, length: u64, end: u64) -> bool {
        let change = match self.compare(growing, length) {
            // A mark is not saved with the state of a run.
            Change::None if length < end => Change::Shorter,
            change => change,
        };
        match change {
            Change::Shorter if !self.is_told => {
                tracing::warn!("{name}: has {length} bytes, but {end} were read before: it was cut");
            }
            Change::Replaced => {
                tracing::warn!("{name}: has other contents than before, which are read from their start");
            }
            _ => {}
        }
        self.is_told = change == Change::Shorter;
        change == Change::Replaced
    }

    fn compare(&self, growing: &GrowingInput, length: u64) -> Change {
        let GrowingInput::File(path) = growing else { return Change::None };
        let same = || -> io::Result<bool> {
            let mut file = File::open(path)?;
            let head = part(&mut file, 0..(self.head.len() as u64).min(length))?;
            let tail = match length < self.end {
                true => Vec::new(),
                false => part(&mut file, self.end - self.tail.len() as u64..self.end)?,
            };
            Ok(self.head.starts_with(&head) && (tail.is_empty() || tail == self.tail))
        };
        // What cannot be read now is looked at again.
        match same() {
            Ok(false) => Change::Replaced,
            Ok(true) if length < self.end => Change::Shorter,
            _ => Change::None,
        }
    }
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

    #[test]
    fn files_are_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let growing = GrowingInput::File(path.clone());
        let mut mark = Mark::default();
        let old: Vec<u8> = (0..3000_u32).map(|at| (at % 251) as u8).collect();
        let mut change = |bytes: &[u8], end: u64| {
            std::fs::write(&path, bytes).unwrap();
            let change = mark.compare(&growing, bytes.len() as u64);
            mark.renew(&growing, end);
            change
        };
        assert_eq!(change(&old, 2000), Change::None);
        assert_eq!(change(&[&old[..], b"more"].concat(), 2000), Change::None);
        assert_eq!(change(&old[..1000], 2000), Change::Shorter);
        assert_eq!(change(&[], 2000), Change::Shorter);
        assert_eq!(change(&old, 2000), Change::None);
        assert_eq!(change(b"other", 2000), Change::Replaced);
        // The same beginning, as crawlers write it, and other records after it.
        let other = [&old[..1000], &old[1003..]].concat();
        assert_eq!(change(&other, 2000), Change::Replaced);
    }
}
