//! One record out of plain bytes: its header, its block, the line ends after it.

use memchr::memchr_iter;

use super::Reader;
use crate::{
    error::{ArchiveError, Damage},
    headers::Headers,
    member::MemberStop,
    record::{ArchiveFormat, Note, Place, Record, RecordType},
    record_block::RecordBlock,
    start::{
        ARC_REACH, ArcLine, FoundStart, StartSearch, WARC_REACH, is_warc, names_warc, record_starts,
    },
    stream::StreamCodec,
};

/// Most bytes set aside for a block beyond those that have been decoded.
const FIRST_CAPACITY: u64 = 1024 * 1024;
/// After so many lengths that ran into the next record, lengths are no longer believed: a start of
/// a record inside a block ends it. Keeps reading linear when every length of a file is wrong.
const MAX_WRONG_LENGTHS: u32 = 4;

/// Bytes after a block in which a record that begins in the block may go on.
const LOOKAHEAD: usize = 4096;

/// Why the bytes of a block came to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// As many as wanted.
    Whole,
    /// The next record begins.
    Start,
    /// The member, the file or the readable part of it has ended.
    Stopped,
}

/// How the search for the end of a header went.
enum HeaderEnd {
    /// Length of the header lines, and with the blank line.
    Blank(usize, usize),
    /// None before the next record or within the limit.
    None,
    /// The member or the file ended; the bytes are used up and, where need be, reported.
    Stopped,
}

/// A block as read.
#[derive(Default)]
struct Block {
    bytes: RecordBlock,
    /// Bytes of the block seen, kept or not.
    total: u64,
    notes: Vec<Note>,
    /// Bytes that are missing where the file or the member breaks off in it.
    missing: Option<u64>,
}

impl Block {
    fn kept(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Takes off the two line ends that close a record, of a block that was read up to the next.
    fn trim_end(&mut self) {
        if self.total != self.kept() {
            return;
        }
        let rest = self
            .bytes
            .strip_suffix(b"\r\n\r\n")
            .or_else(|| self.bytes.strip_suffix(b"\n\n"));
        if let Some(length) = rest.map(<[u8]>::len) {
            self.bytes.truncate(length);
            self.total = length as u64;
        }
    }
}

/// A record but for the end of its place.
struct Draft {
    /// Stored offset and offset in the member.
    start: (u64, u64),
    format: ArchiveFormat,
    kind: RecordType,
    headers: Headers,
    block: Block,
}

impl Reader {
    pub(super) fn warc_record(&mut self) {
        let start = self.stream.place();
        let (lines, end) = match self.header_end(start.0) {
            HeaderEnd::Blank(lines, end) => (lines, end),
            HeaderEnd::None => return self.skip_header(start.0),
            HeaderEnd::Stopped => return,
        };
        let bytes = self.stream.bytes().get(..lines).unwrap_or_default();
        let line = memchr::memchr(b'\n', bytes).map_or(lines, |at| at + 1);
        let (version, fields) = bytes.split_at(line);
        let (headers, mut odd) = Headers::parse(fields);
        odd |= !version.ends_with(b"\r\n") || !version.starts_with(b"WARC/");
        if headers.is_empty() {
            return self.skip_header(start.0);
        }
        self.stream.consume(end);
        let length = headers
            .get("Content-Length")
            .and_then(|length| length.parse().ok());
        let kind = RecordType::parse(headers.get("WARC-Type").unwrap_or_default());
        let mut block = self.block(length);
        if odd {
            block.notes.insert(0, Note::LenientHeader);
        }
        self.give(Draft {
            start,
            format: ArchiveFormat::Warc,
            kind,
            headers,
            block,
        });
    }

    /// Finds the blank line that ends a header. A record that begins before it means that the
    /// header is damaged; searching past it would cost quadratic time on hostile files.
    fn header_end(&mut self, offset: u64) -> HeaderEnd {
        let mut line = 0;
        loop {
            let whole = self.stream.stop().is_some();
            let bytes = self.stream.bytes();
            let held = bytes.len();
            loop {
                let rest = bytes.get(line..).unwrap_or_default();
                // Some writers double the carriage return.
                let returns = rest.iter().take_while(|b| **b == b'\r').count();
                if line > 0 && rest.get(returns) == Some(&b'\n') {
                    return HeaderEnd::Blank(line, line + returns + 1);
                }
                if line > self.options.max_header {
                    return HeaderEnd::None;
                }
                if line > 0 && names_warc(rest) {
                    match record_starts(rest, whole) {
                        Some(true) => return HeaderEnd::None,
                        Some(false) => {}
                        None => break,
                    }
                }
                match memchr::memchr(b'\n', rest) {
                    Some(end) => line += end + 1,
                    None => break,
                }
            }
            if held - line.min(held) > self.options.max_header {
                return HeaderEnd::None;
            }
            if self.stream.more() || (!whole && self.stream.stop().is_some()) {
                continue;
            }
            let ended = matches!(self.stream.stop(), Some(MemberStop::MemberEnd));
            if ended && self.continues(held) {
                continue;
            }
            self.stream.consume(held);
            let lost = self.stream.stored_end().saturating_sub(offset);
            match self.stream.stop() {
                // The file ended there.
                Some(MemberStop::End) if self.stream.bytes().is_empty() => {
                    self.damage(Damage::Cut, offset, lost);
                }
                // Another record begins with the next member.
                _ if ended => self.damage(Damage::Header, offset, lost),
                // A broken member and a failing input are reported when they are passed.
                _ => {}
            }
            return HeaderEnd::Stopped;
        }
    }

    /// Passes a header that can't be read, and what follows up to the next record.
    fn skip_header(&mut self, start: u64) {
        let queued = self.queue.len();
        self.skip_junk();
        if let Some(Err(ArchiveError::Damage { offset, what, .. })) = self.queue.get_mut(queued) {
            *offset = start;
            *what = Damage::Header;
        }
    }

    pub(super) fn arc_record(&mut self) {
        let start = self.stream.place();
        let bytes = self.stream.bytes();
        let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        let Some(line) = ArcLine::parse(bytes.get(..end).unwrap_or_default()) else {
            return self.skip_junk();
        };
        self.arc = true;
        self.stream.consume(end + 1);
        let block = self.block(line.length);
        let http = block
            .bytes
            .get(..5)
            .is_some_and(|head| head.eq_ignore_ascii_case(b"HTTP/"));
        let kind = if line.url.starts_with("filedesc:") {
            RecordType::Warcinfo
        } else if http || line.url.starts_with("http") {
            RecordType::Response
        } else {
            RecordType::Resource
        };
        let headers = line.headers(http);
        self.give(Draft {
            start,
            format: ArchiveFormat::Arc,
            kind,
            headers,
            block,
        });
    }

    /// Reads a block and the line ends after it, and mends a wrong length.
    fn block(&mut self, length: Option<u64>) -> Block {
        if let Some(length) = length
            && length <= self.options.max_record
            && let Some(bytes) = self.stream.take_whole(length)
        {
            let mut block = Block {
                bytes,
                total: length,
                ..Block::default()
            };
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
            bytes: spare
                .unwrap_or_else(|| Vec::with_capacity(room.next_power_of_two()))
                .into(),
            ..Block::default()
        };
        match length {
            Some(length) => self.sized_block(&mut block, length),
            None => {
                block.notes.push(Note::MissingContentLength);
                self.take(&mut block, None, true);
                block.trim_end();
            }
        }
        if is_new {
            // The length may be a lie; callers may keep many records.
            block.bytes.shrink();
        }
        if block.kept() < block.total {
            block.notes.push(Note::BlockTooLong {
                length: block.total,
                kept: block.kept(),
            });
        }
        self.note_stop(&mut block);
        block
    }

    /// Notes on a block what its member ended with.
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
        let whole = taken == Taken::Whole;
        let blank = if whole { self.close() } else { Vec::new() };
        if whole && (self.stream.bytes().is_empty() || self.starts_here()) {
            return;
        }
        self.stream.unread(&blank);
        let seen_all = block.kept() == block.total;
        let overrun = if seen_all && !distrust {
            self.overrun(&block.bytes)
        } else {
            None
        };
        if let Some(at) = overrun {
            self.wrong_lengths += 1;
            self.stream
                .unread(block.bytes.get(at..).unwrap_or_default());
            block.bytes.truncate(at);
            block.total = at as u64;
            block.trim_end();
            block.notes.push(Note::BlockCut {
                expected: length,
                got: block.total,
            });
        } else if !whole {
            let broken = matches!(
                self.stream.stop(),
                Some(MemberStop::End | MemberStop::Broken(_))
            );
            if taken == Taken::Stopped && broken {
                block.missing = Some(length - block.total);
            }
            if taken == Taken::Start {
                block.trim_end();
            }
            block.notes.push(Note::BlockCut {
                expected: length,
                got: block.total,
            });
        } else if blank.contains(&b'\n') {
            // The record ends here; what follows is junk between records.
            self.stream.consume(blank.len());
        } else {
            // No line end: the block goes on.
            self.take(block, None, true);
            block.trim_end();
            block.notes.push(Note::BlockExtended {
                expected: length,
                got: block.total,
            });
        }
    }

    /// Moves bytes of a block out of the window: up to `upto`, or to the end of the member if that
    /// is not known; with `scan`, up to the next record if it comes first.
    fn take(&mut self, block: &mut Block, upto: Option<u64>, scan: bool) -> Taken {
        let mut from = 0;
        // A header that damage ran together with a block ends right before the next record.
        if scan && block.total == 0 && upto != Some(0) {
            self.stream.ensure(WARC_REACH);
            let warc = record_starts(self.stream.bytes(), true) == Some(true);
            if warc || self.arc && self.starts_arc(0) {
                return Taken::Start;
            }
        }
        loop {
            let left = upto.map_or(u64::MAX, |upto| upto.saturating_sub(block.total));
            if left == 0 {
                return Taken::Whole;
            }
            let bytes = self.stream.bytes();
            let mut ready = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
            let mut found = false;
            if scan {
                // Only a start before `ready` matters, and what is needed to tell one.
                let reach = ready.saturating_add(if self.arc { ARC_REACH } else { WARC_REACH });
                let whole = reach < bytes.len() || self.stream.stop().is_some();
                let search = StartSearch {
                    arc: self.arc,
                    line: true,
                    whole,
                };
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
            block
                .bytes
                .extend_from_slice(part.get(..keep).unwrap_or_default());
            block.total += ready as u64;
            self.stream.consume(ready);
            from = from.saturating_sub(ready);
            if found {
                return Taken::Start;
            }
            if upto.is_some_and(|upto| block.total >= upto) {
                return Taken::Whole;
            }
            if !self.stream.more() && self.stream.bytes().is_empty() {
                if upto.is_none() || !matches!(self.stream.stop(), Some(MemberStop::MemberEnd)) {
                    return Taken::Stopped;
                }
                if !self.continues(0) {
                    return if self.stream.bytes().is_empty() {
                        Taken::Stopped
                    } else {
                        Taken::Start
                    };
                }
                from = 0;
            }
        }
    }

    /// Takes off the line ends after a block, two at most: more are no part of the record. Looks
    /// ahead as well whether the member ends there, which the record's length depends on. A live input
    /// without members is not waited for: whether another record begins there is seen if it has come.
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

    /// Where a block of wrong length has run into the next record. None if the payload is itself
    /// an archive.
    fn overrun(&mut self, block: &[u8]) -> Option<usize> {
        let payload = match block.get(..5) {
            Some(head) if head.eq_ignore_ascii_case(b"HTTP/") => blank_line(block, 0)?.1,
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
        let search = StartSearch {
            arc: self.arc,
            line: true,
            whole: true,
        };
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

    fn give(&mut self, draft: Draft) {
        let Draft {
            start,
            format,
            kind,
            headers,
            block,
        } = draft;
        let end = self.stream.stored_end();
        let place = Place {
            file: self.file.clone(),
            offset: start.0,
            length: end.saturating_sub(start.0),
            inner: start.1,
        };
        self.given += 1;
        self.account(block.missing);
        self.queue.push_back(Ok(Record {
            place,
            format,
            kind,
            headers,
            block: block.bytes,
            notes: block.notes,
        }));
        if let Some(missing) = block.missing
            && matches!(self.stream.stop(), Some(MemberStop::End))
        {
            self.damage(Damage::Cut, end, missing);
        }
    }
}

/// End of the header's last line and of the blank line after it.
fn blank_line(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    memchr_iter(b'\n', bytes.get(from..)?).find_map(|at| {
        let end = from + at + 1;
        let rest = bytes.get(end..)?;
        // Some writers double the carriage return.
        let returns = rest.iter().take_while(|b| **b == b'\r').count();
        (rest.get(returns) == Some(&b'\n')).then_some((end, end + returns + 1))
    })
}
