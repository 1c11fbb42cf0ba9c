//! A byte queue that is filled at its end and read from its front.

use crate::record_block::RecordBlock;

/// The bytes between `start` and `end` are unread.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    data: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// The unread bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Takes `n` bytes off the front (all, if there are fewer).
    pub(crate) fn consume(&mut self, n: usize) {
        self.start = self.start.saturating_add(n).min(self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// At least `n` writable bytes after the unread ones; tell how many were written with `filled`.
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

    /// Counts `n` bytes written to `room` as unread.
    pub(crate) fn filled(&mut self, n: usize) {
        self.end = self.end.saturating_add(n).min(self.data.len());
    }

    /// Takes another buffer, whose bytes are unread, and gives the one before.
    pub(crate) fn replace(&mut self, data: Vec<u8>) -> Vec<u8> {
        self.start = 0;
        self.end = data.len();
        std::mem::replace(&mut self.data, data)
    }

    /// Takes off the first `n` unread bytes together with their memory, if at most `rest` others follow, which
    /// move.
    pub(crate) fn split_off(&mut self, n: usize, rest: usize) -> Option<RecordBlock> {
        let bytes = self.bytes();
        let behind = bytes.get(n..).filter(|behind| behind.len() <= rest)?.to_vec();
        let start = self.start;
        let data = self.replace(behind);
        Some(RecordBlock::within(data, start..start + n))
    }

    /// Puts bytes back before the unread ones.
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
}
