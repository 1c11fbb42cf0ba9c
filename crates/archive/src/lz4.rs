//! Decodes LZ4 frames one by one ([frame format 1.6](https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md)).
//!
//! The crate `lz4_flex` decodes them. It receives one block at a time, so that the blocks before damage are kept.

use std::collections::VecDeque;
use std::io::{self, Read};

use lz4_flex::frame::FrameDecoder;

use crate::error::{Damage, MemberStart, MemberStop};
use crate::signature::{LZ4 as MAGIC, is_skippable};
use crate::{buffer::Buffer, stored_bytes::Source};

/// Maximum length in bytes of an LZ4 frame header: magic, two flag bytes, content size, dictionary, checksum.
const MAX_HEADER: usize = 19;
/// Bit of a block's size field that marks a block stored without compression.
const STORED: u32 = 1 << 31;

/// Sizes that the header of an LZ4 frame states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Frame {
    /// Length of the frame header in bytes.
    header: usize,
    /// Maximum number of decompressed bytes in a block of the frame.
    block: usize,
    /// Length in bytes of the checksum behind each block: 4, or 0 without a checksum.
    block_checksum: usize,
    /// Length in bytes of the checksum at the end of the frame: 4, or 0 without a checksum.
    content_checksum: usize,
}

impl Frame {
    /// Parses the frame header at the start of `bytes`, which may be incomplete.
    fn new(bytes: &[u8]) -> Self {
        let [flags, sizes] = bytes.get(4..6).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        let checksum = |bit: u8| if flags & bit != 0 { 4 } else { 0 };
        let content_size = if flags & 8 != 0 { 8 } else { 0 };
        let dictionary = if flags & 1 != 0 { 4 } else { 0 };
        Self {
            header: 7 + content_size + dictionary,
            block: 1 << (8 + 2 * (sizes >> 4 & 7)),
            block_checksum: checksum(16),
            content_checksum: checksum(4),
        }
    }
}

/// Decoder of the frames of an LZ4 file, one after another.
pub(crate) struct Lz4 {
    frame: Frame,
    decoder: FrameDecoder<VecDeque<u8>>,
}

impl Lz4 {
    pub(crate) fn new() -> Self {
        Lz4 { frame: Frame::default(), decoder: FrameDecoder::new(VecDeque::new()) }
    }

    /// Skips skippable frames, reads the header of the next frame with data, and returns whether a frame begins there.
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
                self.frame = Frame::new(bytes);
                let Some(header) = bytes.get(..self.frame.header) else {
                    return Ok(MemberStart::Broken(Damage::Cut));
                };
                self.decoder = FrameDecoder::new(header.iter().copied().collect());
                // Only the header is there to be read.
                if self.decoder.read(&mut []).is_err() {
                    return Ok(MemberStart::Broken(Damage::Codec));
                }
                source.consume(self.frame.header);
                return Ok(MemberStart::Member);
            }
            if !is_skippable(bytes) {
                return Ok(MemberStart::Broken(Damage::Junk));
            }
            if !source.skip_frame()? {
                return Ok(MemberStart::Broken(Damage::Cut));
            }
        }
    }

    /// Appends the decoded bytes of one block of the LZ4 frame to `window`; if no more follow, returns the reason.
    pub(crate) fn decode(&mut self, source: &mut Source, window: &mut Buffer) -> io::Result<Option<MemberStop>> {
        loop {
            let Some(size) = source.peek(4)?.first_chunk::<4>() else {
                return Ok(Some(MemberStop::Broken(Damage::Cut)));
            };
            let size = u32::from_le_bytes(*size);
            let is_end = size == 0;
            let size = usize::try_from(size & !STORED).unwrap_or(usize::MAX);
            if size > self.frame.block {
                return Ok(Some(MemberStop::Broken(Damage::Codec)));
            }
            let check = if is_end { self.frame.content_checksum } else { self.frame.block_checksum };
            let length = 4 + size + check;
            let bytes = source.peek(length)?;
            let Some(bytes) = bytes.get(..length) else {
                let length = bytes.len();
                source.consume(length);
                return Ok(Some(MemberStop::Broken(Damage::Cut)));
            };
            self.decoder.get_mut().extend(bytes);
            source.consume(length);
            let room = window.room(self.frame.block);
            let mut made = 0;
            // A block is decoded as a whole, and read in one or more parts.
            let stop = loop {
                match self.decoder.read(room.get_mut(made..).unwrap_or_default()) {
                    Ok(0) if is_end => break Some(MemberStop::MemberEnd),
                    Ok(0) => break None,
                    Ok(read) => made += read,
                    Err(_) if is_end => break Some(MemberStop::Broken(Damage::Checksum)),
                    Err(_) => break Some(MemberStop::Broken(Damage::Codec)),
                }
            };
            window.filled(made);
            if made > 0 || stop.is_some() {
                return Ok(stop);
            }
        }
    }

    /// Copies the literal bytes (those that LZ4 stores unchanged) at the start of the frame `stored` to `plain`, and
    /// returns their number; `None` if `stored` is not a frame. Every block begins with some literal bytes.
    pub(crate) fn probe(stored: &[u8], plain: &mut [u8]) -> Option<usize> {
        let frame = Frame::new(stored);
        let header = stored.get(..frame.header).filter(|header| header.starts_with(&MAGIC))?;
        let _: usize = FrameDecoder::new(header).read(&mut []).ok()?;
        let (size, mut block) = stored.get(frame.header..)?.split_first_chunk::<4>()?;
        let size = u32::from_le_bytes(*size);
        let mut length = usize::try_from(size & !STORED).ok()?;
        if length > frame.block {
            return None;
        }
        if size & STORED == 0 {
            let (token, rest) = block.split_first()?;
            (length, block) = (usize::from(token >> 4), rest);
            while length >= 15 {
                let (more, rest) = block.split_first()?;
                block = rest;
                length += usize::from(*more);
                if *more != u8::MAX {
                    break;
                }
            }
        }
        let from = block.get(..length).unwrap_or(block);
        let made = from.len().min(plain.len());
        plain.get_mut(..made)?.copy_from_slice(from.get(..made)?);
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        // Independent blocks of 1 MB with checksums of blocks and content, and a length.
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0x40 | 32 | 16 | 8 | 4, 0x60, 9, 0, 0, 0, 0, 0, 0, 0]);
        bytes.push((twox_hash::XxHash32::oneshot(0, &bytes[4..]) >> 8) as u8);
        let begin = |bytes: &[u8]| {
            let mut lz4 = Lz4::new();
            let begun = lz4.begin(&mut Source::new(Box::new(io::Cursor::new(bytes.to_vec())))).unwrap();
            (matches!(begun, MemberStart::Member), matches!(begun, MemberStart::Broken(Damage::Cut)), lz4.frame)
        };
        let frame = Frame { header: 15, block: 1024 * 1024, block_checksum: 4, content_checksum: 4 };
        assert_eq!(begin(&bytes), (true, false, frame));
        for cut in 1..bytes.len() {
            assert!(begin(&bytes[..cut]).1, "{cut}");
        }
        bytes[6] ^= 1;
        assert_eq!((begin(&bytes).0, begin(&bytes).1), (false, false));
    }

    #[test]
    fn frames_are_known_by_their_first_bytes() {
        let text = format!("WARC/1.1\r\nWARC-Type: response\r\n{}", "ab".repeat(9000));
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        let stored = encoder.finish().unwrap();
        for cut in [40, stored.len()] {
            let mut plain = [0; 64];
            let made = Lz4::probe(&stored[..cut], &mut plain).unwrap();
            assert!(made >= 10 && plain[..made] == text.as_bytes()[..made], "{made}");
        }
        assert_eq!(Lz4::probe(&stored[1..], &mut [0; 64]), None);
    }
}
