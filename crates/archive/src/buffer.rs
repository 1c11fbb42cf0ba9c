//! A byte queue that is filled at its end and read from its front, and the block of a record in such a queue.
//!
//! A block stays in the buffer into which it was read. The buffers of finished blocks are reused.

use std::fmt;
use std::ops::{Deref, Range};

/// Byte buffer that is filled at its end and read at its front; the unread bytes are those from `start` to `end`.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    data: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// Returns the unread bytes of the buffer.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Removes the first `n` unread bytes of the buffer, or all if there are fewer.
    pub(crate) fn consume(&mut self, n: usize) {
        self.start = self.start.saturating_add(n).min(self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Returns free space in the buffer for at least `n` bytes after the unread ones. The caller then passes the number
    /// of bytes that it wrote to `filled`.
    pub(crate) fn room(&mut self, n: usize) -> &mut [u8] {
        if self.data.len() - self.end < n {
            self.data.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            let need = self.end + n;
            if self.data.len() < need {
                self.data.resize(need.max(self.data.len().saturating_mul(2)), 0);
            }
        }
        self.data.get_mut(self.end..).unwrap_or_default()
    }

    /// Counts the first `n` bytes of the buffer's free space, which the caller has just written, as unread bytes.
    pub(crate) fn filled(&mut self, n: usize) {
        self.end = self.end.saturating_add(n).min(self.data.len());
    }

    /// Replaces the buffer's contents by `data`, all of it unread, and returns the old memory for reuse.
    pub(crate) fn replace(&mut self, data: Vec<u8>) -> Vec<u8> {
        self.start = 0;
        self.end = data.len();
        std::mem::replace(&mut self.data, data)
    }

    /// Returns the first `n` unread bytes as a record's block, which takes over the buffer's memory. Returns `None` if
    /// more than `rest` bytes follow, because these are copied to a new buffer.
    pub(crate) fn split_off(&mut self, n: usize, rest: usize) -> Option<RecordBlock> {
        let bytes = self.bytes();
        let behind = bytes.get(n..).filter(|behind| behind.len() <= rest)?.to_vec();
        let start = self.start;
        let data = self.replace(behind);
        Some(RecordBlock::within(data, start..start + n))
    }

    /// Inserts `bytes` before the unread bytes of the buffer.
    pub(crate) fn prepend(&mut self, bytes: &[u8]) {
        if let Some(start) = self.start.checked_sub(bytes.len()) {
            if let Some(room) = self.data.get_mut(start..self.start) {
                room.copy_from_slice(bytes);
            }
            self.start = start;
            return;
        }
        let mut data = Vec::with_capacity(bytes.len() + self.len());
        data.extend_from_slice(bytes);
        data.extend_from_slice(self.bytes());
        self.start = 0;
        self.end = data.len();
        self.data = data;
    }
}

/// Maximum number of empty buffers that are kept for reuse.
const MAX_BUFFERS: usize = 8;
/// Maximum capacity in bytes of an empty buffer that is kept for reuse.
const MAX_BUFFER_BYTES: usize = 4 * 1024 * 1024;
/// Size in bytes of a small request for a buffer, which may get a reused one of up to 64 KiB. Larger requests may get a
/// reused buffer of up to four times their size.
const MIN_BUFFER_BYTES: usize = 16 * 1024;

/// Empty buffers kept for reuse, so that their memory need not be allocated again.
#[derive(Debug, Default)]
pub(crate) struct Spares(Vec<Vec<u8>>);

impl Spares {
    /// Keeps an unused buffer of at most 4 MiB for reuse; larger ones are freed. If eight are kept already, the
    /// smallest is freed.
    pub(crate) fn put(&mut self, mut buffer: Vec<u8>) {
        if !(1..=MAX_BUFFER_BYTES).contains(&buffer.capacity()) {
            return;
        }
        buffer.clear();
        if self.0.len() < MAX_BUFFERS {
            self.0.push(buffer);
        } else if let Some(least) = self.0.iter_mut().min_by_key(|spare| spare.capacity())
            && least.capacity() < buffer.capacity()
        {
            *least = buffer;
        }
    }

    /// Removes and returns the smallest kept buffer for `bytes` bytes; `None` if there is none or it is far larger.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Vec<u8>> {
        let most = bytes.max(MIN_BUFFER_BYTES).saturating_mul(4);
        let fitting = self.0.iter().enumerate();
        let (at, _) = fitting
            .filter(|(_, spare)| (bytes..=most).contains(&spare.capacity()))
            .min_by_key(|(_, spare)| spare.capacity())?;
        Some(self.0.swap_remove(at))
    }

    /// Returns a kept buffer with room for `bytes` bytes, or a new one whose capacity is the next power of two.
    pub(crate) fn take_or_new(&mut self, bytes: usize) -> Vec<u8> {
        let new = || Vec::with_capacity(bytes.next_power_of_two());
        self.take(bytes).unwrap_or_else(new)
    }
}

/// Content bytes of an archive record, without its header. The buffer may also contain the header and line ends.
#[derive(Default)]
pub struct RecordBlock {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl RecordBlock {
    /// Creates a record's block from the range `part` of a buffer; a range beyond the end of the buffer is cut there.
    pub(crate) fn within(buffer: Vec<u8>, part: Range<usize>) -> Self {
        let end = part.end.min(buffer.len());
        Self { start: part.start.min(end), end, buffer }
    }

    /// Returns the whole buffer that contains the block, so that its memory can be reused.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Shortens the block of a record to its first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.end = self.start.saturating_add(length).min(self.end);
    }

    /// Appends bytes to the block of a record.
    pub(crate) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.buffer.truncate(self.end);
        self.buffer.extend_from_slice(bytes);
        self.end = self.buffer.len();
    }

    /// Frees the unused memory of a record's block if it is more than half of the allocated memory.
    pub(crate) fn shrink(&mut self) {
        if self.buffer.capacity() / 2 > self.len() {
            self.buffer.truncate(self.end);
            self.buffer.shrink_to_fit();
        }
    }
}

impl Deref for RecordBlock {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<Vec<u8>> for RecordBlock {
    fn from(buffer: Vec<u8>) -> Self {
        Self { start: 0, end: buffer.len(), buffer }
    }
}

impl Clone for RecordBlock {
    /// Copies the bytes of a record's block, without the rest of the buffer that contains them.
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl PartialEq for RecordBlock {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for RecordBlock {}

impl<B: AsRef<[u8]> + ?Sized> PartialEq<B> for RecordBlock {
    fn eq(&self, other: &B) -> bool {
        **self == *other.as_ref()
    }
}

impl fmt::Debug for RecordBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_off_with_their_memory() {
        let mut buffer = Buffer::default();
        buffer.replace(b"head body\r\n".to_vec());
        buffer.consume(5);
        assert_eq!(buffer.split_off(4, 1), None);
        assert_eq!(buffer.split_off(9, 1), None);
        let place = buffer.bytes().as_ptr();
        let block = buffer.split_off(4, 2).unwrap();
        assert_eq!((&*block, block.as_ptr()), (&b"body"[..], place));
        assert_eq!(buffer.bytes(), b"\r\n");
        buffer.room(3)[..3].copy_from_slice(b"abc");
        buffer.filled(3);
        assert_eq!(buffer.bytes(), b"\r\nabc");
    }

    #[test]
    fn queue_order_holds_through_compaction_and_prepend() {
        let mut buffer = Buffer::default();
        buffer.room(4)[..4].copy_from_slice(b"abcd");
        buffer.filled(4);
        buffer.consume(3);
        buffer.room(6)[..2].copy_from_slice(b"ef");
        buffer.filled(2);
        assert_eq!(buffer.bytes(), b"def");
        buffer.prepend(b"abc");
        assert_eq!(buffer.bytes(), b"abcdef");
        buffer.consume(100);
        assert_eq!(buffer.len(), 0);
        assert_eq!(buffer.bytes(), b"");
    }

    #[test]
    fn a_block_is_its_part_of_the_buffer() {
        let mut block = RecordBlock::within(b"head body\r\n\r\n".to_vec(), 5..9);
        assert_eq!(block, b"body");
        let copy = block.clone();
        assert_eq!((copy.buffer.len(), &copy), (4, &block));
        // What stood behind is no part of it.
        block.extend_from_slice(b"part");
        assert_eq!(block, b"bodypart");
        block.truncate(3);
        assert_eq!(block, b"bod");
        block.truncate(10);
        assert_eq!(format!("{block:?}"), "[98, 111, 100]");
        assert_eq!(RecordBlock::within(b"ab".to_vec(), 1..9), b"b");
        assert_eq!(RecordBlock::within(b"ab".to_vec(), 7..9), b"");
        assert_eq!(block.into_buffer(), b"head bodypart");
    }

    #[test]
    fn memory_in_no_use_is_given_back() {
        let mut buffer = Vec::with_capacity(1000);
        buffer.extend_from_slice(b"0123456789");
        let mut block = RecordBlock::within(buffer, 2..4);
        block.shrink();
        assert_eq!(block, b"23");
        assert!(block.into_buffer().capacity() < 100);
    }
}
