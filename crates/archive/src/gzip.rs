//! Reads gzip members one by one: header, raw deflate, trailer.
//!
//! Runs of zeros are found in stored bytes, where a disk or a download lost a part of a file.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use memchr::memmem;

use crate::buffer::{Buffer, Spares};
use crate::error::{Damage, MemberStart, MemberStop};
use crate::inflate::{Inflate, InflateResult, crc32};
use crate::{record_start::is_one_record, signature::GZIP_DEFLATE as MAGIC, stored_bytes::Source};

/// Maximum number of decompressed bytes that one decoding step makes.
const CHUNK: usize = 64 * 1024;
/// Maximum length in bytes of a gzip member's header: an extra field is at most 64 KiB, names are short.
const MAX_HEADER: usize = 256 * 1024;
/// Maximum number of compressed bytes of a gzip member that is decoded in one call instead of piece by piece.
const MAX_STORED: usize = 4 * 1024 * 1024;
/// Maximum number of decompressed bytes of a gzip member that is decoded in one call instead of piece by piece.
const MAX_PLAIN: usize = 16 * 1024 * 1024;
/// Initial buffer size in bytes for a decompressed gzip member of unknown length.
const FIRST_PLAIN: usize = 256 * 1024;
/// Number of bytes added to the expected length of a decompressed member when its buffer is allocated. Decoders are
/// slow near the end of a buffer.
const SPARE_BYTES: usize = 512;
/// Number of gzip members in a row that cannot be decoded in one call, after which all are decoded piece by piece. The
/// members of such a file hold several records each, or parts of records.
const MAX_MISSES: u32 = 4;

/// Decoder of the members of a gzip file, one after another.
pub(crate) struct Gzip {
    inflate: Decompress,
    crc: Crc,
    body_ended: bool,
    probe: Option<Decompress>,
    /// Decoder that inflates a whole member in one call; `None` if every member is decoded piece by piece.
    whole: Option<Inflate>,
    /// True until the decoder has tried to inflate the current member in one call.
    untried: bool,
    /// Number of members in a row that could not be inflated in one call.
    misses: u32,
    /// Maximum number of decompressed bytes that one call may make of a whole member.
    most: usize,
    /// CRC-32 and length (modulo 2^32) of the current member's decompressed bytes, if one call inflated all of it.
    sum: Option<(u32, u32)>,
    /// Runs of zeros among the compressed bytes of the current member, which may be lost parts of the file.
    zeros: ZeroRuns,
}

impl Gzip {
    pub(crate) fn new() -> Self {
        Gzip {
            inflate: Decompress::new(false),
            crc: Crc::new(),
            body_ended: false,
            probe: None,
            whole: Inflate::new(),
            untried: false,
            misses: 0,
            most: MAX_PLAIN,
            sum: None,
            zeros: ZeroRuns::default(),
        }
    }

    /// Returns the byte offset in the file of the first run of 512 or more zeros in the compressed member, and the
    /// number of bytes in all such runs. Returns `None` if there is no such run.
    pub(crate) fn zeros(&self) -> Option<(u64, u64)> {
        self.zeros.finish()
    }

    /// Sets the number of decompressed bytes that the caller wants of a member. Members longer by more than 64 KiB are
    /// not inflated in one call.
    pub(crate) fn want(&mut self, plain: u64) {
        let plain = usize::try_from(plain).unwrap_or(usize::MAX);
        self.most = plain.saturating_add(CHUNK).min(MAX_PLAIN);
    }

    /// Creates a decoder that never inflates a member in one call.
    #[cfg(test)]
    pub(crate) fn in_steps() -> Self {
        Gzip { whole: None, ..Gzip::new() }
    }

    /// Reads the header of the next gzip member and returns whether a member begins there.
    pub(crate) fn begin(&mut self, source: &mut Source) -> io::Result<MemberStart> {
        let hole = !skip_padding(source)?;
        source.mark();
        if hole {
            return Ok(MemberStart::Broken(Damage::Zeros));
        }
        let mut want = 32;
        let length = loop {
            let bytes = source.peek(want)?;
            if bytes.is_empty() {
                return Ok(MemberStart::End);
            }
            let magic = bytes.len().min(MAGIC.len());
            if bytes.get(..magic) != MAGIC.get(..magic) {
                return Ok(MemberStart::Broken(Damage::Junk));
            }
            match header_length(bytes.get(..MAX_HEADER).unwrap_or(bytes)) {
                Some(length) => break length,
                None if bytes.len() < want => return Ok(MemberStart::Broken(Damage::Cut)),
                None if want >= MAX_HEADER => return Ok(MemberStart::Broken(Damage::Codec)),
                None => want = bytes.len().max(want).saturating_mul(2).min(MAX_HEADER),
            }
        };
        source.consume(length);
        self.zeros.begin(source.position());
        self.inflate.reset(false);
        self.crc.reset();
        self.body_ended = false;
        self.untried = true;
        self.sum = None;
        Ok(MemberStart::Member)
    }

    /// Appends some decoded bytes of the gzip member to `window`; if no more follow, returns the reason.
    pub(crate) fn decode(
        &mut self,
        source: &mut Source,
        window: &mut Buffer,
        spares: &mut Spares,
    ) -> io::Result<Option<MemberStop>> {
        if self.body_ended {
            return self.trailer(source).map(Some);
        }
        if std::mem::take(&mut self.untried) && self.take_whole(source, window, spares) {
            return Ok(None);
        }
        loop {
            let input = source.chunk()?;
            let at_end = input.is_empty();
            let (read_before, made_before) = (self.inflate.total_in(), self.inflate.total_out());
            let room = window.room(CHUNK);
            let size = room.len().min(CHUNK);
            let room = room.get_mut(..size).unwrap_or_default();
            let status = self.inflate.decompress(input, room, FlushDecompress::None);
            let read = usize::try_from(self.inflate.total_in() - read_before).unwrap_or(0);
            let made = usize::try_from(self.inflate.total_out() - made_before).unwrap_or(0);
            self.zeros.see(input.get(..read).unwrap_or_default());
            self.crc.update(room.get(..made).unwrap_or_default());
            window.filled(made);
            source.consume(read);
            match status {
                Ok(Status::StreamEnd) => {
                    self.body_ended = true;
                    return if made > 0 { Ok(None) } else { self.trailer(source).map(Some) };
                }
                Ok(_) if made > 0 => return Ok(None),
                Ok(_) if read > 0 => {}
                Ok(_) if at_end => return Ok(Some(MemberStop::Broken(Damage::Cut))),
                // Bytes decoded before the error stand; the same call fails again with none.
                Err(_) if made > 0 => return Ok(None),
                Ok(_) | Err(_) => return Ok(Some(MemberStop::Broken(Damage::Codec))),
            }
        }
    }

    /// Inflates the member in one call if it holds exactly one whole record; returns whether it did. Other members are
    /// decoded piece by piece, because the reported offsets of records and damage depend on the pieces.
    ///
    /// The last four bytes of a member state its decompressed length. So one buffer can be made large enough for all of
    /// it, and becomes the record's block without copying.
    fn take_whole(&mut self, source: &mut Source, window: &mut Buffer, spares: &mut Spares) -> bool {
        let Some(inflate) = &mut self.whole else { return false };
        if self.misses >= MAX_MISSES || window.len() > 0 {
            return false;
        }
        self.misses += 1;
        let mut size = stated_length(source).unwrap_or(FIRST_PLAIN).min(self.most);
        // Decoders are slower within some bytes of the end of their room.
        let mut plain = spares.take_or_new(size.saturating_add(SPARE_BYTES));
        loop {
            let stored = source.buffered();
            let stored = stored.get(..MAX_STORED).unwrap_or(stored);
            match inflate.run(stored, &mut plain, self.most) {
                InflateResult::Whole { read, made } => {
                    if !is_one_record(&plain) {
                        break;
                    }
                    let length = u32::try_from(made).unwrap_or(u32::MAX);
                    self.sum = Some((crc32(&plain), length));
                    self.zeros.see(stored.get(..read).unwrap_or_default());
                    self.misses = 0;
                    self.body_ended = true;
                    spares.put(window.replace(plain));
                    source.consume(read);
                    return true;
                }
                // Doubling keeps the sum of all tries in proportion to the last.
                InflateResult::Full if size < self.most => {
                    size = plain.capacity().saturating_mul(2).min(self.most);
                    spares.put(plain);
                    plain = spares.take_or_new(size);
                }
                InflateResult::Bad if stored.len() < MAX_STORED => {
                    let want = (stored.len() * 2).max(1);
                    if !source.read_ahead(want) {
                        break;
                    }
                }
                InflateResult::Full | InflateResult::Bad => break,
            }
        }
        spares.put(plain);
        false
    }

    /// Returns whether one call inflated all of the current member.
    pub(crate) fn is_whole(&self) -> bool {
        self.sum.is_some()
    }

    fn trailer(&mut self, source: &mut Source) -> io::Result<MemberStop> {
        let bytes = source.peek(8)?;
        let Some((crc, rest)) = bytes.split_first_chunk::<4>() else { return Ok(MemberStop::Broken(Damage::Cut)) };
        let Some(size) = rest.first_chunk::<4>() else { return Ok(MemberStop::Broken(Damage::Cut)) };
        let sum = self.sum.unwrap_or((self.crc.sum(), self.crc.amount()));
        let right = (u32::from_le_bytes(*crc), u32::from_le_bytes(*size)) == sum;
        source.consume(8);
        Ok(if right { MemberStop::MemberEnd } else { MemberStop::Broken(Damage::Checksum) })
    }

    /// Decodes the first bytes of the gzip member at the start of `stored` into `plain`, and returns their number.
    /// Returns `None` if no member begins there.
    pub(crate) fn probe(&mut self, stored: &[u8], plain: &mut [u8]) -> Option<usize> {
        if !stored.starts_with(&MAGIC) {
            return None;
        }
        let body = stored.get(header_length(stored)?..)?;
        let inflate = self.probe.get_or_insert_with(|| Decompress::new(false));
        inflate.reset(false);
        // An error after the first bytes does not matter here.
        let _ = inflate.decompress(body, plain, FlushDecompress::None);
        usize::try_from(inflate.total_out()).ok()
    }
}

/// Guesses the decompressed length of the current gzip member, to choose a buffer size; `None` if unknown. The last
/// bytes of the member state it, directly before what looks like the next member, or before the end of the input.
fn stated_length(source: &mut Source) -> Option<usize> {
    let next = memmem::Finder::new(&MAGIC);
    let mut from = 0;
    loop {
        let stored = source.buffered();
        let stored = stored.get(..MAX_STORED).unwrap_or(stored);
        let found = next.find(stored.get(from..)?).map(|at| from + at);
        let held = stored.len();
        if let Some(end) = found.or_else(|| source.is_at_end().then_some(held)) {
            let size = stored.get(..end)?.last_chunk::<4>()?;
            let size = usize::try_from(u32::from_le_bytes(*size)).ok()?;
            // Deflate makes at most 1,032 bytes of one.
            return (size <= end.saturating_mul(1032)).then_some(size);
        }
        if held >= MAX_STORED {
            return None;
        }
        from = held.saturating_sub(MAGIC.len() - 1);
        if !source.read_ahead(held + 1) && !source.is_at_end() {
            return None;
        }
    }
}

/// Skips line ends and zero padding between gzip members. Returns false if there are more zeros than padding has, which
/// means that members may have been lost there.
fn skip_padding(source: &mut Source) -> io::Result<bool> {
    loop {
        match source.peek(1)?.first() {
            Some(b'\r' | b'\n') => source.consume(1),
            Some(0) => {
                // As many as tell padding from a hole.
                let most = usize::try_from(TAR_BLOCK).unwrap_or(usize::MAX);
                let bytes = source.peek(most)?;
                let zeros = bytes.iter().take_while(|b| **b == 0).count();
                let ends_file = zeros == bytes.len() && zeros < most;
                let end = source.position() + zeros as u64;
                if !is_padding(zeros as u64, end, ends_file) {
                    return Ok(false);
                }
                source.consume(zeros);
            }
            _ => return Ok(true),
        }
    }
}

/// Returns the length of a gzip member's header in bytes; `None` if more bytes are needed.
pub(crate) fn header_length(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let mut at = 10usize;
    if flags & 4 != 0 {
        let low = *bytes.get(at)?;
        let high = *bytes.get(at + 1)?;
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [8u8, 16] {
        if flags & flag != 0 {
            at += memchr::memchr(0, bytes.get(at..)?)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    (at <= bytes.len()).then_some(at)
}

/// Minimum length in bytes of a run of zeros that counts as a lost part of the file, as disks lose at least so much.
/// Intact compressed data has such runs only where the decompressed bytes repeat one value for long.
const MIN_RUN_BYTES: u64 = 512;
/// Number of bytes that one step of the search for zeros examines.
const STEP: usize = 64;
/// Minimum length in bytes of a gzip member: header, empty body and trailer.
const MIN_MEMBER_BYTES: u64 = 20;
/// Size in bytes of the smallest blocks that tapes and disks write.
const SECTOR: u64 = 512;
/// Size in bytes of the blocks that tar writes; tar fills the last block with zeros.
pub(crate) const TAR_BLOCK: u64 = 10_240;

/// Returns whether `zeros` zero bytes that end at the file offset `end` are padding rather than a lost part of the
/// file. Padding has fewer than 20 bytes, or it ends at a multiple of 512 bytes and is shorter than 512 bytes. At the
/// end of the file it may have up to 10 KiB, as tar pads files.
pub(crate) fn is_padding(zeros: u64, end: u64, ends_file: bool) -> bool {
    let block = if ends_file { TAR_BLOCK } else { SECTOR };
    zeros < MIN_MEMBER_BYTES || zeros < block && end.is_multiple_of(SECTOR)
}

/// Search for long runs of zeros in bytes that arrive in pieces; such runs show that a part of the file was lost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ZeroRuns {
    /// Byte offset in the file of the next byte to search.
    position: u64,
    /// Number of zero bytes directly before `position`.
    run: u64,
    /// Byte offset in the file of the first run of 512 or more zeros; `None` if no such run has ended.
    first: Option<u64>,
    /// Number of bytes in all runs of 512 or more zeros that have ended.
    total: u64,
}

impl ZeroRuns {
    /// Starts a new search for zeros at the file offset `position`.
    pub(crate) fn begin(&mut self, position: u64) {
        *self = ZeroRuns { position, ..ZeroRuns::default() };
    }

    /// Searches `bytes`, which follow those of the last call, for zeros.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        for step in bytes.chunks(STEP) {
            let length = step.len() as u64;
            if step.iter().all(|byte| *byte == 0) {
                self.run += length;
            } else {
                let lead = step.iter().take_while(|byte| **byte == 0).count();
                self.run += lead as u64;
                self.end_run(self.position + lead as u64);
                self.run = step.iter().rev().take_while(|byte| **byte == 0).count() as u64;
            }
            self.position += length;
        }
    }

    fn end_run(&mut self, end: u64) {
        if self.run >= MIN_RUN_BYTES {
            self.first.get_or_insert(end - self.run);
            self.total += self.run;
        }
        self.run = 0;
    }

    /// Returns the file offset of the first run of 512 or more zeros, and the number of bytes in all such runs. Returns
    /// `None` if there is no such run.
    pub(crate) fn finish(mut self) -> Option<(u64, u64)> {
        self.end_run(self.position);
        Some((self.first?, self.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_fields_are_passed() {
        let mut bytes = vec![0x1f, 0x8b, 8, 4 | 8 | 16 | 2, 0, 0, 0, 0, 0, 255];
        bytes.extend_from_slice(&[3, 0, b'a', b'b', b'c']);
        bytes.extend_from_slice(b"name\0comment\0");
        bytes.extend_from_slice(&[1, 2]);
        let length = bytes.len();
        assert_eq!(header_length(&bytes), Some(length));
        for cut in 0..length {
            assert_eq!(header_length(&bytes[..cut]), None, "{cut}");
        }
        bytes.extend_from_slice(b"body");
        assert_eq!(header_length(&bytes), Some(length));
        assert_eq!(header_length(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), Some(10));
    }

    #[test]
    fn long_runs_are_found_whatever_the_pieces() {
        let mut bytes = vec![1; 100];
        bytes.extend([0; 511]);
        bytes.extend([2; 77]);
        bytes.extend([0; 512]);
        bytes.push(3);
        bytes.extend([0; 1000]);
        for piece in [1, 7, 63, 64, 65, 600, 5000] {
            let mut runs = ZeroRuns::default();
            runs.begin(5);
            for part in bytes.chunks(piece) {
                runs.see(part);
            }
            assert_eq!(runs.finish(), Some((5 + 688, 1512)), "{piece}");
            runs.begin(5);
            runs.see(&bytes[..680]);
            assert_eq!(runs.finish(), None, "{piece}");
        }
    }

    #[test]
    fn padding_fills_a_block_up() {
        assert!(is_padding(19, 1000, false));
        assert!(!is_padding(20, 1000, false));
        assert!(is_padding(511, 1024, false) && !is_padding(512, 1024, false));
        assert!(is_padding(10_239, 20_480, true) && !is_padding(10_240, 20_480, true));
        assert!(!is_padding(700, 1000, true));
    }
}
