//! Reads the block of a record and the line ends after it, and corrects wrong lengths.

use memchr::memchr_iter;

use super::Reader;
use crate::error::{Damage, MemberStop};
use crate::record::{ArchiveFormat, Note};
use crate::record_start::{ARC_REACH, FoundStart, StartSearch, WARC_REACH, is_warc, record_starts};
use crate::{buffer::RecordBlock, http, stream::StreamCodec};

/// Maximum number of bytes allocated for a record's block because of its stated length, which may be wrong.
const FIRST_CAPACITY: u64 = 1024 * 1024;
/// Number of records with a too large Content-Length after which this header is no longer trusted. A block then ends at
/// the next start of a record. This keeps reading linear when every length of a file is wrong.
const MAX_WRONG_LENGTHS: u32 = 4;
/// Maximum number of bytes by which a stated length may exceed the block without counting as damage: some writers count
/// line ends twice, or those after the block.
const MAX_MISCOUNT: u64 = 16;
/// Maximum number of bytes by which a stated length may fall short of the block without counting as damage. A larger
/// difference may be the rest of another record.
const MAX_OVER: u64 = 512;
/// Number of bytes after a block that are also searched for the next record, whose header may begin in the block.
const LOOKAHEAD: usize = 4096;

/// Reason why the bytes of a block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockEnd {
    /// All requested bytes of the block were read.
    Whole,
    /// The next record begins before the requested end of the block.
    Start,
    /// The member or the file ended, or its rest cannot be read.
    Stopped,
}

/// Block of a record as it was read, with the number of bytes that it lacks.
#[derive(Default)]
pub(super) struct Block {
    pub(super) bytes: RecordBlock,
    /// Number of bytes of the block that were read, including bytes that were not kept.
    pub(super) total: u64,
    pub(super) notes: Vec<Note>,
    /// Number of bytes missing because the file or the member breaks off inside the block; `None` if it does not.
    pub(super) missing: Option<u64>,
    /// True if the header states a wrong length or none. The block was then read up to the next record or the end of
    /// the file.
    pub(super) is_of_wrong_length: bool,
}

impl Block {
    fn kept(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns by how many bytes a block of wrong length differs from the `stated` length, or its HTTP body from the
    /// HTTP Content-Length. Returns `None` for a small difference, which is a mistake in counting and no damage.
    pub(super) fn lost_by_length(&self, stated: Option<u64>, format: ArchiveFormat) -> Option<u64> {
        // What the server said about the body is a count of its own.
        if let Some(missing) = http::missing_bytes(&self.bytes) {
            return Some(missing).filter(|missing| *missing > 0);
        }
        match stated {
            // Writers of ARC put -1 where they did not know.
            None => (format == ArchiveFormat::Warc).then_some(0),
            Some(stated) if stated > self.total => Some(stated - self.total).filter(|short| *short > MAX_MISCOUNT),
            Some(stated) => Some(self.total - stated).filter(|over| *over > MAX_OVER),
        }
    }

    /// Removes the two line ends that close a record from a block that was read up to the next record.
    fn trim_end(&mut self) {
        if self.total != self.kept() {
            return;
        }
        let rest = self.bytes.strip_suffix(b"\r\n\r\n").or_else(|| self.bytes.strip_suffix(b"\n\n"));
        if let Some(length) = rest.map(<[u8]>::len) {
            self.bytes.truncate(length);
            self.total = length as u64;
        }
    }
}

impl Reader {
    /// Reads a block of `length` bytes and the line ends after it. Finds the true end of the block if `length` is
    /// wrong.
    pub(super) fn block(&mut self, length: Option<u64>) -> Block {
        if let Some(length) = length
            && length <= self.options.max_record
            && let Some(bytes) = self.stream.take_whole(length)
        {
            let mut block = Block { bytes, total: length, ..Block::default() };
            self.sized_block(&mut block, length);
            self.note_stop(&mut block);
            return block;
        }
        // What has been decoded is there; only the rest may be a lie.
        let trusted = FIRST_CAPACITY.max(self.stream.bytes().len() as u64);
        let most = self.options.max_record.min(trusted);
        let room = usize::try_from(length.unwrap_or(0).min(most)).unwrap_or(0);
        let spare = self.stream.spares().take(room);
        let is_new = spare.is_none();
        let mut block = Block {
            // In powers of two, so that it fits as many others.
            bytes: spare.unwrap_or_else(|| Vec::with_capacity(room.next_power_of_two())).into(),
            ..Block::default()
        };
        match length {
            Some(length) => self.sized_block(&mut block, length),
            None => {
                block.notes.push(Note::MissingContentLength);
                block.is_of_wrong_length = true;
                self.take(&mut block, None, true);
                block.trim_end();
            }
        }
        if is_new {
            // The length may be a lie; callers may keep many records.
            block.bytes.shrink();
        }
        if block.kept() < block.total {
            block.notes.push(Note::BlockTooLong { length: block.total, kept: block.kept() });
        }
        self.note_stop(&mut block);
        block
    }

    /// Adds a note to a block whose compressed member has a wrong checksum or is damaged.
    fn note_stop(&self, block: &mut Block) {
        if self.stream.bytes().is_empty() {
            match self.stream.stop() {
                Some(MemberStop::Broken(Damage::Checksum)) => block.notes.push(Note::Checksum),
                Some(MemberStop::Broken(Damage::Codec)) => {
                    block.notes.push(Note::DamagedMember);
                    block.missing.get_or_insert(0);
                }
                _ => {}
            }
        }
    }

    fn sized_block(&mut self, block: &mut Block, length: u64) {
        let distrust = self.wrong_lengths >= MAX_WRONG_LENGTHS;
        let taken = self.take(block, Some(length), distrust);
        let whole = taken == BlockEnd::Whole;
        let blank = if whole { self.close() } else { Vec::new() };
        if whole && (self.stream.bytes().is_empty() || self.starts_here()) {
            return;
        }
        self.stream.unread(&blank);
        let seen_all = block.kept() == block.total;
        let overrun = if seen_all && !distrust { self.overrun(&block.bytes) } else { None };
        if let Some(at) = overrun {
            self.wrong_lengths += 1;
            self.stream.unread(block.bytes.get(at..).unwrap_or_default());
            block.bytes.truncate(at);
            block.total = at as u64;
            block.trim_end();
            block.is_of_wrong_length = true;
            block.notes.push(Note::BlockCut { expected: length, got: block.total });
        } else if !whole {
            let broken = matches!(self.stream.stop(), Some(MemberStop::End | MemberStop::Broken(_)));
            if taken == BlockEnd::Stopped && broken {
                block.missing = Some(length - block.total);
            }
            if taken == BlockEnd::Start {
                block.trim_end();
                block.is_of_wrong_length = true;
            }
            block.notes.push(Note::BlockCut { expected: length, got: block.total });
        } else if blank.contains(&b'\n') {
            // The record ends here; what follows is junk between records.
            self.stream.consume(blank.len());
        } else {
            // No line end: the block goes on.
            self.take(block, None, true);
            block.trim_end();
            block.is_of_wrong_length = !matches!(self.stream.stop(), Some(MemberStop::Failed(_)));
            block.notes.push(Note::BlockExtended { expected: length, got: block.total });
        }
    }

    /// Appends unread bytes to a block until it has `upto` bytes; without `upto`, until the member ends. With `scan`,
    /// stops before the next record if that comes first.
    fn take(&mut self, block: &mut Block, upto: Option<u64>, scan: bool) -> BlockEnd {
        let mut from = 0;
        // A header that damage ran together with a block ends right before the next record.
        if scan && block.total == 0 && upto != Some(0) {
            self.stream.ensure(WARC_REACH);
            let warc = record_starts(self.stream.bytes(), true) == Some(true);
            if warc || self.arc && self.starts_arc(0) {
                return BlockEnd::Start;
            }
        }
        loop {
            let left = upto.map_or(u64::MAX, |upto| upto.saturating_sub(block.total));
            if left == 0 {
                return BlockEnd::Whole;
            }
            let bytes = self.stream.bytes();
            let mut ready = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
            let mut found = false;
            if scan {
                // Only a start before `ready` matters, and what is needed to tell one.
                let reach = ready.saturating_add(if self.arc { ARC_REACH } else { WARC_REACH });
                let whole = reach < bytes.len() || self.stream.stop().is_some();
                let search = StartSearch { arc: self.arc, line: true, whole };
                match search.run(bytes.get(..reach).unwrap_or(bytes), from) {
                    FoundStart::At(at) => {
                        found = at <= ready;
                        ready = ready.min(at);
                    }
                    FoundStart::No(safe) if search.whole => from = safe,
                    // The byte before a possible start stays.
                    FoundStart::No(safe) => {
                        from = safe;
                        ready = ready.min(safe.saturating_sub(1));
                    }
                }
            }
            let part = bytes.get(..ready).unwrap_or_default();
            let room = self.options.max_record.saturating_sub(block.kept());
            let keep = usize::try_from(room).map_or(part.len(), |room| room.min(part.len()));
            block.bytes.extend_from_slice(part.get(..keep).unwrap_or_default());
            block.total += ready as u64;
            self.stream.consume(ready);
            from = from.saturating_sub(ready);
            if found {
                return BlockEnd::Start;
            }
            if upto.is_some_and(|upto| block.total >= upto) {
                return BlockEnd::Whole;
            }
            if !self.stream.more() && self.stream.bytes().is_empty() {
                if upto.is_none() || !matches!(self.stream.stop(), Some(MemberStop::MemberEnd)) {
                    return BlockEnd::Stopped;
                }
                if !self.continues(0) {
                    return if self.stream.bytes().is_empty() { BlockEnd::Stopped } else { BlockEnd::Start };
                }
                from = 0;
            }
        }
    }

    /// Removes and returns at most two line ends after a block. Also decodes a byte more, because the stored length of
    /// the record depends on whether the member ends here. That byte is not waited for if the input is live and
    /// uncompressed.
    fn close(&mut self) -> Vec<u8> {
        let waits = !self.options.live || self.stream.compression() != StreamCodec::Plain;
        let mut blank = Vec::with_capacity(4);
        loop {
            let is_closed = blank.len() == 4 || memchr_iter(b'\n', &blank).count() == 2;
            if waits || !is_closed {
                self.stream.ensure(1);
            }
            match self.stream.bytes().first() {
                Some(&byte @ (b'\r' | b'\n')) if !is_closed => {
                    blank.push(byte);
                    self.stream.consume(1);
                }
                _ => return blank,
            }
        }
    }

    /// Returns the index in `block`, whose stated length was too large, at which the next record begins. Returns `None`
    /// if no record begins in it, or if the payload is itself an archive.
    fn overrun(&mut self, block: &[u8]) -> Option<usize> {
        let payload = match block.get(..5) {
            Some(head) if head.eq_ignore_ascii_case(b"HTTP/") => http::head(block).length,
            _ => 0,
        };
        if block.get(payload..).is_some_and(is_warc) {
            return None;
        }
        self.stream.ensure(LOOKAHEAD);
        let ahead = self.stream.bytes();
        let mut bytes = Vec::with_capacity(block.len() + LOOKAHEAD);
        bytes.extend_from_slice(block);
        bytes.extend_from_slice(ahead.get(..LOOKAHEAD).unwrap_or(ahead));
        let search = StartSearch { arc: self.arc, line: true, whole: true };
        let mut from = 1;
        while let FoundStart::At(at) = search.run(&bytes, from) {
            let before = block.get(..at)?;
            if self.arc || before.ends_with(b"\r\n\r\n") || before.ends_with(b"\n\n") {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }
}
