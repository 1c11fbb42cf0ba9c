//! One compressed output.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use zstd::stream::{
    raw::{CParameter, Encoder, Operation as _},
    zio,
};

use crate::Compression;

/// Compresses what is written to it. Its output depends on the bytes written only, never on the time
/// or the thread.
pub struct Stream<W: Write>(Coder<W>);

enum Coder<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zio::Writer<W, Encoder<'static>>),
}

/// The memory of a compressor, for a stream of the same compression to come.
#[derive(Default)]
pub(crate) struct Spare(Option<Encoder<'static>>);

impl<W: Write> Stream<W> {
    /// A stream into `output`.
    ///
    /// # Errors
    /// If the compressor has no memory.
    pub fn new(output: W, compression: Compression) -> io::Result<Self> {
        Self::over(output, compression, Spare::default())
    }

    /// As [`new`](Self::new), in the memory of a stream that was finished.
    pub(crate) fn over(output: W, compression: Compression, spare: Spare) -> io::Result<Self> {
        Ok(Self(match compression {
            Compression::None => Coder::Plain(output),
            Compression::Gzip => Coder::Gzip(GzEncoder::new(output, flate2::Compression::new(6))),
            Compression::Zstd => {
                let encoder = match spare.0 {
                    Some(mut encoder) => {
                        encoder.reinit()?;
                        encoder
                    }
                    None => {
                        let mut encoder = Encoder::new(3)?;
                        encoder.set_parameter(CParameter::ChecksumFlag(true))?;
                        encoder
                    }
                };
                Coder::Zstd(zio::Writer::new(output, encoder))
            }
        }))
    }

    /// Ends the compressed data and gives the output back, flushed. A stream dropped without this is
    /// cut.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<W> {
        self.end().map(|(output, _)| output)
    }

    /// As [`finish`](Self::finish), and gives the memory back as well.
    pub(crate) fn end(self) -> io::Result<(W, Spare)> {
        let (mut output, spare) = match self.0 {
            Coder::Plain(output) => (output, None),
            Coder::Gzip(encoder) => (encoder.finish()?, None),
            Coder::Zstd(mut writer) => {
                writer.finish()?;
                let (output, encoder) = writer.into_inner();
                (output, Some(encoder))
            }
        };
        output.flush()?;
        Ok((output, Spare(spare)))
    }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Coder::Plain(output) => output.write(bytes),
            Coder::Gzip(encoder) => encoder.write(bytes),
            Coder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Coder::Plain(output) => output.flush(),
            Coder::Gzip(encoder) => encoder.flush(),
            Coder::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn through(compression: Compression, parts: &[&[u8]]) -> Vec<u8> {
        let mut stream = Stream::new(Vec::new(), compression).unwrap();
        for part in parts {
            stream.write_all(part).unwrap();
        }
        stream.finish().unwrap()
    }

    fn plain(compression: Compression, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match compression {
            Compression::None => out.extend_from_slice(bytes),
            Compression::Gzip => {
                flate2::read::GzDecoder::new(bytes)
                    .read_to_end(&mut out)
                    .unwrap();
            }
            Compression::Zstd => out = zstd::stream::decode_all(bytes).unwrap(),
        }
        out
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
}
