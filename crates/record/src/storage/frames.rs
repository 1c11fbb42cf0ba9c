//! Compresses an output into frames, which decompress separately but read as one file.

use std::{io, io::Write};

use flate2::write::GzEncoder;
use trommel_archive::write::gzip_member;
use zstd::stream::raw::{CParameter, Encoder};
use zstd::{bulk::Compressor, stream::zio, zstd_safe::compress_bound};

use crate::Compression;

/// Compression level of zstd for outputs.
const ZSTD_LEVEL: i32 = 3;
/// Compression level of gzip for outputs.
const GZIP_LEVEL: u32 = 6;
/// Maximum number of bytes of a frame that is compressed in one call; a longer frame is compressed as its bytes arrive.
/// One call takes a third less time: zstd then avoids a copy and a second search, and libdeflate can replace zlib.
const MAX_WHOLE_BYTES: usize = 8 << 20;

/// Compressor of an output into a sequence of zstd frames or gzip members; plain bytes stay unchanged. Every usual
/// reader treats the sequence as one file (python-zstandard: with `read_across_frames`). After
/// [`end_frame`](Self::end_frame) the output contains everything written, and an output continued there gets the same
/// bytes as an uninterrupted one. The bytes never depend on the time or the thread.
pub struct Frames<W: Write> {
    compression: Compression,
    /// Writer to the output; `None` if the output failed.
    coder: Option<Coder<W>>,
    /// Bytes collected for the current frame, which are yet to be compressed.
    plain: Vec<u8>,
    packed: Vec<u8>,
    zstd: Option<Compressor<'static>>,
    /// True while a frame has begun and not ended.
    is_open: bool,
    /// True if the output has at least one frame, complete or not.
    begun: bool,
}

/// Writer to the output, which may compress the bytes.
enum Coder<W: Write> {
    /// Writer that does not compress: frames are compressed before in one call, or not at all.
    Whole(W),
    /// Writer that compresses with gzip a frame that is too long for one call.
    Gzip(GzEncoder<W>),
    /// Writer that compresses with zstd a frame that is too long for one call.
    Zstd(zio::Writer<W, Encoder<'static>>),
}

impl<W: Write> Frames<W> {
    /// Creates a compressor that writes frames to `output`; `begun` is true if the output already has frames.
    pub fn new(output: W, compression: Compression, begun: bool) -> Self {
        let (plain, packed) = (Vec::new(), Vec::new());
        Self { compression, coder: Some(Coder::Whole(output)), plain, packed, zstd: None, is_open: false, begun }
    }

    /// Ends the current frame, if there is one, and returns the flushed output.
    ///
    /// # Errors
    /// Fails if the output fails; nothing more can be written then.
    pub fn end_frame(&mut self) -> io::Result<&mut W> {
        let is_packed = self.is_open && self.compression != Compression::None;
        let mut output = match self.coder.take().ok_or_else(failed)? {
            Coder::Whole(mut output) => {
                if is_packed {
                    output.write_all(self.pack()?)?;
                }
                output
            }
            Coder::Gzip(encoder) => encoder.finish()?,
            Coder::Zstd(mut writer) => {
                writer.finish()?;
                writer.into_inner().0
            }
        };
        output.flush()?;
        self.is_open = false;
        match self.coder.insert(Coder::Whole(output)) {
            Coder::Whole(output) => Ok(output),
            _ => Err(failed()),
        }
    }

    /// Notes that the output already has frames, if `begun` is true; an output without frames gets an empty one at its
    /// end.
    pub(crate) fn note_begun(&mut self, begun: bool) {
        self.begun |= begun;
    }

    /// Ends the last frame and returns the output. An output without frames gets an empty frame, to be a valid file.
    ///
    /// # Errors
    /// Fails if the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.is_open |= !self.begun;
        self.end_frame()?;
        match self.coder {
            Some(Coder::Whole(output)) => Ok(output),
            _ => Err(failed()),
        }
    }

    /// Compresses the collected bytes of the current frame in one call.
    fn pack(&mut self) -> io::Result<&[u8]> {
        self.packed.clear();
        if self.compression == Compression::Gzip {
            self.packed = gzip_member(&self.plain, GZIP_LEVEL)?;
        } else {
            let compressor = match &mut self.zstd {
                Some(compressor) => compressor,
                empty => {
                    let mut compressor = Compressor::new(ZSTD_LEVEL)?;
                    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
                    empty.insert(compressor)
                }
            };
            self.packed.reserve(compress_bound(self.plain.len()));
            compressor.compress_to_buffer(&self.plain, &mut self.packed)?;
        }
        self.plain.clear();
        Ok(&self.packed)
    }

    /// Compresses the collected bytes; until the end of the frame, later bytes are compressed as they arrive.
    fn go_on(&mut self) -> io::Result<()> {
        let plain = std::mem::take(&mut self.plain);
        let Some(Coder::Whole(output)) = self.coder.take() else { return Err(failed()) };
        self.coder = Some(if self.compression == Compression::Gzip {
            let mut writer = GzEncoder::new(output, flate2::Compression::new(GZIP_LEVEL));
            writer.write_all(&plain)?;
            Coder::Gzip(writer)
        } else {
            let mut encoder = Encoder::new(ZSTD_LEVEL)?;
            encoder.set_parameter(CParameter::ChecksumFlag(true))?;
            let mut writer = zio::Writer::new(output, encoder);
            writer.write_all(&plain)?;
            Coder::Zstd(writer)
        });
        Ok(())
    }
}

/// Returns the error for writing to an output that failed before.
fn failed() -> io::Error {
    io::Error::other("the output failed before")
}

impl<W: Write> Write for Frames<W> {
    /// Adds bytes to the current frame, or begins a frame with them.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        (self.is_open, self.begun) = (true, true);
        match self.coder.as_mut().ok_or_else(failed)? {
            Coder::Whole(output) if self.compression == Compression::None => output.write(bytes),
            Coder::Whole(_) if self.plain.len() + bytes.len() > MAX_WHOLE_BYTES => {
                self.go_on()?;
                self.write(bytes)
            }
            Coder::Whole(_) => {
                self.plain.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            Coder::Gzip(encoder) => encoder.write(bytes),
            Coder::Zstd(writer) => writer.write(bytes),
        }
    }

    /// Flushes the output. Bytes that are yet to be compressed stay in memory, because a flush would change the
    /// compressed bytes.
    fn flush(&mut self) -> io::Result<()> {
        match self.coder.as_mut().ok_or_else(failed)? {
            Coder::Whole(output) => output.flush(),
            Coder::Gzip(encoder) => encoder.get_mut().flush(),
            Coder::Zstd(writer) => writer.writer_mut().flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::tests::plain;

    #[test]
    fn going_on_after_a_frame_gives_the_same_bytes() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let mut whole = Frames::new(Vec::new(), compression, false);
            whole.write_all(b"one\n").unwrap();
            let first = whole.end_frame().unwrap().clone();
            // Nothing was written since: no empty frame.
            assert_eq!(whole.end_frame().unwrap().len(), first.len());
            whole.write_all(b"two\n").unwrap();
            let whole = whole.finish().unwrap();
            assert_eq!(plain(compression, &whole), b"one\ntwo\n");

            let mut resumed = Frames::new(first, compression, true);
            resumed.write_all(b"two\n").unwrap();
            assert_eq!(resumed.finish().unwrap(), whole, "{compression}");
        }
    }

    #[test]
    fn an_output_without_records_is_a_whole_file() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let bytes = Frames::new(Vec::new(), compression, false).finish().unwrap();
            assert_eq!(bytes.is_empty(), compression == Compression::None);
            assert_eq!(plain(compression, &bytes), b"");
        }
    }

    fn through(compression: Compression, parts: &[&[u8]]) -> Vec<u8> {
        let mut stream = Frames::new(Vec::new(), compression, false);
        for part in parts {
            stream.write_all(part).unwrap();
        }
        stream.finish().unwrap()
    }

    #[test]
    fn every_compression_reads_back() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let out = through(compression, &[b"one\n", b"two\n"]);
            assert_eq!(plain(compression, &out), b"one\ntwo\n", "{compression}");
            assert_eq!(out, through(compression, &[b"one\n", b"two\n"]));
            // An output without entries is a whole file too.
            assert_eq!(plain(compression, &through(compression, &[])), b"");
        }
        assert!(through(Compression::Gzip, &[b"x"]).starts_with(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0]));
    }

    #[test]
    fn long_frames_are_compressed_as_bytes_come() {
        let long: Vec<u8> = (0..MAX_WHOLE_BYTES + 100).map(|at| (at / 7 % 251) as u8).collect();
        for compression in [Compression::Gzip, Compression::Zstd] {
            let expected = through(compression, &[&long]);
            assert!(plain(compression, &expected) == long, "{compression}");
            for cut in [1, MAX_WHOLE_BYTES - 1, MAX_WHOLE_BYTES, MAX_WHOLE_BYTES + 1] {
                let (head, tail) = long.split_at(cut);
                let same = through(compression, &[head, tail]) == expected;
                assert!(same, "{compression} cut at {cut}");
            }
            let whole = through(compression, &[&long[..MAX_WHOLE_BYTES]]);
            assert!(plain(compression, &whole) == long[..MAX_WHOLE_BYTES], "{compression}");
        }
    }
}
