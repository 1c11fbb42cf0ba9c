//! The bytes of a WACZ file, and windows on them.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// Bytes that can be sought in.
pub trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// Opens the bytes of a container, each time from their start: a file, or an object behind a network.
pub type Open = Arc<dyn Fn() -> io::Result<Box<dyn Bytes>> + Send + Sync>;

/// A part of some bytes, with a start and an end of its own.
#[derive(Debug)]
pub struct Window<R> {
    input: R,
    start: u64,
    length: u64,
    at: u64,
}

impl<R: Read + Seek> Window<R> {
    /// The `length` bytes from `start` on, or fewer if the input ends before.
    ///
    /// # Errors
    /// If the input cannot be sought in.
    pub fn new(mut input: R, start: u64, length: u64) -> io::Result<Self> {
        input.seek(SeekFrom::Start(start))?;
        Ok(Self { input, start, length, at: 0 })
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        let read = self.input.read(buffer.get_mut(..room).unwrap_or_default())?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for Window<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let at = at.ok_or(io::ErrorKind::InvalidInput)?;
        let place = self.start.checked_add(at).ok_or(io::ErrorKind::InvalidInput)?;
        self.input.seek(SeekFrom::Start(place))?;
        self.at = at;
        Ok(at)
    }
}
