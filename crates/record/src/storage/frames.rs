//! An output in frames: compressed parts that read as one. The caller decides where they end.

use std::io::{self, Write};

use crate::Compression;
use crate::storage::stream::{CompressedStream, SpareBuffers, failed};

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
    /// Frames into `output`; `begun` tells whether there are some before.
    pub fn new(output: W, compression: Compression, begun: bool) -> Self {
        Self { compression, state: State::Between(output), spare: SpareBuffers::default(), begun }
    }

    /// Adds bytes to the frame, which begins with them if need be.
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

    /// Ends the last frame; an output without any gets an empty one, so that it is a file of its kind.
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
}
