//! The block of a record. It stays in the buffer into which it was read.

use std::{fmt, ops::Deref, ops::Range};

/// The bytes of a record's block. They may be a part of the buffer into which a whole member was inflated, with the
/// header and the line ends around them.
#[derive(Default)]
pub struct RecordBlock {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl RecordBlock {
    /// A part of a buffer, cut at the end of the buffer.
    pub(crate) fn within(buffer: Vec<u8>, part: Range<usize>) -> Self {
        let end = part.end.min(buffer.len());
        Self { start: part.start.min(end), end, buffer }
    }

    /// The buffer, whatever it holds.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Leaves out all bytes from this one on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.end = self.start.saturating_add(length).min(self.end);
    }

    /// Appends bytes.
    pub(crate) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.buffer.truncate(self.end);
        self.buffer.extend_from_slice(bytes);
        self.end = self.buffer.len();
    }

    /// Gives memory back if more than half of it is in no use.
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
    /// Copies the block alone.
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
