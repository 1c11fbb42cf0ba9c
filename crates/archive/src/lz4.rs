//! Reads LZ4 frames one by one ([frame format
//! 1.6](https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md)).
//!
//! lz4_flex decodes whole blocks. This module decodes the remains of damaged or cut ones.

use std::{hash::Hasher, io};

use lz4_flex::block;
use twox_hash::XxHash32;

use crate::buffer::Buffer;
use crate::error::Damage;
use crate::member::{MemberStart, MemberStop};
use crate::signature::{LZ4 as MAGIC, is_skippable};
use crate::source::Source;

/// Longest frame header: magic, two flag bytes, content size, dictionary, checksum.
const MAX_HEADER: usize = 19;
/// Plain bytes that a block may refer back to.
const HISTORY: usize = 64 * 1024;
/// Bit of a block's size that says the block is stored as it is.
const STORED: u32 = 1 << 31;

/// The contents of a frame header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Frame {
    /// Length of the header.
    header: usize,
    /// Most plain bytes of a block.
    block: usize,
    /// Blocks may refer to the ones before.
    linked: bool,
    block_checksums: bool,
    content_checksum: bool,
}

/// The result of reading a frame header.
#[derive(Debug, PartialEq, Eq)]
enum Header {
    Good(Frame),
    /// The bytes end in it.
    Short,
    Bad,
}

/// Decoder of one frame after another.
pub(crate) struct Lz4 {
    frame: Frame,
    content: XxHash32,
    history: Vec<u8>,
}

impl Lz4 {
    pub(crate) fn new() -> Self {
        Lz4 { frame: Frame::default(), content: XxHash32::with_seed(0), history: Vec::new() }
    }

    /// Passes skippable frames and reads the header of the next frame with data.
    pub(crate) fn begin(&mut self, source: &mut Source) -> io::Result<MemberStart> {
        loop {
            source.mark();
            let bytes = source.peek(MAX_HEADER)?;
            if bytes.is_empty() {
                return Ok(MemberStart::End);
            }
            if bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
                return Ok(MemberStart::Broken(Damage::Cut));
            }
            if bytes.starts_with(&MAGIC) {
                self.frame = match header(bytes) {
                    Header::Good(frame) => frame,
                    Header::Short => return Ok(MemberStart::Broken(Damage::Cut)),
                    Header::Bad => return Ok(MemberStart::Broken(Damage::Codec)),
                };
                source.consume(self.frame.header);
                self.content = XxHash32::with_seed(0);
                self.history.clear();
                return Ok(MemberStart::Member);
            }
            if !is_skippable(bytes) {
                return Ok(MemberStart::Broken(Damage::Junk));
            }
            let Some(size) = bytes.get(4..).and_then(|b| b.first_chunk::<4>()) else {
                return Ok(MemberStart::Broken(Damage::Cut));
            };
            let size = u64::from(u32::from_le_bytes(*size));
            let end = source.position() + 8 + size;
            if !source.skip_to(end)? {
                return Ok(MemberStart::Broken(Damage::Cut));
            }
        }
    }

    /// Decodes a block of the frame.
    pub(crate) fn decode(&mut self, source: &mut Source, window: &mut Buffer) -> io::Result<Option<MemberStop>> {
        loop {
            let Some(size) = source.peek(4)?.first_chunk::<4>() else {
                return Ok(Some(MemberStop::Broken(Damage::Cut)));
            };
            let size = u32::from_le_bytes(*size);
            if size == 0 {
                return self.end(source).map(Some);
            }
            let stored = size & STORED != 0;
            let size = usize::try_from(size & !STORED).unwrap_or(usize::MAX);
            if size > self.frame.block {
                return Ok(Some(MemberStop::Broken(Damage::Codec)));
            }
            let check = if self.frame.block_checksums { 4 } else { 0 };
            let bytes = source.peek(4 + size + check)?.get(4..).unwrap_or_default();
            let coded = bytes.get(..size).unwrap_or(bytes);
            let cut = bytes.len() < size + check;
            let room = window.room(self.frame.block);
            let room = room.get_mut(..self.frame.block).unwrap_or_default();
            let (made, good) = decode_block(coded, stored, &self.history, room);
            let good = good && (check == 0 || cut || checked(coded, bytes.get(size..)));
            let plain = room.get(..made).unwrap_or_default();
            if self.frame.content_checksum {
                self.content.write(plain);
            }
            if self.frame.linked {
                remember(&mut self.history, plain);
            }
            window.filled(made);
            let length = 4 + coded.len() + if cut { 0 } else { check };
            source.consume(length);
            if cut {
                return Ok(Some(MemberStop::Broken(Damage::Cut)));
            }
            if !good {
                return Ok(Some(MemberStop::Broken(Damage::Codec)));
            }
            if made > 0 {
                return Ok(None);
            }
        }
    }

    /// Passes the end mark and the checksum of the content.
    fn end(&mut self, source: &mut Source) -> io::Result<MemberStop> {
        let check = if self.frame.content_checksum { 4 } else { 0 };
        let bytes = source.peek(4 + check)?;
        if bytes.len() < 4 + check {
            return Ok(MemberStop::Broken(Damage::Cut));
        }
        let stated = bytes.get(4..).and_then(|b| b.first_chunk::<4>()).copied();
        source.consume(4 + check);
        let right = check == 0 || stated.is_some_and(|stated| u32::from_le_bytes(stated) == self.content.finish_32());
        Ok(if right { MemberStop::MemberEnd } else { MemberStop::Broken(Damage::Checksum) })
    }

    /// The first plain bytes of the frame `stored` begins with, if it is one.
    pub(crate) fn probe(stored: &[u8], plain: &mut [u8]) -> Option<usize> {
        let Header::Good(frame) = header(stored) else { return None };
        let rest = stored.get(frame.header..)?;
        let size = u32::from_le_bytes(*rest.first_chunk::<4>()?);
        let length = usize::try_from(size & !STORED).ok()?;
        if length > frame.block {
            return None;
        }
        let coded = rest.get(4..)?;
        let coded = coded.get(..length).unwrap_or(coded);
        Some(if size & STORED != 0 { copy(coded, plain) } else { decode_start(coded, &[], plain) })
    }
}

/// Reads a frame header.
fn header(bytes: &[u8]) -> Header {
    let (Some(&flags), Some(&sizes)) = (bytes.get(4), bytes.get(5)) else { return Header::Short };
    if !bytes.starts_with(&MAGIC) || flags >> 6 != 1 {
        return Header::Bad;
    }
    let block = match sizes >> 4 & 7 {
        4 => 64 * 1024,
        5 => 256 * 1024,
        6 => 1024 * 1024,
        7 => 4 * 1024 * 1024,
        _ => return Header::Bad,
    };
    let content_size = if flags & 8 != 0 { 8 } else { 0 };
    let dictionary = if flags & 1 != 0 { 4 } else { 0 };
    let check = 6 + content_size + dictionary;
    let (Some(described), Some(&stated)) = (bytes.get(4..check), bytes.get(check)) else { return Header::Short };
    if stated != (hash(described) >> 8) as u8 {
        return Header::Bad;
    }
    Header::Good(Frame {
        header: check + 1,
        block,
        linked: flags & 32 == 0,
        block_checksums: flags & 16 != 0,
        content_checksum: flags & 4 != 0,
    })
}

fn hash(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(0, bytes)
}

/// Whether the checksum that follows a block is right.
fn checked(coded: &[u8], after: Option<&[u8]>) -> bool {
    after.and_then(|after| after.first_chunk::<4>()).is_some_and(|stated| u32::from_le_bytes(*stated) == hash(coded))
}

/// Decodes a block, all of it or what comes before damage; the second value tells which.
fn decode_block(coded: &[u8], stored: bool, history: &[u8], out: &mut [u8]) -> (usize, bool) {
    if stored {
        return (copy(coded, out), true);
    }
    match block::decompress_into_with_dict(coded, out, history) {
        Ok(made) => (made, true),
        Err(_) => (decode_start(coded, history, out), false),
    }
}

fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let n = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..n), to.get_mut(..n)) {
        to.copy_from_slice(from);
    }
    n
}

/// Keeps the last plain bytes that a linked block may refer to.
fn remember(history: &mut Vec<u8>, plain: &[u8]) {
    history.extend_from_slice(plain);
    let over = history.len().saturating_sub(HISTORY);
    history.drain(..over);
}

/// Decodes a block up to its end, to damage, or until `out` is full
/// ([block format](https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md)). Returns the bytes made.
fn decode_start(coded: &[u8], history: &[u8], out: &mut [u8]) -> usize {
    let (mut rest, mut made) = (coded, 0);
    while let Some((&token, after)) = rest.split_first() {
        rest = after;
        let Some(literals) = length(&mut rest, token >> 4) else { break };
        let there = rest.get(..literals).unwrap_or(rest);
        let copied = copy(there, out.get_mut(made..).unwrap_or_default());
        made += copied;
        rest = rest.get(copied..).unwrap_or_default();
        let Some((offset, after)) = rest.split_first_chunk::<2>() else { break };
        if copied < literals {
            break;
        }
        rest = after;
        let offset = usize::from(u16::from_le_bytes(*offset));
        let Some(matched) = length(&mut rest, token & 15) else { break };
        if offset == 0 {
            break;
        }
        for _ in 0..matched.saturating_add(4) {
            let before = match made.checked_sub(offset) {
                Some(at) => out.get(at),
                None => (history.len() + made).checked_sub(offset).and_then(|at| history.get(at)),
            };
            match (before.copied(), out.get_mut(made)) {
                (Some(byte), Some(to)) => *to = byte,
                _ => return made,
            }
            made += 1;
        }
    }
    made
}

/// A length of a block: a nibble, and bytes that add to it while they are 255.
fn length(rest: &mut &[u8], nibble: u8) -> Option<usize> {
    let mut length = usize::from(nibble);
    if nibble == 15 {
        loop {
            let (&byte, after) = rest.split_first()?;
            *rest = after;
            length += usize::from(byte);
            if byte != 255 {
                break;
            }
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_block_gives_what_stands_before_the_cut() {
        let mut plain = Vec::new();
        for number in 0..400u32 {
            plain.extend(format!("line {} of some text\n", number * number % 97).bytes());
        }
        plain.extend([b'x'; 5000]);
        let coded = block::compress(&plain);
        let mut last = 0;
        for cut in 0..=coded.len() {
            let mut out = vec![0; plain.len()];
            let made = decode_start(&coded[..cut], &[], &mut out);
            assert!(made >= last, "{cut}");
            assert_eq!(out[..made], plain[..made], "{cut}");
            last = made;
        }
        assert_eq!(last, plain.len());
        let dictionary = &plain[..3000];
        let coded = block::compress_with_dict(&plain[3000..], dictionary);
        let mut out = vec![0; plain.len()];
        let made = decode_start(&coded, dictionary, &mut out);
        assert_eq!(out[..made], plain[3000..]);
    }

    #[test]
    fn headers() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0x40 | 32 | 16 | 8 | 4, 0x60, 9, 0, 0, 0, 0, 0, 0, 0]);
        bytes.push((hash(&bytes[4..]) >> 8) as u8);
        let frame =
            Frame { header: 15, block: 1024 * 1024, linked: false, block_checksums: true, content_checksum: true };
        assert_eq!(header(&bytes), Header::Good(frame));
        for cut in 0..bytes.len() {
            assert_eq!(header(&bytes[..cut]), Header::Short, "{cut}");
        }
        bytes[6] ^= 1;
        assert_eq!(header(&bytes), Header::Bad);
    }
}
