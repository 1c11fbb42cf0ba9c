//! Pieces of a large archive, which are read side by side.

use std::fs::Metadata;
use std::sync::{Arc, OnceLock};

use trommel_archive::{ReadOptions, Reader, Record, ResumePoint};
use trommel_sources::Remote;

use crate::run::inputs::Input;

/// Size in stored bytes of the pieces into which a large archive is cut, to read them in parallel.
// Half a minute of one core: enough pieces of usual archives for many cores, and few for the state to name.
pub(crate) const PIECE_BYTES: u64 = 64 << 20;
/// Maximum number of pieces of an archive that is read as a whole; a larger archive is read in parallel pieces.
const MIN_PIECES: u64 = 4;
/// Maximum number of pieces of an archive; the pieces of a very large archive are larger.
const MAX_PIECES: u64 = 256;
/// Maximum distance in stored bytes from a cut to the next record; if there is none, two pieces are joined.
const MAX_REACH: u64 = 8 << 20;

/// Returns the size in stored bytes of the pieces of an archive of `size` bytes; none if it is read as a whole. The
/// pieces have `bytes` each, or more if there would be too many.
// By its size alone: the ends of pieces show in the frames of outputs.
fn bytes_of_pieces(bytes: u64, size: u64) -> Option<u64> {
    let bytes = bytes.max(size.div_ceil(MAX_PIECES)).max(1);
    (size / bytes >= MIN_PIECES && size > bytes.saturating_mul(MIN_PIECES)).then_some(bytes)
}

/// Returns the size in stored bytes of an input that can be read from any offset; none for other inputs.
fn size(input: &Input, remote: &Remote) -> Option<u64> {
    match input {
        Input::File(path) => Some(path.metadata().ok().filter(Metadata::is_file)?.len()),
        Input::Url(url) => remote.length(url),
        Input::Packed(packed) => Some(packed.bytes()).filter(|_| packed.is_stored()),
        _ => None,
    }
}

/// Returns the maximum number of pieces into which an input is cut, with about `bytes` stored bytes in each.
pub(crate) fn count(input: &Input, remote: &Remote, bytes: u64) -> usize {
    let size = size(input, remote).unwrap_or(0);
    let pieces = bytes_of_pieces(bytes, size).map_or(1, |bytes| size.div_ceil(bytes));
    usize::try_from(pieces).unwrap_or(usize::MAX)
}

/// Cuts an archive into pieces to be read in parallel; none if it is read as a whole or cannot be read.
pub(crate) fn pieces(input: &Input, remote: &Remote, options: ReadOptions, bytes: u64) -> Option<Vec<Piece>> {
    let size = size(input, remote)?;
    let bytes = bytes_of_pieces(bytes, size)?;
    let place = input.bytes().ok()??;
    let cuts = (1..).map(|cut: u64| cut.saturating_mul(bytes)).take_while(|cut| *cut < size);
    let mut starts = vec![ResumePoint::default()];
    starts.extend(Reader::starts(|| place.open_blocks(remote), cuts, bytes.min(MAX_REACH), options).ok()?);
    let starts: Arc<[ResumePoint]> = starts.into();
    let pieces = (0..starts.len()).map(|number| Piece { number, starts: starts.clone(), fate: Fate::default() });
    (starts.len() > 1).then(|| pieces.collect())
}

/// Piece of a large archive. Pieces are read in parallel, and their documents are joined in order.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Number of the piece in the order of the archive, from 0.
    pub(crate) number: usize,
    /// Places where the pieces of the archive begin, one entry for each piece.
    starts: Arc<[ResumePoint]>,
    pub(crate) fate: Fate,
}

impl Piece {
    /// Returns the place where the piece with the number `number` begins; none if there is no such piece.
    pub(crate) fn start(&self, number: usize) -> Option<&ResumePoint> {
        self.starts.get(number)
    }

    /// Returns the place where reading of the piece begins; none at the start of the archive.
    pub(crate) fn point(&self) -> Option<ResumePoint> {
        self.start(self.number).filter(|_| self.number > 0).copied()
    }

    /// Returns the byte offset in the stored archive at which the piece begins.
    pub(crate) fn offset(&self) -> u64 {
        self.start(self.number).map_or(0, ResumePoint::offset)
    }
}

/// Position of a record relative to the end of the piece of an archive that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The record lies within the piece of the archive that is being read.
    Within,
    /// The record begins in the piece that is being read, and ends in a later one, which is discarded if the present
    /// one is valid.
    Past,
    /// The record is the first of a later piece, with the given number; the present piece ends before the record.
    Next(usize),
}

impl Piece {
    /// Compares the position of `record`, which `reader` returned last, with the beginnings of later pieces of the
    /// archive. `next` is the number of the next piece whose beginning has not been passed.
    pub(crate) fn reach(&self, next: &mut usize, reader: &Reader, record: &Record) -> Reach {
        let mut reach = Reach::Within;
        while let Some(start) = self.start(*next).filter(|start| start.offset() <= record.place.offset) {
            if reader.has_arrived(record, start) {
                return Reach::Next(*next);
            }
            *next += 1;
            reach = Reach::Past;
        }
        reach
    }
}

/// Decision whether a piece of an archive is valid or discarded, made once all earlier pieces have been read.
// A member found behind a cut may stand in a payload; then reading in order passes by it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fate(Arc<OnceLock<bool>>);

impl Fate {
    /// Decides that a piece of an archive is valid if `counts` is true, otherwise discarded; only the first call has an
    /// effect. A piece is discarded if an earlier one extended past its beginning.
    pub(crate) fn set(&self, counts: bool) {
        let _ = self.0.set(counts);
    }

    /// Returns whether the decision has been made that a piece of an archive is valid or discarded.
    pub(crate) fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    pub(crate) fn is_void(&self) -> bool {
        self.0.get() == Some(&false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_files_are_cut_and_not_into_more_than_the_state_names() {
        let megabytes = |size: u64| bytes_of_pieces(PIECE_BYTES, size << 20).map(|bytes| bytes >> 20);
        assert_eq!(megabytes(256), None);
        assert_eq!(megabytes(257), Some(64));
        assert_eq!(megabytes(16 << 10), Some(64));
        assert_eq!(megabytes(1 << 20), Some(4096));
    }
}
