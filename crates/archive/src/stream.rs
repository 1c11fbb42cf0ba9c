//! The plain bytes of an archive, with the members that they come from.

pub(crate) mod compression;

use std::{collections::VecDeque, io};

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::buffer::{Buffer, RecordBlock, Spares};
use crate::error::{Damage, MemberStart, MemberStop};
use crate::stored_bytes::{MAX_BACK, Source};

pub(crate) use compression::{Codec, StreamCodec};

/// Stored bytes looked at when trying whether a member begins somewhere.
const PROBE_BYTES: usize = 16 * 1024;
/// Maximum number of members remembered; only a record that spans more of them would need more.
const MAX_MEMBERS: usize = 4096;
/// Stored bytes of a part of the file. In each, about twice as many may be gone over again.
// By parts, so that what is read does not depend on damage far before.
const PART_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of a block that is taken with the buffer it stands in; shorter ones are copied out, so that small
/// records hold no large buffers.
const MIN_WHOLE_BYTES: usize = 4 * 1024;
/// Bytes behind such a block: the line ends that close a record.
const MAX_TRAILING_BYTES: usize = 4;

/// The beginning of a member.
#[derive(Debug, Clone, Copy, Default)]
struct Member {
    /// Offset in the plain bytes of the whole file.
    plain: u64,
    /// Offset in the stored file.
    offset: u64,
}

/// Plain bytes that one step of the decoder made.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Their first byte among the plain bytes of the whole file.
    plain: u64,
    /// Stored bytes that were decoded before.
    stored: u64,
}

/// A saved position of a stream. A stream that returns to it decodes the same bytes in the same steps from the start of
/// the current member on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StreamPosition {
    /// Stored offset of the member that holds the next byte; in a plain file, of the byte itself.
    pub(crate) offset: u64,
    /// Plain bytes of that member before the next byte; in a plain file 0.
    inner: u64,
    /// Unread plain bytes in the window.
    ahead: u64,
    /// True if it is known that no more come.
    stopped: bool,
    /// Stored bytes gone back over in the part at hand.
    rewound: Rewound,
}

impl StreamPosition {
    /// Creates the position before a member that begins at a stored offset, as a stream has it that has not gone back.
    pub(crate) fn at_member(offset: u64) -> Self {
        StreamPosition { offset, inner: 0, ahead: 0, stopped: false, rewound: Rewound::default() }
    }

    /// Returns whether a stream that continues at a stored offset may go back as far as a stream that begins there.
    pub(crate) fn is_fresh_at(&self, offset: u64) -> bool {
        self.rewound.seen_from(offset) == Rewound::default()
    }
}

/// Stored bytes that were gone back over in the part of the file at hand, and its number; 0 and 0 if there are none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rewound {
    part: u64,
    bytes: u64,
}

impl Rewound {
    /// The same as seen from a stored offset: what was gone back over in earlier parts does not count.
    fn seen_from(self, offset: u64) -> Self {
        if offset / PART_BYTES > self.part { Rewound::default() } else { self }
    }
}

/// The plain bytes of an archive: decodes its members into a window of unread bytes. The window never goes past the end
/// of a member unless `advance` or `resync` is called.
pub(crate) struct Stream {
    source: Source,
    codec: Codec,
    window: Buffer,
    spares: Spares,
    /// Plain bytes taken off the window so far.
    taken: u64,
    /// Members that unread or lately read bytes belong to, oldest first.
    members: VecDeque<Member>,
    /// Steps that the unread bytes come from, oldest first.
    steps: VecDeque<Step>,
    /// Start of the member (or of the junk) that is decoded now.
    from: u64,
    open: bool,
    stop: Option<MemberStop>,
    /// Stored bytes gone back over in the part at hand.
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

    /// Returns to the position of another stream over the same file; `source` continues at the offset of `stand`. None
    /// if the file does not reach that position, because it is another file.
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

    /// Returns the position of the stream; none if it cannot be saved here.
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

    /// Sets the number of plain bytes of a member that are wanted, so that no more need be decoded at once.
    pub(crate) fn want(&mut self, plain: u64) {
        if let Codec::Gzip(gzip) = &mut self.codec {
            gzip.want(plain);
        }
    }

    /// Returns the name of the compression.
    pub(crate) fn compression(&self) -> StreamCodec {
        match self.codec {
            Codec::Plain => StreamCodec::Plain,
            Codec::Gzip(_) => StreamCodec::Gzip,
            Codec::Zst(_) => StreamCodec::Zst,
            Codec::Lz4(_) => StreamCodec::Lz4,
        }
    }

    /// Returns the unread plain bytes in the window.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.window.bytes()
    }

    /// Removes `n` bytes from the start of the unread plain bytes.
    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.window.len());
        self.window.consume(n);
        self.taken += n as u64;
    }

    /// Removes the first `length` plain bytes with their buffer, and returns them as a block. None unless the member
    /// was inflated as a whole and ends directly after them.
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

    /// Returns the store of buffers for later blocks.
    pub(crate) fn spares(&mut self) -> &mut Spares {
        &mut self.spares
    }

    /// Puts back plain bytes that were the last ones removed.
    pub(crate) fn unread(&mut self, bytes: &[u8]) {
        self.window.prepend(bytes);
        self.taken = self.taken.saturating_sub(bytes.len() as u64);
    }

    /// Returns the reason why there are no more bytes; none unless `more` has returned false.
    pub(crate) fn stop(&self) -> Option<&MemberStop> {
        self.stop.as_ref()
    }

    /// Takes the read error of the input out of the stream; no bytes follow it.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        match self.stop.replace(MemberStop::End) {
            Some(MemberStop::Failed(error)) => Some(error),
            other => {
                self.stop = other;
                None
            }
        }
    }

    /// Returns the number of plain bytes before the window.
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

    /// Returns the stored offset at which the step began that decoded the next unread byte. Everything before it
    /// decoded to bytes before the window, and damage that a step met lies after it.
    pub(crate) fn decoded_before(&mut self) -> u64 {
        if self.window.len() == 0 {
            return self.position();
        }
        while self.steps.get(1).is_some_and(|next| next.plain <= self.taken) {
            self.steps.pop_front();
        }
        self.steps.front().map_or_else(|| self.position(), |step| step.stored)
    }

    /// Returns the stored offset of the first long run of zeros in the member, and the number of bytes in all such
    /// runs. None if there is no such run.
    pub(crate) fn zeros(&self) -> Option<(u64, u64)> {
        match &self.codec {
            Codec::Gzip(gzip) => gzip.zeros(),
            _ => None,
        }
    }

    /// Returns the stored offset at which the current member, or the junk in its place, begins.
    pub(crate) fn member_offset(&self) -> u64 {
        self.from
    }

    /// Returns the place of the next unread byte: the stored offset of its member, and its offset in the member's plain
    /// bytes. In a plain file they are its offset and 0.
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

    /// Returns the stored offset up to which the file must be read to decode all plain bytes before the window. It is
    /// the start of the next member if the window begins with that member.
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

    /// Decodes more bytes of the member into the window. Returns false if there are none; `stop` then gives the reason.
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

    /// Decodes until the window has at least `n` bytes, unless the member ends before.
    pub(crate) fn ensure(&mut self, n: usize) {
        while self.window.len() < n && self.more() {}
    }

    /// Opens the next member after the end of one.
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

    /// Skips damage: goes to the next member whose plain bytes pass `is_start`, or to the end of the file, and returns
    /// its stored offset. Unread plain bytes are dropped.
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

    /// Continues to a member whose plain bytes pass `is_start`, up to the stored offset `end`. False if there is none.
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

    /// Goes back to the byte after the start of the member, as long as the sum of all such steps is in
    /// proportion to the file. Hostile members that are nested in one another must not cost more.
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

    /// Returns the stored offset of the first member from here to `end` whose plain bytes pass `is_start`; none if
    /// there is no such member.
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
