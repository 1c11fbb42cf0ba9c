//! Decodes Zstandard frames one by one, including skippable frames and the dictionary frame of `.warc.zst`.

use std::io::{self, Read};

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use crate::error::{Damage, MemberStart, MemberStop};
use crate::signature::{ZSTD as MAGIC, is_skippable};
use crate::{buffer::Buffer, stored_bytes::Source};

/// First bytes of the dictionary frame at the start of a `.warc.zst` file.
pub(crate) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// First bytes of a zstd dictionary that is not itself compressed.
const RAW_DICTIONARY: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];
/// Maximum length of a zstd dictionary in bytes; the `.warc.zst` format requires support for 8 MiB.
const MAX_DICTIONARY: u64 = 32 * 1024 * 1024;
/// Length in bytes of the checksum at the end of a zstd frame.
const CHECKSUM: usize = 4;
/// Maximum number of decompressed bytes that one decoding step makes.
const CHUNK: usize = 128 * 1024;

/// Decoder of the frames of a zstd file, one after another.
pub(crate) struct Zst {
    decoder: Decoder<'static>,
    probe: Option<Decoder<'static>>,
    dictionary: Vec<u8>,
    at_head: bool,
    /// Number of compressed bytes that the decoder requested: the rest of a block, or the checksum. Exactly these are
    /// passed to it, because a call that fails at damage would lose the intact blocks before the damage.
    wanted: usize,
}

impl Zst {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Zst { decoder: Decoder::new()?, probe: None, dictionary: Vec::new(), at_head: true, wanted: 0 })
    }

    /// Skips skippable frames, loads the dictionary among them, and returns whether a frame with data follows.
    pub(crate) fn begin(&mut self, source: &mut Source) -> io::Result<MemberStart> {
        loop {
            source.mark();
            let bytes = source.peek(8)?;
            let at_head = std::mem::replace(&mut self.at_head, false);
            if bytes.is_empty() {
                return Ok(MemberStart::End);
            }
            if bytes.starts_with(&MAGIC) {
                self.decoder.reinit()?;
                self.wanted = MAGIC.len() + 1;
                return Ok(MemberStart::Member);
            }
            if bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
                return Ok(MemberStart::Broken(Damage::Cut));
            }
            if !is_skippable(bytes) {
                return Ok(MemberStart::Broken(Damage::Junk));
            }
            let dictionary = at_head && bytes.starts_with(&DICTIONARY_MAGIC);
            let Some(size) = bytes.get(4..).and_then(|b| b.first_chunk::<4>()) else {
                return Ok(MemberStart::Broken(Damage::Cut));
            };
            let size = u64::from(u32::from_le_bytes(*size));
            if dictionary {
                source.consume(8);
                if let Some(broken) = self.load_dictionary(source, size)? {
                    return Ok(MemberStart::Broken(broken));
                }
            } else if !source.skip_frame()? {
                return Ok(MemberStart::Broken(Damage::Cut));
            }
        }
    }

    fn load_dictionary(&mut self, source: &mut Source, size: u64) -> io::Result<Option<Damage>> {
        let Some(length) = usize::try_from(size).ok().filter(|_| size <= MAX_DICTIONARY) else {
            return Ok(Some(Damage::Dictionary));
        };
        let Some(bytes) = source.peek(length)?.get(..length) else { return Ok(Some(Damage::Cut)) };
        let dictionary = if bytes.starts_with(&RAW_DICTIONARY) {
            Some(bytes.to_vec())
        } else if bytes.starts_with(&MAGIC) {
            unpack(bytes).ok()
        } else {
            None
        };
        source.consume(length);
        let Some(dictionary) = dictionary.filter(|d| d.starts_with(&RAW_DICTIONARY)) else {
            return Ok(Some(Damage::Dictionary));
        };
        match Decoder::with_dictionary(&dictionary) {
            Ok(decoder) => self.decoder = decoder,
            Err(_) => return Ok(Some(Damage::Dictionary)),
        }
        self.dictionary = dictionary;
        self.probe = None;
        Ok(None)
    }

    /// Appends some decoded bytes of the zstd frame to `window`; if no more follow, returns the reason.
    pub(crate) fn decode(&mut self, source: &mut Source, window: &mut Buffer) -> io::Result<Option<MemberStop>> {
        loop {
            let input = source.chunk()?;
            let at_end = input.is_empty();
            let room = window.room(CHUNK);
            let size = room.len().min(CHUNK);
            let room = room.get_mut(..size).unwrap_or_default();
            let mut input = InBuffer::around(input.get(..self.wanted.max(1)).unwrap_or(input));
            let mut output = OutBuffer::around(room);
            let result = self.decoder.run(&mut input, &mut output);
            let (read, made) = (input.pos(), output.pos());
            source.consume(read);
            window.filled(made);
            match result {
                // A finished frame begins anew if it is run again: its end must be told at once,
                // with what it made left in the window.
                Ok(0) => return Ok(Some(MemberStop::MemberEnd)),
                Ok(wanted) => self.wanted = wanted,
                Err(error) if error.to_string().contains("checksum") => {
                    source.consume(CHECKSUM);
                    return Ok(Some(MemberStop::Broken(Damage::Checksum)));
                }
                Err(_) => return Ok(Some(MemberStop::Broken(Damage::Codec))),
            }
            if made > 0 {
                return Ok(None);
            }
            if read == 0 {
                let damage = if at_end { Damage::Cut } else { Damage::Codec };
                return Ok(Some(MemberStop::Broken(damage)));
            }
        }
    }

    /// Decodes the first bytes of the zstd frame at the start of `stored` into `plain`, and returns their number.
    /// Returns `None` if no frame begins there.
    pub(crate) fn probe(&mut self, stored: &[u8], plain: &mut [u8]) -> Option<usize> {
        if !stored.starts_with(&MAGIC) {
            return None;
        }
        if self.probe.is_none() {
            self.probe = Decoder::with_dictionary(&self.dictionary).ok();
        }
        let probe = self.probe.as_mut()?;
        probe.reinit().ok()?;
        let mut output = OutBuffer::around(plain);
        // An error after the first bytes does not matter here.
        let _ = probe.run(&mut InBuffer::around(stored), &mut output);
        Some(output.pos())
    }
}

/// Returns whether the bytes begin with a Zstandard frame that needs the dictionary at the start of the file.
pub fn needs_dictionary(stored: &[u8]) -> bool {
    // The two lowest bits of the frame's descriptor tell how long the number of its dictionary is.
    stored.starts_with(&MAGIC) && stored.get(MAGIC.len()).is_some_and(|descriptor| descriptor & 3 != 0)
}

/// Returns the length in bytes of the dictionary frame at the start of an archive, from the first eight bytes of the
/// file. Returns `None` if there is no dictionary, or one of more than 32 MiB.
pub fn dictionary_length(start: &[u8]) -> Option<u64> {
    let size = start.strip_prefix(&DICTIONARY_MAGIC)?.first_chunk::<4>()?;
    let size = u64::from(u32::from_le_bytes(*size));
    (size <= MAX_DICTIONARY).then_some(DICTIONARY_MAGIC.len() as u64 + 4 + size)
}

/// Decompresses a zstd dictionary, up to `MAX_DICTIONARY` bytes of it.
fn unpack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    zstd::stream::read::Decoder::with_buffer(bytes)?.take(MAX_DICTIONARY).read_to_end(&mut plain)?;
    Ok(plain)
}
