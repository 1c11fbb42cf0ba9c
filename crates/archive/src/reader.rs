//! Reads the records of an archive in order, intact or damaged, and saves the state of a reader between two items.
//!
//! Another reader can continue from that state.

mod block;
mod cutting_and_resuming;
mod header;
mod segments;
#[cfg(test)]
mod whole_tests;

use std::{collections::VecDeque, fs::File, io::Read, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::error::{ArchiveError, Damage, MemberStop};
use crate::record_start::{
    ARC_REACH, ArcLine, FoundStart, HEAD, StartSearch, WARC_REACH, is_warc, may_name_warc, record_starts,
};
use crate::stream::{Stream, StreamCodec, StreamPosition};
use crate::{buffer::RecordBlock, record::Record, stored_bytes::Source, stream::compression::detect};

/// Limits of a reader of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Maximum number of bytes kept of a record's block. The rest of a longer block is skipped, and the record gets a
    /// note. Default 64 MiB.
    pub max_record: u64,
    /// Maximum number of bytes of a record's header. A longer header counts as damage. Default 1 MiB.
    pub max_header: usize,
    /// True if a record is returned as soon as its bytes arrive, as from a socket. If false (the default), the input is
    /// read in pieces of 128 KiB, so that reported offsets of damage do not depend on how it arrives.
    pub live: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { max_record: 64 * 1024 * 1024, max_header: 1024 * 1024, live: false }
    }
}

/// Reads the records of one archive file in order.
///
/// The first bytes determine the compression, never the file name. An `Err` item that is not
/// [fatal](ArchiveError::is_fatal) reports damage that was skipped; the next item is the next record. Segments of a
/// record (`WARC-Segment-Number`) are joined if fewer than eight other records lie between them; otherwise the record
/// gets a note. Segments without a first one are returned as [continuations](crate::RecordType::Continuation).
pub struct Reader {
    pub(crate) file: Arc<str>,
    pub(crate) stream: Stream,
    pub(crate) options: ReadOptions,
    pub(crate) queue: VecDeque<Result<Record, ArchiveError>>,
    pub(crate) arc: bool,
    pub(crate) given: u64,
    pub(crate) accounted: MemberAccount,
    /// Length in bytes that the input should have; `None` if it is not known.
    pub(crate) expected_length: Option<u64>,
    /// Number of decompressed bytes skipped before the first record.
    pub(crate) skipped: u64,
    pub(crate) hint: Option<String>,
    pub(crate) wrong_lengths: u32,
    pub(crate) finished: bool,
    /// Resume point before the queued items: saved state of the reader, and number of items returned since then.
    pub(crate) before: ResumePoint,
}

impl Reader {
    /// Creates a reader of `input`; `file` is the name of the archive in records and errors.
    ///
    /// # Errors
    /// Fails if the input is empty, is not an archive, or has an unsupported compression, or if reading fails before
    /// the first record.
    pub fn new(
        file: impl Into<Arc<str>>,
        input: impl Read + Send + 'static,
        options: ReadOptions,
    ) -> Result<Reader, ArchiveError> {
        let file = file.into();
        let input = Box::new(input);
        let mut source = if options.live { Source::live(input) } else { Source::new(input) };
        let codec = detect(&file, &mut source)?;
        Reader::over(file, Stream::new(source, codec), options)
    }

    /// Creates a reader of `stream` that has not returned any item.
    fn fresh(file: Arc<str>, mut stream: Stream, options: ReadOptions) -> Reader {
        stream.want(options.max_record);
        Reader {
            file,
            stream,
            options,
            queue: VecDeque::new(),
            arc: false,
            given: 0,
            accounted: MemberAccount::default(),
            expected_length: None,
            skipped: 0,
            hint: None,
            wrong_lengths: 0,
            finished: false,
            before: ResumePoint::default(),
        }
    }

    fn over(file: Arc<str>, stream: Stream, options: ReadOptions) -> Result<Reader, ArchiveError> {
        let mut reader = Reader::fresh(file, stream, options);
        while reader.given == 0 && !reader.finished {
            reader.step();
        }
        if reader.queue.is_empty() {
            return Err(ArchiveError::Empty { file: reader.file });
        }
        if reader.given > 0 {
            return Ok(reader);
        }
        match reader.queue.pop_back() {
            Some(Err(error)) if error.is_fatal() => Err(error),
            last => {
                reader.queue.extend(last);
                Ok(reader)
            }
        }
    }

    /// Takes back the block of a processed record, to reuse its memory for a later record.
    pub fn reuse(&mut self, block: RecordBlock) {
        self.stream.spares().put(block.into_buffer());
    }

    /// Opens an archive file; its path is the name of the archive in records and errors.
    ///
    /// # Errors
    /// Like [`Reader::new`]; also fails if the file cannot be opened.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Reader, ArchiveError> {
        let name: Arc<str> = path.to_string_lossy().into();
        let open = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match open {
            Ok((length, file)) => {
                let mut reader = Reader::new(name, file, options)?;
                reader.expect_length(length);
                Ok(reader)
            }
            Err(source) => Err(ArchiveError::Io { file: name, offset: 0, source }),
        }
    }

    /// Sets the number of stored bytes that the input should have. If the input ends earlier, that counts as damage
    /// ([`Damage::Shrunk`]), even at the end of a record.
    pub fn expect_length(&mut self, length: u64) {
        self.expected_length = Some(length);
    }

    /// Returns the number of stored (compressed) bytes decoded so far. (On a `&mut Reader`, write
    /// `Reader::position(&reader)`, because iterators have a method of the same name.)
    pub fn position(&self) -> u64 {
        self.stream.position()
    }

    /// Appends the next record or damaged part of the archive to the queue, or notes the end of the archive.
    fn step(&mut self) {
        if !self.skip_blank() {
            match self.stream.stop() {
                Some(MemberStop::Failed(_)) => {
                    if let Some(source) = self.stream.take_failure() {
                        let offset = self.stream.position();
                        self.fail(ArchiveError::Io { file: self.file.clone(), offset, source });
                    }
                }
                Some(MemberStop::Broken(damage)) => {
                    let damage = *damage;
                    self.pass_member(damage);
                }
                _ => self.end(),
            }
            return;
        }
        if !self.starts_here() {
            if self.begins_cut() {
                let (offset, _) = self.stream.place();
                self.stream.consume(usize::MAX);
                // A broken member is reported when it is passed.
                if matches!(self.stream.stop(), Some(MemberStop::End)) {
                    let lost = self.stream.stored_end().saturating_sub(offset);
                    self.damage(Damage::Cut, offset, lost);
                }
                return;
            }
            self.skip_junk();
        } else if is_warc(self.stream.bytes()) {
            self.warc_record();
        } else {
            self.arc_record();
        }
    }

    /// Notes that the current member's bytes up to the read position were returned in records or reported as damage. If
    /// the last record lacks `missing` bytes, its bytes are not counted.
    pub(crate) fn account(&mut self, missing: Option<u64>) {
        let member = self.stream.member_offset();
        let until = match missing {
            Some(_) if self.accounted.member == member => self.accounted.until,
            Some(_) => member,
            None => self.stream.decoded_before(),
        };
        self.accounted = MemberAccount { member, until, missing };
    }

    fn fail(&mut self, error: ArchiveError) {
        self.queue.push_back(Err(error));
        self.finished = true;
    }

    fn end(&mut self) {
        if let (0, Some(hint)) = (self.given, self.hint.take()) {
            self.queue.clear();
            self.fail(ArchiveError::NotAnArchive { file: self.file.clone(), hint });
        } else if self.falls_short().is_some() {
            self.damage(Damage::Shrunk, self.stream.position(), 0);
        }
        self.finished = true;
    }

    /// Returns the number of stored bytes that the input lacks, if it ended before its expected length.
    fn falls_short(&self) -> Option<u64> {
        if !matches!(self.stream.stop(), Some(MemberStop::End)) {
            return None;
        }
        let expected = self.expected_length?;
        expected.checked_sub(self.stream.position()).filter(|short| *short > 0)
    }

    fn damage(&mut self, mut what: Damage, offset: u64, mut lost: u64) {
        if matches!(what, Damage::Cut | Damage::Shrunk)
            && let Some(short) = self.falls_short()
        {
            let end = self.stream.position().saturating_add(short);
            (what, lost) = (Damage::Shrunk, end.saturating_sub(offset));
            self.expected_length = None;
        }
        let file = self.file.clone();
        self.queue.push_back(Err(ArchiveError::Damage { file, offset, lost, what }));
    }

    /// Skips the rest of a member that cannot be decoded further, and reports it as damage of the kind `what`.
    fn pass_member(&mut self, what: Damage) {
        let from = self.stream.member_offset();
        let zeros = self.stream.zeros();
        let arc = self.arc || self.given == 0;
        let next = self.stream.resync(|plain| {
            let plain = plain.trim_ascii_start();
            is_warc(plain) || arc && arc_starts(plain)
        });
        let MemberAccount { member, until, missing } = std::mem::take(&mut self.accounted);
        let ended = matches!(self.stream.stop(), Some(MemberStop::End));
        // Where nothing of the member was given, and where the decoder ran into members that are read again, all of it
        // counts.
        let is_given = member == from && (from..=next).contains(&until);
        let (offset, lost) = match missing.filter(|_| member == from) {
            // The file ends in the block.
            Some(missing) if what == Damage::Cut && ended => (next, missing),
            _ => {
                let offset = if is_given { until } else { from };
                (offset, next.saturating_sub(offset))
            }
        };
        match zeros {
            // The member decodes to its end, but with something else in place of what was there.
            Some((offset, zeros)) if what == Damage::Checksum && is_given => {
                self.damage(what, offset, zeros.max(lost));
            }
            _ => self.damage(what, offset, lost),
        }
    }

    /// Skips blank lines, also across members. Returns false at the end of the file or at damage.
    fn skip_blank(&mut self) -> bool {
        loop {
            let bytes = self.stream.bytes();
            let blank = bytes.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            let rest = bytes.len() - blank;
            self.stream.consume(blank);
            self.stream.place();
            if rest > 0 {
                return true;
            }
            if !self.stream.more() {
                match self.stream.stop() {
                    Some(MemberStop::MemberEnd) => self.stream.advance(),
                    _ => return false,
                }
            }
        }
    }

    /// Returns whether a record begins at the next unread byte, after decoding some more bytes of the member.
    fn starts_here(&mut self) -> bool {
        self.stream.ensure(6);
        is_warc(self.stream.bytes()) || (self.arc || self.given == 0) && self.starts_arc(0)
    }

    /// Returns whether the archive ends, or becomes unreadable, within the first line of a record.
    fn begins_cut(&self) -> bool {
        let bytes = self.stream.bytes();
        self.given > 0
            && matches!(self.stream.stop(), Some(MemberStop::End | MemberStop::Broken(_) | MemberStop::Failed(_)))
            && (may_name_warc(bytes) || self.arc && bytes.len() < ARC_REACH && !bytes.contains(&b'\n'))
    }

    /// Returns whether an ARC record begins at the index `at` of the unread bytes, after decoding more of the member.
    fn starts_arc(&mut self, at: usize) -> bool {
        let mut want = 256;
        loop {
            self.stream.ensure(at + want);
            let bytes = self.stream.bytes().get(at..).unwrap_or_default();
            if bytes.contains(&b'\n') || bytes.len() < want || want >= ARC_REACH {
                return arc_starts(bytes);
            }
            want *= 2;
        }
    }

    /// Opens the next member, and returns whether it continues the current record instead of beginning another. The
    /// first `at` bytes of the buffer are the end of the current record before that member.
    fn continues(&mut self, at: usize) -> bool {
        while self.stream.bytes().len() <= at {
            self.stream.advance();
            if !self.stream.more() && !matches!(self.stream.stop(), Some(MemberStop::MemberEnd)) {
                return false;
            }
        }
        // A line of a block may begin with a version: only a header's first two lines tell.
        self.stream.ensure(at + WARC_REACH);
        let bytes = self.stream.bytes().get(at..).unwrap_or_default();
        let warc = record_starts(bytes, true) == Some(true);
        !(warc || self.arc && self.starts_arc(at))
    }

    /// Skips bytes that belong to no record, and reports them as damage.
    fn skip_junk(&mut self) {
        if self.given == 0 && self.hint.is_none() {
            let head = self.stream.bytes();
            self.hint = Some(head.get(..24).unwrap_or(head).escape_ascii().to_string());
        }
        let (member, inner) = self.stream.place();
        let plain_from = self.stream.bytes_before();
        let arc = self.arc || self.given == 0;
        let mut from = 1;
        loop {
            let whole = self.stream.stop().is_some();
            match (StartSearch { arc, line: false, whole }).run(self.stream.bytes(), from) {
                FoundStart::At(at) => {
                    self.stream.consume(at);
                    break;
                }
                FoundStart::No(safe) => {
                    // One byte stays, to know what is before a line.
                    let drop = if whole { self.stream.bytes().len() } else { safe.saturating_sub(1) };
                    self.stream.consume(drop);
                    from = safe - drop.min(safe);
                }
            }
            if self.given == 0 && self.skipped + self.stream.bytes_before() - plain_from > HEAD as u64 {
                self.end();
                return;
            }
            if !self.stream.more() && self.stream.bytes().is_empty() {
                if !matches!(self.stream.stop(), Some(MemberStop::MemberEnd)) {
                    break;
                }
                self.stream.advance();
                if self.skip_blank() && self.starts_here() {
                    break;
                }
                from = 0;
            }
        }
        let plain = self.stream.bytes_before() - plain_from;
        if self.given == 0 {
            self.skipped += plain;
        }
        let end = if self.stream.bytes().is_empty() { self.stream.stored_end() } else { self.stream.place().0 };
        let lost = if inner == 0 && end > member { end - member } else { plain };
        self.damage(Damage::Junk, member, lost);
        self.account(None);
    }
}

impl Iterator for Reader {
    type Item = Result<Record, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.begins_segments() {
                self.join_segments();
            }
            if let Some(item) = self.queue.pop_front() {
                // What failed for good is tried again by a reader that resumes.
                if !item.as_ref().is_err_and(ArchiveError::is_fatal) {
                    self.before.items += 1;
                }
                return Some(item);
            }
            if self.finished {
                return None;
            }
            self.before = self.resume_point();
            self.step();
        }
    }
}

/// Returns whether `bytes` begins with the header line of an ARC record.
pub(crate) fn arc_starts(bytes: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    ArcLine::parse(bytes.get(..end).unwrap_or_default()).is_some()
}

/// Point in an archive between two items, from which another reader can continue. It is a few numbers that can be
/// stored.
///
/// A reader that resumes at the point, over the same bytes and with the same options, returns the same items as the
/// first reader would have. It decodes again from the start of the current compressed member, and may read the last
/// items again without returning them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// Saved state of the reader; `None` at the start of the file.
    pub(crate) state: Option<ReaderState>,
    /// Number of items that were returned after the state was saved; a reader that resumes skips them.
    pub(crate) items: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReaderState {
    pub(crate) compression: StreamCodec,
    pub(crate) stand: StreamPosition,
    pub(crate) arc: bool,
    pub(crate) given: u64,
    pub(crate) accounted: MemberAccount,
    pub(crate) wrong_lengths: u32,
    pub(crate) finished: bool,
}

/// Progress in a member of an archive: its bytes before an offset were returned in records or reported as damage. If
/// the member turns out to be damaged, the bytes after the offset are reported as lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MemberAccount {
    /// Byte offset in the archive file at which the member begins.
    pub(crate) member: u64,
    /// Byte offset in the archive file up to which the member's bytes were returned in whole records or reported as
    /// damage. If none were, the offset is at or before the start of the member.
    pub(crate) until: u64,
    /// Number of bytes that the last record's block lacks; `None` if the record is complete.
    pub(crate) missing: Option<u64>,
}

impl ResumePoint {
    /// Creates a point after the first `items` items, for items that are not read from an archive file.
    pub fn after(items: u64) -> Self {
        Self { state: None, items }
    }

    /// Returns the number of items returned since the reader's state was saved, or else since the start.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Returns the byte offset in the archive file at which a resuming reader begins to decode. In a zstd file the
    /// reader also reads the dictionary at the start of the file.
    pub fn offset(&self) -> u64 {
        self.state.map_or(0, |state| state.stand.offset)
    }
}
