//! Finds the places at which an archive can be cut, so that several readers share it.

use std::io::{self, Read, Seek, SeekFrom};

use crate::reader::{MemberAccount, ReadOptions, Reader, ReaderState, ResumePoint, arc_starts};
use crate::stream::{Stream, StreamCodec, StreamPosition};
use crate::{record::Record, source::Source, start::is_warc};

impl Reader {
    /// The places at which readers may begin that share an archive in gzip or zstd members: for each of `cuts`, stored
    /// offsets, the first member behind it that begins with a record, at most `reach` stored bytes further. That is
    /// what bytes look like: a member may stand in the payload of a record. So a place holds only if a reader that came
    /// from before [arrives](Reader::has_arrived) there; what it reads from there on is then what a reader gives that
    /// begins there. No places in an archive without members, or of which nothing can be read.
    ///
    /// # Errors
    /// The errors of `open` and of reading.
    pub fn starts<R: Read + Seek + Send + 'static>(
        open: impl Fn() -> io::Result<R>,
        cuts: impl IntoIterator<Item = u64>,
        reach: u64,
        options: ReadOptions,
    ) -> io::Result<Vec<ResumePoint>> {
        let Ok(head) = Reader::new("", open()?, options) else { return Ok(Vec::new()) };
        let (compression, arc) = (head.stream.compression(), head.arc);
        if !matches!(compression, StreamCodec::Gzip | StreamCodec::Zst) {
            return Ok(Vec::new());
        }
        let mut starts = Vec::new();
        for cut in cuts {
            let codec = compression.codec(&mut Source::new(Box::new(open()?)))?;
            let mut input = open()?;
            input.seek(SeekFrom::Start(cut))?;
            let mut stream = Stream::new(Source::at(Box::new(input), cut), codec);
            let found = stream.find_start(cut.saturating_add(reach), |plain| {
                let plain = plain.trim_ascii_start();
                is_warc(plain) || arc && arc_starts(plain)
            });
            let state = |offset| ReaderState {
                compression,
                stand: StreamPosition::at_member(offset),
                arc,
                given: 1,
                accounted: MemberAccount::default(),
                wrong_lengths: 0,
                finished: false,
            };
            starts.extend(found?.map(|offset| ResumePoint { state: Some(state(offset)), items: 0 }));
        }
        Ok(starts)
    }
}

impl Reader {
    /// Returns whether `record`, the item given last, and all that follow are those of a reader that begins at `start`,
    /// one of [`Reader::starts`].
    pub fn has_arrived(&self, record: &Record, start: &ResumePoint) -> bool {
        let (Some(before), Some(start)) = (&self.before.state, &start.state) else { return false };
        // How many records were given before matters no more, nor the account of a member that is over.
        let ReaderState { compression, stand, arc, given: _, accounted: _, wrong_lengths, finished } = *before;
        let offset = start.stand.offset;
        // Nothing was given since that state but this record, which begins the member.
        (record.place.offset, record.place.inner, self.before.items) == (offset, 0, 1)
            && (compression, arc) == (start.compression, start.arc)
            && (wrong_lengths, finished) == (start.wrong_lengths, start.finished)
            && stand.is_fresh_at(offset)
    }
}
