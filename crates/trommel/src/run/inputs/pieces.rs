//! The pieces that a large archive is read in side by side.

use std::sync::atomic::{AtomicU8, Ordering};
use std::{fs::Metadata, io, sync::Arc};

use trommel_archive::{ReadOptions, Reader, ResumePoint};
use trommel_sources::Remote;

use crate::run::inputs::Input;

/// Stored bytes of a piece.
// Half a minute of one core: enough pieces of usual archives for many cores, and few for the state to name.
pub(crate) const PIECE_BYTES: u64 = 64 << 20;
/// An archive of more than this many pieces is read in pieces.
const MIN_PIECES: u64 = 4;
/// Pieces of an archive at the most: those of very large ones are larger.
const MAX_PIECES: u64 = 256;
/// Stored bytes behind a cut in which a member is looked for; without one, two pieces are one.
const MAX_REACH: u64 = 8 << 20;

/// Cuts the large archives of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutter<'a> {
    pub(crate) inputs: &'a [Input],
    /// The source of objects behind URLs.
    pub(crate) remote: &'a Remote,
    pub(crate) options: ReadOptions,
    /// Stored bytes of a piece.
    pub(crate) bytes: u64,
}

impl Cutter<'_> {
    /// The stored bytes of each piece of an archive; none if it is read as a whole.
    // By its size alone: the ends of pieces show in the frames of outputs.
    fn bytes_of_pieces(&self, size: u64) -> Option<u64> {
        let bytes = self.bytes.max(size.div_ceil(MAX_PIECES)).max(1);
        (size / bytes >= MIN_PIECES && size > bytes.saturating_mul(MIN_PIECES)).then_some(bytes)
    }

    /// Stored bytes of an input that can be read in any place.
    fn size(&self, input: usize) -> Option<u64> {
        match self.inputs.get(input)? {
            Input::File(path) => Some(path.metadata().ok().filter(Metadata::is_file)?.len()),
            Input::Url(url) => self.remote.length(url),
            Input::Packed(packed) => Some(packed.bytes()).filter(|_| packed.is_stored()),
            _ => None,
        }
    }

    /// The number of pieces that an input may have.
    pub(crate) fn count(&self, input: usize) -> usize {
        let size = self.size(input).unwrap_or(0);
        let pieces = self.bytes_of_pieces(size).map_or(1, |bytes| size.div_ceil(bytes));
        usize::try_from(pieces).unwrap_or(usize::MAX)
    }

    /// The pieces of an input; none if it is read as a whole.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn pieces(&self, input: usize) -> io::Result<Option<Vec<Piece>>> {
        let Some(size) = self.size(input) else { return Ok(None) };
        let Some(bytes) = self.bytes_of_pieces(size) else { return Ok(None) };
        let Some(place) = self.inputs.get(input).map(Input::bytes).transpose()?.flatten() else { return Ok(None) };
        let cuts = (1..).map(|cut: u64| cut.saturating_mul(bytes)).take_while(|cut| *cut < size);
        let mut starts = vec![ResumePoint::default()];
        starts.extend(Reader::starts(|| place.open_blocks(self.remote), cuts, bytes.min(MAX_REACH), self.options)?);
        let starts: Arc<[ResumePoint]> = starts.into();
        let pieces = (0..starts.len()).map(|number| Piece { number, starts: starts.clone(), fate: Fate::default() });
        Ok((starts.len() > 1).then(|| pieces.collect()))
    }
}

/// One piece of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its place in the order.
    pub(crate) number: usize,
    /// The places where the pieces of the archive begin.
    starts: Arc<[ResumePoint]>,
    pub(crate) fate: Fate,
}

impl Piece {
    /// The place where a piece of the archive begins.
    pub(crate) fn start(&self, number: usize) -> Option<&ResumePoint> {
        self.starts.get(number)
    }

    /// The place where a reader of this one begins; none: the start of the archive.
    pub(crate) fn point(&self) -> Option<ResumePoint> {
        self.start(self.number).filter(|_| self.number > 0).copied()
    }

    /// Stored offset at which this one does.
    pub(crate) fn offset(&self) -> u64 {
        self.start(self.number).map_or(0, ResumePoint::offset)
    }
}

/// Tells if a piece counts, once all before it are done.
// A member found behind a cut may stand in a payload; then reading in order passes by it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fate(Arc<AtomicU8>);

const DUE: u8 = 1;
const VOID: u8 = 2;

impl Fate {
    /// It is the turn of the piece, and it counts.
    pub(crate) fn set_due(&self) {
        self.0.store(DUE, Ordering::Release);
    }

    /// An earlier piece went on past its beginning.
    pub(crate) fn set_void(&self) {
        self.0.store(VOID, Ordering::Release);
    }

    pub(crate) fn is_due(&self) -> bool {
        self.0.load(Ordering::Acquire) == DUE
    }

    pub(crate) fn is_void(&self) -> bool {
        self.0.load(Ordering::Acquire) == VOID
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_sources::NetworkOptions;

    #[test]
    fn only_large_files_are_cut_and_not_into_more_than_the_state_names() {
        let remote = Remote::new(NetworkOptions::default());
        let cutter = Cutter { inputs: &[], remote: &remote, options: ReadOptions::default(), bytes: PIECE_BYTES };
        let megabytes = |size: u64| cutter.bytes_of_pieces(size << 20).map(|bytes| bytes >> 20);
        assert_eq!(megabytes(256), None);
        assert_eq!(megabytes(257), Some(64));
        assert_eq!(megabytes(16 << 10), Some(64));
        assert_eq!(megabytes(1 << 20), Some(4096));
        assert_eq!(cutter.count(0), 1);
    }
}
