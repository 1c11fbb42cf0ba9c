//! One compressed output.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use zstd::bulk::Compressor;
use zstd::stream::raw::{CParameter, Encoder};
use zstd::stream::zio;
use zstd::zstd_safe::compress_bound;

use crate::Compression;

/// Level of zstd.
const LEVEL: i32 = 3;
/// Bytes of the longest zstd frame that is compressed in one call. That takes a third less time than
/// compressing bytes as they arrive, because zstd then neither copies them nor looks for matches in two
/// places.
const MAX_WHOLE_BYTES: usize = 8 << 20;

/// Compresses what is written to it. Its output depends on the bytes written only, never on the time
/// or the thread.
pub struct CompressedStream<W: Write>(Coder<W>);

enum Coder<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    /// The received bytes that are not yet compressed. The output is gone if it failed.
    Whole(Option<W>, SpareBuffers),
    /// More than is compressed in one call.
    Zstd(zio::Writer<W, Encoder<'static>>, SpareBuffers),
}

/// The memory of a compressor, for a stream of the same compression to come.
#[derive(Default)]
pub(crate) struct SpareBuffers {
    compressor: Option<Compressor<'static>>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl SpareBuffers {
    /// Compresses what came into one frame.
    fn pack(&mut self) -> io::Result<&[u8]> {
        let compressor = match &mut self.compressor {
            Some(compressor) => compressor,
            empty => {
                let mut compressor = Compressor::new(LEVEL)?;
                compressor.set_parameter(CParameter::ChecksumFlag(true))?;
                empty.insert(compressor)
            }
        };
        self.packed.clear();
        self.packed.reserve(compress_bound(self.plain.len()));
        compressor.compress_to_buffer(&self.plain, &mut self.packed)?;
        self.plain.clear();
        Ok(&self.packed)
    }

    /// Compresses what came, and from now on whatever comes as it comes.
    fn go_on<W: Write>(&mut self, output: W) -> io::Result<Coder<W>> {
        let mut encoder = Encoder::new(LEVEL)?;
        encoder.set_parameter(CParameter::ChecksumFlag(true))?;
        let mut writer = zio::Writer::new(output, encoder);
        writer.write_all(&std::mem::take(&mut self.plain))?;
        Ok(Coder::Zstd(writer, std::mem::take(self)))
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
            Compression::Gzip => Coder::Gzip(GzEncoder::new(output, flate2::Compression::new(6))),
            Compression::Zstd => Coder::Whole(Some(output), spare),
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
            Coder::Gzip(encoder) => (encoder.finish()?, SpareBuffers::default()),
            Coder::Whole(output, mut spare) => {
                let mut output = output.ok_or_else(failed)?;
                output.write_all(spare.pack()?)?;
                (output, spare)
            }
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
            Coder::Gzip(encoder) => encoder.write(bytes),
            Coder::Whole(output, spare) => {
                if spare.plain.len() + bytes.len() > MAX_WHOLE_BYTES {
                    self.0 = spare.go_on(output.take().ok_or_else(failed)?)?;
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
            Coder::Gzip(encoder) => encoder.flush(),
            // Bytes that are yet to be compressed stay: a flush would change what they become.
            Coder::Whole(output, _) => output.as_mut().ok_or_else(failed)?.flush(),
            Coder::Zstd(writer, _) => writer.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::tests::plain;

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
        let expected = through(Compression::Zstd, &[&long]);
        assert_eq!(plain(Compression::Zstd, &expected), long);
        for cut in [1, MAX_WHOLE_BYTES - 1, MAX_WHOLE_BYTES, MAX_WHOLE_BYTES + 1] {
            let (head, tail) = long.split_at(cut);
            assert!(through(Compression::Zstd, &[head, tail]) == expected, "cut at {cut}");
        }
        assert_eq!(
            plain(Compression::Zstd, &through(Compression::Zstd, &[&long[..MAX_WHOLE_BYTES]])),
            long[..MAX_WHOLE_BYTES]
        );
    }
}
