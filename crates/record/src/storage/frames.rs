//! One compressed output, in frames: compressed parts that read as one. The caller decides where they end.

use std::{io, io::Write};

use flate2::write::GzEncoder;
use trommel_archive::write::gzip_member;
use zstd::stream::raw::{CParameter, Encoder};
use zstd::{bulk::Compressor, stream::zio, zstd_safe::compress_bound};

use crate::Compression;

/// Compresses what is written into a row of zstd frames or gzip members; plain bytes stay as they are.
/// Every usual reader takes a row of them for one file (python-zstandard: with `read_across_frames`).
/// After [`end_frame`](Self::end_frame) the output holds all that was written, and an output that goes
/// on from there gets the same bytes as one that was never left.
pub struct Frames<W: Write> {
    compression: Compression,
    state: State<W>,
    /// Memory of the compressor of the frame before.
    spare: SpareBuffers,
    /// True if a frame was begun, now or before.
    begun: bool,
}

enum State<W: Write> {
    Between(W),
    Within(Box<CompressedStream<W>>),
    /// A frame could not be begun or ended, and the output went with it.
    Failed,
}

impl<W: Write> Frames<W> {
    /// Frames into `output`; `begun` is true if it has some already.
    pub fn new(output: W, compression: Compression, begun: bool) -> Self {
        Self { compression, state: State::Between(output), spare: SpareBuffers::default(), begun }
    }

    /// Adds bytes to the current frame, or begins one with them.
    ///
    /// # Errors
    /// The errors of the output and of the compressor.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.stream()?.write_all(bytes)
    }

    fn stream(&mut self) -> io::Result<&mut CompressedStream<W>> {
        if let State::Between(_) = self.state
            && let State::Between(output) = std::mem::replace(&mut self.state, State::Failed)
        {
            let spare = std::mem::take(&mut self.spare);
            let stream = CompressedStream::over(output, self.compression, spare)?;
            self.state = State::Within(Box::new(stream));
            self.begun = true;
        }
        match &mut self.state {
            State::Within(stream) => Ok(stream),
            _ => Err(failed()),
        }
    }

    /// Ends the frame, if one is begun, and hands out the output, flushed.
    ///
    /// # Errors
    /// The errors of the output; nothing more can be written then.
    pub fn end_frame(&mut self) -> io::Result<&mut W> {
        self.state = match std::mem::replace(&mut self.state, State::Failed) {
            State::Within(stream) => {
                let (output, spare) = stream.end()?;
                self.spare = spare;
                State::Between(output)
            }
            mut other => {
                if let State::Between(output) = &mut other {
                    output.flush()?;
                }
                other
            }
        };
        match &mut self.state {
            State::Between(output) => Ok(output),
            _ => Err(failed()),
        }
    }

    /// Takes note that the output has frames that were not written here.
    pub(crate) fn note_begun(&mut self, begun: bool) {
        self.begun |= begun;
    }

    /// Ends the last frame. An output without frames gets an empty one, to be a valid file.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(&mut self) -> io::Result<&mut W> {
        if !self.begun {
            self.stream()?;
        }
        self.end_frame()
    }
}

/// Levels of zstd and gzip.
const ZSTD_LEVEL: i32 = 3;
const GZIP_LEVEL: u32 = 6;
/// Maximum bytes of a frame that is compressed in one call. That takes a third less time than compressing
/// bytes as they arrive: zstd then neither copies them nor looks for matches in two places, and libdeflate can
/// do the work of zlib.
const MAX_WHOLE_BYTES: usize = 8 << 20;

/// Compresses the bytes that are written to it. Its output depends only on these bytes, never on the time or the
/// thread.
pub struct CompressedStream<W: Write>(Coder<W>);

enum Coder<W: Write> {
    Plain(W),
    /// The received bytes that are not yet compressed. The output is gone if it failed.
    Whole(Option<W>, Packing, SpareBuffers),
    /// More than is compressed in one call.
    Gzip(GzEncoder<W>, SpareBuffers),
    Zstd(zio::Writer<W, Encoder<'static>>, SpareBuffers),
}

/// Compression of a frame.
#[derive(Clone, Copy)]
enum Packing {
    Gzip,
    Zstd,
}

/// The memory of compressors, for a stream to come.
#[derive(Default)]
pub(crate) struct SpareBuffers {
    zstd: Option<Compressor<'static>>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl SpareBuffers {
    /// Compresses the collected bytes into one frame.
    fn pack(&mut self, packing: Packing) -> io::Result<&[u8]> {
        self.packed.clear();
        match packing {
            Packing::Gzip => self.packed = gzip_member(&self.plain, GZIP_LEVEL)?,
            Packing::Zstd => {
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
        }
        self.plain.clear();
        Ok(&self.packed)
    }

    /// Compresses the collected bytes, and from now on each write at once.
    fn go_on<W: Write>(&mut self, output: W, packing: Packing) -> io::Result<Coder<W>> {
        let plain = std::mem::take(&mut self.plain);
        Ok(match packing {
            Packing::Gzip => {
                let mut writer = GzEncoder::new(output, flate2::Compression::new(GZIP_LEVEL));
                writer.write_all(&plain)?;
                Coder::Gzip(writer, std::mem::take(self))
            }
            Packing::Zstd => {
                let mut encoder = Encoder::new(ZSTD_LEVEL)?;
                encoder.set_parameter(CParameter::ChecksumFlag(true))?;
                let mut writer = zio::Writer::new(output, encoder);
                writer.write_all(&plain)?;
                Coder::Zstd(writer, std::mem::take(self))
            }
        })
    }
}

/// The error for an output that is gone.
pub(crate) fn failed() -> io::Error {
    io::Error::other("the output failed before")
}

impl<W: Write> CompressedStream<W> {
    /// A stream into `output`.
    ///
    /// # Errors
    /// If the compressor has no memory.
    pub fn new(output: W, compression: Compression) -> io::Result<Self> {
        Self::over(output, compression, SpareBuffers::default())
    }

    /// Like [`new`](Self::new), in the memory of a stream that was finished.
    pub(crate) fn over(output: W, compression: Compression, spare: SpareBuffers) -> io::Result<Self> {
        Ok(Self(match compression {
            Compression::None => Coder::Plain(output),
            Compression::Gzip => Coder::Whole(Some(output), Packing::Gzip, spare),
            Compression::Zstd => Coder::Whole(Some(output), Packing::Zstd, spare),
        }))
    }

    /// Ends the compressed data and gives the output back, flushed. A stream dropped without this is
    /// cut.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(self) -> io::Result<W> {
        self.end().map(|(output, _)| output)
    }

    /// Like [`finish`](Self::finish), and gives the memory back as well.
    pub(crate) fn end(self) -> io::Result<(W, SpareBuffers)> {
        let (mut output, spare) = match self.0 {
            Coder::Plain(output) => (output, SpareBuffers::default()),
            Coder::Whole(output, packing, mut spare) => {
                let mut output = output.ok_or_else(failed)?;
                output.write_all(spare.pack(packing)?)?;
                (output, spare)
            }
            Coder::Gzip(encoder, spare) => (encoder.finish()?, spare),
            Coder::Zstd(mut writer, spare) => {
                writer.finish()?;
                (writer.into_inner().0, spare)
            }
        };
        output.flush()?;
        Ok((output, spare))
    }
}

impl<W: Write> Write for CompressedStream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Coder::Plain(output) => output.write(bytes),
            Coder::Gzip(encoder, _) => encoder.write(bytes),
            Coder::Whole(output, packing, spare) => {
                if spare.plain.len() + bytes.len() > MAX_WHOLE_BYTES {
                    let output = output.take().ok_or_else(failed)?;
                    self.0 = spare.go_on(output, *packing)?;
                    return self.write(bytes);
                }
                spare.plain.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            Coder::Zstd(writer, _) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Coder::Plain(output) => output.flush(),
            // Bytes that are yet to be compressed stay: a flush would change what they become.
            Coder::Whole(output, ..) => output.as_mut().ok_or_else(failed)?.flush(),
            Coder::Gzip(encoder, _) => encoder.flush(),
            Coder::Zstd(writer, _) => writer.flush(),
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
            whole.write(b"one\n").unwrap();
            let first = whole.end_frame().unwrap().clone();
            // Nothing was written since: no empty frame.
            assert_eq!(whole.end_frame().unwrap().len(), first.len());
            whole.write(b"two\n").unwrap();
            let whole = whole.finish().unwrap().clone();
            assert_eq!(plain(compression, &whole), b"one\ntwo\n");

            let mut resumed = Frames::new(first, compression, true);
            resumed.write(b"two\n").unwrap();
            assert_eq!(*resumed.finish().unwrap(), whole, "{compression}");
        }
    }

    #[test]
    fn an_output_without_records_is_a_whole_file() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let mut frames = Frames::new(Vec::new(), compression, false);
            let bytes = frames.finish().unwrap().clone();
            assert_eq!(bytes.is_empty(), compression == Compression::None);
            assert_eq!(plain(compression, &bytes), b"");
        }
    }

    fn through(compression: Compression, parts: &[&[u8]]) -> Vec<u8> {
        let mut stream = CompressedStream::new(Vec::new(), compression).unwrap();
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
