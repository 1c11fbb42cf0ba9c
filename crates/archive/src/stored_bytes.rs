//! Reads the stored bytes of an archive, and keeps the last of them so that reading can go back.

use std::io::{self, Read};

/// Number of stored (compressed) bytes requested from the input at a time.
const CHUNK: usize = 128 * 1024;
/// Number of bytes before the read position that stay in memory. If damage of a member is noticed late, these bytes can
/// be searched again for the next member.
const KEEP: usize = 1024 * 1024;
/// Maximum number of bytes that reading can go back, as older bytes are no longer in memory.
pub(crate) const MAX_BACK: u64 = KEEP as u64;
/// Number of stored bytes requested from the input at a time to have a whole compressed member in memory.
const AHEAD_BYTES: usize = 1024 * 1024;

/// Buffered reader of the stored bytes of an archive, which knows its offset in the file and can go back up to 1 MiB.
pub(crate) struct Source {
    input: Box<dyn Read + Send>,
    data: Vec<u8>,
    /// Byte offset in the file of `data[0]`.
    base: u64,
    position: usize,
    end: usize,
    /// Byte offset in the file from which on bytes should stay in memory, so that reading can return there.
    mark: u64,
    done: bool,
    error: Option<io::Error>,
    /// True if bytes are passed on as soon as they arrive, without waiting for more than are needed.
    live: bool,
}

impl Source {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Self {
        Source::at(input, 0)
    }

    /// Creates a source for an input such as a socket, whose bytes are passed on as soon as they arrive.
    pub(crate) fn live(input: Box<dyn Read + Send>) -> Self {
        Source { live: true, ..Source::at(input, 0) }
    }

    /// Creates a source whose `input` begins at the byte offset `offset` of the file.
    pub(crate) fn at(input: Box<dyn Read + Send>, offset: u64) -> Self {
        Source {
            input,
            data: Vec::new(),
            base: offset,
            position: 0,
            end: 0,
            mark: offset,
            done: false,
            error: None,
            live: false,
        }
    }

    /// Returns the byte offset in the file of the next unread byte.
    pub(crate) fn position(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Returns the unread bytes without consuming them, at least `n` unless the input ends earlier. A read error is
    /// returned once fewer than `n` bytes precede it.
    pub(crate) fn peek(&mut self, n: usize) -> io::Result<&[u8]> {
        while self.end - self.position < n && !self.done {
            if let Some(error) = self.error.take() {
                self.done = true;
                return Err(error);
            }
            self.fill(n);
        }
        Ok(self.data.get(self.position..self.end).unwrap_or_default())
    }

    /// Returns the unread bytes up to the next multiple of 128 KiB in the file; empty only at the end of the input. So
    /// decoders stop at the same offsets wherever reading of the file began. A live input, such as a socket, gives the
    /// bytes that have arrived.
    pub(crate) fn chunk(&mut self) -> io::Result<&[u8]> {
        let chunk = CHUNK as u64;
        let want = usize::try_from(chunk - self.position() % chunk).unwrap_or(CHUNK);
        let least = if self.live { 1 } else { want };
        while self.end - self.position < least && !self.done && self.error.is_none() {
            self.fill(want);
        }
        let bytes = self.peek(1)?;
        Ok(bytes.get(..want).unwrap_or(bytes))
    }

    /// Returns the unread bytes that are in memory, without reading more from the input.
    pub(crate) fn buffered(&self) -> &[u8] {
        self.data.get(self.position..self.end).unwrap_or_default()
    }

    /// Returns whether the unread bytes in memory are the last ones of the input.
    pub(crate) fn is_at_end(&self) -> bool {
        self.done && self.error.is_none()
    }

    /// Reads ahead until at least `n` bytes are unread; returns false if the input ends or fails earlier. Also returns
    /// false for a live input such as a socket, where waiting for bytes that are not needed could block. A read error
    /// is kept for `peek`.
    pub(crate) fn read_ahead(&mut self, n: usize) -> bool {
        while self.end - self.position < n {
            if self.live || self.done || self.error.is_some() {
                return false;
            }
            let want = self.to_chunk_end(AHEAD_BYTES);
            self.make_room(want);
            self.read_once(self.end + want);
        }
        true
    }

    /// Skips the bytes up to `offset` in the file. Returns false if the input ends earlier.
    pub(crate) fn skip_to(&mut self, offset: u64) -> io::Result<bool> {
        while self.position() < offset {
            let have = self.peek(1)?.len();
            if have == 0 {
                return Ok(false);
            }
            let left = offset - self.position();
            self.consume(usize::try_from(left).map_or(have, |left| left.min(have)));
        }
        Ok(self.position() == offset)
    }

    /// Skips the skippable frame of Zstandard or LZ4 at the read position. Returns false if the input ends earlier.
    pub(crate) fn skip_frame(&mut self) -> io::Result<bool> {
        let Some(size) = self.peek(8)?.get(4..).and_then(|size| size.first_chunk()) else { return Ok(false) };
        let size = u32::from_le_bytes(*size);
        self.skip_to(self.position() + 8 + u64::from(size))
    }

    pub(crate) fn consume(&mut self, n: usize) {
        self.position = self.position.saturating_add(n).min(self.end);
    }

    /// Keeps the bytes from the read position on in memory, up to 1 MiB, so that `rewind` can return to them.
    pub(crate) fn mark(&mut self) {
        self.mark = self.position();
    }

    /// Returns the byte offset in the file from which on bytes are kept in memory, as set by `mark`.
    pub(crate) fn marked(&self) -> u64 {
        self.mark
    }

    /// Goes back to `offset` in the file, or as near to it as the bytes kept in memory allow.
    pub(crate) fn rewind(&mut self, offset: u64) {
        let kept = self.position().saturating_sub(KEEP as u64);
        let index = offset.max(kept).saturating_sub(self.base);
        self.position = usize::try_from(index).map_or(self.position, |i| i.min(self.position));
    }

    /// Reads `n` more bytes and on to a multiple of 128 KiB, so that the result does not depend on how the bytes
    /// arrive. A live input, such as a socket, is read only once.
    fn fill(&mut self, n: usize) {
        let want = self.to_chunk_end(n);
        self.make_room(want);
        let limit = self.end + want;
        while self.end < limit && !self.done && self.error.is_none() {
            self.read_once(limit);
            if self.live {
                return;
            }
        }
    }

    /// Returns the smallest number of bytes, at least `n`, that reaches the end of a 128 KiB chunk of the file.
    fn to_chunk_end(&self, n: usize) -> usize {
        let end = self.base + self.end as u64;
        let over = usize::try_from((end + n as u64) % CHUNK as u64).unwrap_or(0);
        n + (CHUNK - over) % CHUNK
    }

    fn make_room(&mut self, want: usize) {
        if self.data.len() - self.end >= want {
            return;
        }
        let marked = usize::try_from(self.mark.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let drop = marked.max(self.position.saturating_sub(KEEP)).min(self.position);
        // Moving the kept bytes only when as many have been read since keeps this linear.
        if drop >= self.end - drop || self.data.is_empty() || drop >= KEEP {
            self.data.copy_within(drop..self.end, 0);
            self.base += drop as u64;
            self.position -= drop;
            self.end -= drop;
        }
        if self.data.len() - self.end < want {
            self.data.resize(self.end + want, 0);
        }
    }

    fn read_once(&mut self, limit: usize) {
        let Some(room) = self.data.get_mut(self.end..limit) else { return };
        match self.input.read(room) {
            Ok(0) => self.done = true,
            Ok(read) => self.end = (self.end + read).min(limit),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.error = Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_rewind() {
        let bytes: Vec<u8> = (0..4_000_000u32).map(|i| (i % 251) as u8).collect();
        let mut source = Source::new(Box::new(io::Cursor::new(bytes.clone())));
        let mut at = 0usize;
        source.mark();
        while at < 3_500_000 {
            let have = source.peek(1).unwrap();
            let n = have.len().min(70_001);
            assert_eq!(have[..n], bytes[at..at + n]);
            source.consume(n);
            at += n;
            assert_eq!(source.position(), at as u64);
        }
        source.rewind(at as u64 - 900_000);
        assert_eq!(source.position(), at as u64 - 900_000);
        assert_eq!(source.peek(1_000_000).unwrap()[..1_000_000], bytes[at - 900_000..at + 100_000]);
        source.rewind(0);
        assert!(source.position() > 0, "the whole file must not stay in memory");
        assert!(source.data.len() < 3_600_000);
    }

    #[test]
    fn bytes_before_an_error_come_first() {
        struct Failing(usize);
        impl Read for Failing {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 > 3 {
                    return Err(io::Error::other("gone"));
                }
                buf[0] = b'a';
                Ok(1)
            }
        }
        let mut source = Source::new(Box::new(Failing(0)));
        assert_eq!(source.peek(1).unwrap(), b"aaa");
        source.consume(3);
        assert_eq!(source.peek(1).unwrap_err().to_string(), "gone");
        assert_eq!(source.peek(1).unwrap(), b"");
    }
}
