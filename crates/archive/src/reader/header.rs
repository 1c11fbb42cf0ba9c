//! Reads one record from decompressed bytes: its header, then its block.

use super::{Reader, block::Block};
use crate::error::{ArchiveError, Damage, MemberStop};
use crate::record::{ArchiveFormat, Note, Place, Record, RecordType};
use crate::record_start::{ArcLine, names_warc, record_starts};
use crate::{http::Headers, stream::StreamCodec};

/// Result of searching for the end of a record's header.
enum HeaderEnd {
    /// Length in bytes of the header without and with the blank line that ends it.
    Blank(usize, usize),
    /// No blank line was found before the next record or within the maximum length.
    None,
    /// The member or the file ended before the blank line; the bytes were consumed, and reported if damaged.
    Stopped,
}

/// Record that was read, before its length in the file is known.
struct RecordDraft {
    /// Byte offset in the file of the record's member, and byte offset of the record in the decompressed member.
    start: (u64, u64),
    format: ArchiveFormat,
    kind: RecordType,
    headers: Headers,
    /// Length of the block in bytes according to the header; `None` if the header states none.
    stated: Option<u64>,
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
        let length = headers.get("Content-Length").and_then(|length| length.parse().ok());
        let kind = RecordType::parse(headers.get("WARC-Type").unwrap_or_default());
        let mut block = self.block(length);
        if odd {
            block.notes.insert(0, Note::LenientHeader);
        }
        self.give(RecordDraft { start, format: ArchiveFormat::Warc, kind, headers, stated: length, block });
    }

    /// Finds the blank line that ends a header. A record that begins before the blank line means that the header is
    /// damaged; searching further would cost quadratic time on hostile files.
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

    /// Skips an unreadable header and everything up to the next record, and reports it as damage from `start` on.
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
        let Some(line) = ArcLine::parse(bytes.get(..end).unwrap_or_default()) else { return self.skip_junk() };
        self.arc = true;
        self.stream.consume(end + 1);
        let block = self.block(line.length);
        let http = block.bytes.get(..5).is_some_and(|head| head.eq_ignore_ascii_case(b"HTTP/"));
        let kind = if line.url.starts_with("filedesc:") {
            RecordType::Warcinfo
        } else if http || line.url.starts_with("http") {
            RecordType::Response
        } else {
            RecordType::Resource
        };
        let headers = line.headers(http);
        self.give(RecordDraft { start, format: ArchiveFormat::Arc, kind, headers, stated: line.length, block });
    }

    fn give(&mut self, draft: RecordDraft) {
        let RecordDraft { start, format, kind, headers, stated, block } = draft;
        let end = self.stream.stored_end();
        let place =
            Place { file: self.file.clone(), offset: start.0, length: end.saturating_sub(start.0), inner: start.1 };
        self.given += 1;
        self.account(block.missing);
        // No checksum shows that a piece is missing. A compressed member that is whole has what its writer put in.
        let lost = match block.is_of_wrong_length && self.stream.compression() == StreamCodec::Plain {
            true => block.lost_by_length(stated, format),
            false => None,
        };
        let mut record = Record { place, format, kind, headers, block: block.bytes, notes: block.notes };
        if record.headers.get("WARC-Date").is_some_and(|date| !date.is_empty()) && record.date().is_none() {
            record.notes.push(Note::WrongDate);
        }
        self.queue.push_back(Ok(record));
        if let Some(missing) = block.missing
            && matches!(self.stream.stop(), Some(MemberStop::End))
        {
            self.damage(Damage::Cut, end, missing);
        }
        if let Some(lost) = lost {
            self.damage(Damage::Length, start.0, lost);
        }
    }
}
