//! Decompresses an archive member by member, and maps decompressed bytes to the members that contain them.

pub(crate) mod compression;

use std::{collections::VecDeque, io};

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::buffer::{Buffer, RecordBlock, Spares};
use crate::error::{Damage, MemberStart, MemberStop};
use crate::stored_bytes::{MAX_BACK, Source};

pub(crate) use compression::{Codec, StreamCodec};

/// Maximum number of stored (compressed) bytes that are decoded to test whether a member begins at an offset.
const PROBE_BYTES: usize = 16 * 1024;
/// Maximum number of compressed members whose offsets are remembered; hardly any record spans more.
const MAX_MEMBERS: usize = 4096;
/// Size in bytes of a part of the file. In each part, searches after damage may read again at most about twice as many
/// bytes.
// By parts, so that what is read does not depend on damage far before.
const PART_BYTES: u64 = 16 * 1024 * 1024;
/// Minimum length in bytes of a block that takes over the decoder's buffer. Shorter blocks are copied, so that small
/// records hold no large buffers.
const MIN_WHOLE_BYTES: usize = 4 * 1024;
/// Maximum number of bytes that may follow a block that takes over the decoder's buffer: the line ends after a record.
const MAX_TRAILING_BYTES: usize = 4;

/// Offsets of a compressed member in the stored file and in the decompressed bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Member {
    /// Byte offset of the member in the decompressed bytes of the whole file.
    plain: u64,
    /// Byte offset of the member in the stored file.
    offset: u64,
}

/// Offsets at which one call of the decoder began, in the stored and in the decompressed bytes of the file.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Byte offset, in the decompressed bytes of the whole file, of the first byte that the call returned.
    plain: u64,
    /// Number of stored bytes that were decoded before the call.
    stored: u64,
}

/// Saved position in the decompressed bytes of an archive. A stream that returns to it decodes again from the start of
/// the current member on, with the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StreamPosition {
    /// Byte offset in the file of the member that contains the next byte; in a plain file, of the next byte itself.
    pub(crate) offset: u64,
    /// Number of decompressed bytes of the current member before the next byte; 0 in a plain file.
    inner: u64,
    /// Number of decompressed bytes that were decoded but not read yet.
    ahead: u64,
    /// True if it is known that no more bytes of the current member follow the unread ones.
    stopped: bool,
    /// Number of stored bytes that searches after damage have read again in the current 16 MiB part of the file.
    rewound: Rewound,
}

impl StreamPosition {
    /// Creates the position at the start of the member at file offset `offset`, for a stream that has met no damage.
    pub(crate) fn at_member(offset: u64) -> Self {
        StreamPosition { offset, inner: 0, ahead: 0, stopped: false, rewound: Rewound::default() }
    }

    /// Returns whether no search after damage has read bytes again in the 16 MiB part of the file at `offset`.
    pub(crate) fn is_fresh_at(&self, offset: u64) -> bool {
        self.rewound.seen_from(offset) == Rewound::default()
    }
}

/// Number of stored bytes that searches after damage read again in one 16 MiB part of the file, and the part's index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rewound {
    part: u64,
    bytes: u64,
}

impl Rewound {
    /// Returns this count, or a count of 0 if the file offset is in a later part of the file.
    fn seen_from(self, offset: u64) -> Self {
        if offset / PART_BYTES > self.part { Rewound::default() } else { self }
    }
}

/// Stream of the decompressed bytes of an archive, whose members are decoded into a buffer of unread bytes. The buffer
/// never goes past the end of a member until the caller moves on to the next member.
pub(crate) struct Stream {
    source: Source,
    codec: Codec,
    window: Buffer,
    spares: Spares,
    /// Number of decompressed bytes that were read from the buffer so far.
    taken: u64,
    /// Compressed members that contain the unread or last read bytes, oldest first.
    members: VecDeque<Member>,
    /// Calls of the decoder that returned the unread bytes, oldest first.
    steps: VecDeque<Step>,
    /// Byte offset in the file of the member (or of the junk) that is decoded now.
    from: u64,
    open: bool,
    stop: Option<MemberStop>,
    /// Number of stored bytes that searches after damage have read again in the current 16 MiB part of the file.
    rewound: Rewound,
}

impl Stream {
    pub(crate) fn new(source: Source, codec: Codec) -> Self {
        Stream {
            source,
            codec,
            window: Buffer::default(),
            spares: Spares::default(),
            taken: 0,
            members: VecDeque::new(),
            steps: VecDeque::new(),
            from: 0,
            open: false,
            stop: None,
            rewound: Rewound::default(),
        }
    }

    /// Creates a stream at the saved position `stand` of another stream over the same file; `source` begins at the
    /// offset of `stand`. Returns `None` if the file does not reach the position, because it is another file.
    pub(crate) fn again(source: Source, codec: Codec, stand: StreamPosition) -> io::Result<Option<Stream>> {
        let mut stream = Stream::new(source, codec);
        stream.rewound = stand.rewound;
        if matches!(stream.codec, Codec::Plain) {
            stream.taken = stand.offset;
        }
        let mut left = stand.inner;
        let window = |stream: &Stream| stream.window.len() as u64;
        while left > 0 || window(&stream) < stand.ahead {
            if !stream.more() {
                break;
            }
            let part = stream.window.len();
            let part = usize::try_from(left).map_or(part, |left| left.min(part));
            stream.consume(part);
            left -= part as u64;
        }
        if stand.stopped && stream.stop.is_none() {
            stream.more();
        }
        if let Some(MemberStop::Failed(error)) = stream.stop {
            return Err(error);
        }
        // More is there where the other input failed before its end.
        let there = left == 0 && window(&stream) >= stand.ahead;
        Ok(there.then_some(stream))
    }

    /// Returns the position of the stream, to continue from it later; `None` if it cannot be saved here.
    pub(crate) fn stand(&self) -> Option<StreamPosition> {
        let stand = |offset, inner| StreamPosition {
            offset,
            inner,
            ahead: self.window.len() as u64,
            stopped: self.stop.is_some(),
            rewound: self.rewound.seen_from(offset),
        };
        // Before a member; its header has been seen or will be.
        let before = |offset| StreamPosition { stopped: false, ..stand(offset, 0) };
        let empty = self.window.len() == 0;
        match (&self.codec, &self.stop) {
            (_, Some(MemberStop::Failed(_))) => None,
            (Codec::Plain, _) => Some(stand(self.taken, 0)),
            (_, Some(MemberStop::MemberEnd | MemberStop::End)) if empty => Some(before(self.source.position())),
            (_, None) if empty && !self.open => Some(before(self.source.position())),
            (_, Some(MemberStop::Broken(_))) if empty && !self.open => Some(before(self.from)),
            _ if self.open => {
                let member = self.members.back()?;
                // The window may begin in the member before.
                let inner = self.taken.checked_sub(member.plain)?;
                Some(stand(member.offset, inner))
            }
            _ => None,
        }
    }

    /// Sets the number of decompressed bytes wanted of each member, so that no more are decoded at once.
    pub(crate) fn want(&mut self, plain: u64) {
        if let Codec::Gzip(gzip) = &mut self.codec {
            gzip.want(plain);
        }
    }

    /// Returns the compression of the archive.
    pub(crate) fn compression(&self) -> StreamCodec {
        match self.codec {
            Codec::Plain => StreamCodec::Plain,
            Codec::Gzip(_) => StreamCodec::Gzip,
            Codec::Zst(_) => StreamCodec::Zst,
            Codec::Lz4(_) => StreamCodec::Lz4,
        }
    }

    /// Returns the unread decompressed bytes in the buffer.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.window.bytes()
    }

    /// Removes the first `n` unread decompressed bytes from the buffer.
    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.window.len());
        self.window.consume(n);
        self.taken += n as u64;
    }

    /// Removes the first `length` decompressed bytes with their buffer, and returns them as a block. Returns `None`
    /// unless the block is long, and its member was inflated in one call and ends after it.
    pub(crate) fn take_whole(&mut self, length: u64) -> Option<RecordBlock> {
        let Codec::Gzip(gzip) = &self.codec else { return None };
        let length = usize::try_from(length).ok()?;
        if !gzip.is_whole() || length < MIN_WHOLE_BYTES {
            return None;
        }
        let block = self.window.split_off(length, MAX_TRAILING_BYTES)?;
        self.taken += length as u64;
        Some(block)
    }

    /// Returns the unused buffers that later blocks can reuse.
    pub(crate) fn spares(&mut self) -> &mut Spares {
        &mut self.spares
    }

    /// Puts back decompressed bytes that were removed last, so that they are read again.
    pub(crate) fn unread(&mut self, bytes: &[u8]) {
        self.window.prepend(bytes);
        self.taken = self.taken.saturating_sub(bytes.len() as u64);
    }

    /// Returns the reason why no more bytes can be decoded; `None` while more may follow.
    pub(crate) fn stop(&self) -> Option<&MemberStop> {
        self.stop.as_ref()
    }

    /// Removes and returns the read error that ended the stream; `None` if the stream did not end with one.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        match self.stop.replace(MemberStop::End) {
            Some(MemberStop::Failed(error)) => Some(error),
            other => {
                self.stop = other;
                None
            }
        }
    }

    /// Returns the number of decompressed bytes of the whole archive before the unread ones.
    pub(crate) fn bytes_before(&self) -> u64 {
        self.taken
    }

    /// Returns the number of stored bytes decoded so far.
    pub(crate) fn position(&self) -> u64 {
        match self.codec {
            Codec::Plain => self.taken,
            _ => self.source.position(),
        }
    }

    /// Returns the file offset of the stored bytes from which the decoder made the next unread byte. All stored bytes
    /// before the offset were decoded to bytes already read; damage that the decoder met lies after it.
    pub(crate) fn decoded_before(&mut self) -> u64 {
        if self.window.len() == 0 {
            return self.position();
        }
        while self.steps.get(1).is_some_and(|next| next.plain <= self.taken) {
            self.steps.pop_front();
        }
        self.steps.front().map_or_else(|| self.position(), |step| step.stored)
    }

    /// Returns the file offset of the first run of 512 or more zeros in a gzip member, and the number of bytes in all
    /// such runs. Returns `None` if there is no such run.
    pub(crate) fn zeros(&self) -> Option<(u64, u64)> {
        match &self.codec {
            Codec::Gzip(gzip) => gzip.zeros(),
            _ => None,
        }
    }

    /// Returns the byte offset in the file at which the current member, or the junk in its place, begins.
    pub(crate) fn member_offset(&self) -> u64 {
        self.from
    }

    /// Returns the place of the next unread byte: the file offset of its member, and its offset in the member's
    /// decompressed bytes. In a plain file they are its offset and 0.
    pub(crate) fn place(&mut self) -> (u64, u64) {
        if matches!(self.codec, Codec::Plain) {
            return (self.taken, 0);
        }
        while self.members.get(1).is_some_and(|next| next.plain <= self.taken) {
            self.members.pop_front();
        }
        let member = self.members.front().copied().unwrap_or_default();
        (member.offset, self.taken.saturating_sub(member.plain))
    }

    /// Returns the file offset up to which the archive must be read to decode all bytes before the unread ones. It is
    /// the start of the next member if the unread bytes begin with that member.
    pub(crate) fn stored_end(&self) -> u64 {
        if matches!(self.codec, Codec::Plain) {
            return self.taken;
        }
        self.members
            .iter()
            .skip(1)
            .find(|member| member.plain == self.taken)
            .map_or_else(|| self.source.position(), |member| member.offset)
    }

    /// Decodes more bytes of the current member into the buffer; returns false, and sets `stop`, if there are none.
    pub(crate) fn more(&mut self) -> bool {
        if self.stop.is_none() && !self.open {
            self.open_member();
        }
        if self.stop.is_some() {
            return false;
        }
        let before = self.window.len();
        if before == 0 {
            self.steps.clear();
        }
        self.steps.push_back(Step { plain: self.taken + before as u64, stored: self.position() });
        let result = match &mut self.codec {
            Codec::Plain => copy(&mut self.source, &mut self.window),
            Codec::Gzip(gzip) => gzip.decode(&mut self.source, &mut self.window, &mut self.spares),
            Codec::Zst(zst) => zst.decode(&mut self.source, &mut self.window),
            Codec::Lz4(lz4) => lz4.decode(&mut self.source, &mut self.window),
        };
        match result {
            Ok(stop) => self.stop = stop,
            Err(error) => self.stop = Some(MemberStop::Failed(error)),
        }
        self.window.len() > before
    }

    /// Decodes until the buffer has at least `n` unread bytes, unless the member ends earlier.
    pub(crate) fn ensure(&mut self, n: usize) {
        while self.window.len() < n && self.more() {}
    }

    /// Opens the next member if the current one has ended.
    pub(crate) fn advance(&mut self) {
        if matches!(self.stop, Some(MemberStop::MemberEnd)) {
            self.stop = None;
            self.open = false;
            self.open_member();
        }
    }

    fn open_member(&mut self) {
        let begin = match &mut self.codec {
            Codec::Plain => Ok(MemberStart::Member),
            Codec::Gzip(gzip) => gzip.begin(&mut self.source),
            Codec::Zst(zst) => zst.begin(&mut self.source),
            Codec::Lz4(lz4) => lz4.begin(&mut self.source),
        };
        self.from = self.source.marked();
        match begin {
            Ok(MemberStart::Member) => {
                self.open = true;
                let plain = self.taken + self.window.len() as u64;
                if self.members.len() >= MAX_MEMBERS {
                    self.members.remove(1);
                }
                self.members.push_back(Member { plain, offset: self.from });
            }
            Ok(MemberStart::End) => self.stop = Some(MemberStop::End),
            Ok(MemberStart::Broken(damage)) => self.stop = Some(MemberStop::Broken(damage)),
            Err(error) => self.stop = Some(MemberStop::Failed(error)),
        }
    }

    /// Skips damage: goes to the next member whose decompressed bytes pass `is_start`, to any member directly after a
    /// wrong checksum, or to the end of the file. Drops the unread bytes; returns the file offset reached.
    pub(crate) fn resync(&mut self, is_start: impl Fn(&[u8]) -> bool) -> u64 {
        let Some(MemberStop::Broken(damage)) = self.stop else { return self.position() };
        self.consume(self.window.len());
        self.open = false;
        self.stop = None;
        match self.find_member(damage, is_start) {
            Ok(true) => {}
            Ok(false) => self.stop = Some(MemberStop::End),
            Err(error) => self.stop = Some(MemberStop::Failed(error)),
        }
        self.source.position()
    }

    fn find_member(&mut self, damage: Damage, is_start: impl Fn(&[u8]) -> bool) -> io::Result<bool> {
        let magic = self.codec.magic();
        if magic.is_empty() {
            return Ok(false);
        }
        match damage {
            // The decoder stopped where it should have, or damage led it through members that follow: these are read.
            Damage::Checksum => {
                let end = self.source.position();
                self.rewind();
                if self.seek_member(Some(end), &is_start)? {
                    return Ok(true);
                }
                let next = self.source.peek(magic.len())?;
                if next.first().is_none_or(|&b| b == 0) || next.starts_with(magic) {
                    return Ok(true);
                }
            }
            // The decoder may have run through the members that follow before it noticed, to the
            // end of the file even.
            Damage::Codec | Damage::Cut => self.rewind(),
            _ => {}
        }
        // A decoder that fails may not tell what it read: never find the same member again.
        let ahead = (self.from + 1).saturating_sub(self.source.position());
        self.source.consume(usize::try_from(ahead).unwrap_or(0));
        self.seek_member(None, &is_start)
    }

    /// Moves on to the next compressed member whose decompressed bytes pass `is_start`, up to the file offset `end`.
    /// Returns false if there is no such member.
    fn seek_member(&mut self, end: Option<u64>, is_start: &impl Fn(&[u8]) -> bool) -> io::Result<bool> {
        let magic = self.codec.magic();
        let finder = memmem::Finder::new(magic);
        loop {
            if let Some(end) = end
                && self.source.position() >= end
            {
                self.source.rewind(end);
                return Ok(false);
            }
            let bytes = self.source.peek(PROBE_BYTES)?;
            let Some(at) = finder.find(bytes) else {
                let (length, ended) = (bytes.len(), bytes.len() < PROBE_BYTES);
                self.source.consume(if ended { length } else { length - (magic.len() - 1) });
                if ended && end.is_none_or(|end| self.source.position() < end) {
                    return Ok(false);
                }
                continue;
            };
            self.source.consume(at);
            if end.is_some_and(|end| self.source.position() >= end) {
                continue;
            }
            let bytes = self.source.peek(PROBE_BYTES)?;
            if self.codec.member_begins(bytes, is_start) {
                return Ok(true);
            }
            self.source.consume(1);
        }
    }

    /// Goes back to the byte after the start of the damaged member, unless too much of this part of the file was read
    /// again already. Hostile members nested in one another would otherwise cost quadratic time.
    fn rewind(&mut self) {
        let here = self.source.position();
        let back = here.saturating_sub(self.from + 1).min(MAX_BACK);
        let Rewound { part, bytes } = self.rewound.seen_from(here);
        if bytes.saturating_add(back) > (here % PART_BYTES).saturating_add(PART_BYTES) {
            return;
        }
        self.source.rewind(self.from + 1);
        let bytes = bytes + here - self.source.position();
        self.rewound = Rewound { part: part.max(here / PART_BYTES), bytes };
    }

    /// Returns the file offset of the first member from the position to `end` whose decompressed bytes pass `is_start`;
    /// `None` if there is no such member.
    pub(crate) fn find_start(&mut self, end: u64, is_start: impl Fn(&[u8]) -> bool) -> io::Result<Option<u64>> {
        let found = self.seek_member(Some(end), &is_start)?;
        Ok(found.then(|| self.source.position()))
    }
}

fn copy(source: &mut Source, window: &mut Buffer) -> io::Result<Option<MemberStop>> {
    let bytes = source.chunk()?;
    if bytes.is_empty() {
        return Ok(Some(MemberStop::End));
    }
    let n = bytes.len();
    if let Some(room) = window.room(n).get_mut(..n) {
        room.copy_from_slice(bytes);
    }
    window.filled(n);
    source.consume(n);
    source.mark();
    Ok(None)
}
