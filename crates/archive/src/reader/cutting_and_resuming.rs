//! Finds places at which an archive can be divided between readers, and continues where another reader stopped.

use std::io::{self, Read, Seek, SeekFrom};
use std::{fs::File, path::Path, sync::Arc};

use super::{ReadOptions, Reader};
use crate::error::ArchiveError;
use crate::reader::{MemberAccount, ReaderState, ResumePoint, arc_starts};
use crate::stream::{Stream, StreamCodec, StreamPosition};
use crate::{record::Record, record_start::is_warc, stored_bytes::Source};

impl Reader {
    /// Returns the point from which another reader can continue with the next item.
    pub fn resume_point(&self) -> ResumePoint {
        // Before the first record, reading depends on more than is worth storing.
        if self.queue.is_empty()
            && self.given > 0
            && let Some(stand) = self.stream.stand()
        {
            let state = ReaderState {
                compression: self.stream.compression(),
                stand,
                arc: self.arc,
                given: self.given,
                accounted: self.accounted,
                wrong_lengths: self.wrong_lengths,
                finished: self.finished,
            };
            return ResumePoint { state: Some(state), items: 0 };
        }
        self.before
    }

    /// Continues from `point` in an input that cannot seek, such as standard input. `input` begins at the start of the
    /// archive; bytes before the point are read and dropped.
    ///
    /// # Errors
    /// Like [`Reader::new`], and [`ArchiveError::Changed`] if the point cannot be reached.
    pub fn resume(
        file: impl Into<Arc<str>>,
        input: impl Read + Send + 'static,
        point: &ResumePoint,
        options: ReadOptions,
    ) -> Result<Reader, ArchiveError> {
        let file = file.into();
        let Some(state) = point.state else { return Reader::new(file, input, options)?.skip_items(point.items) };
        let mut source = Source::new(Box::new(input));
        let stream = || -> io::Result<Option<Stream>> {
            let codec = state.compression.codec(&mut source)?;
            if !source.skip_to(state.stand.offset)? {
                return Ok(None);
            }
            Stream::again(source, codec, state.stand)
        };
        Reader::again(file, state, options, stream())?.skip_items(point.items)
    }

    /// Opens the file at `path` and continues from `point`, by seeking.
    ///
    /// # Errors
    /// Like [`Reader::open`], and [`ArchiveError::Changed`] if the point cannot be reached.
    pub fn reopen(path: &Path, point: &ResumePoint, options: ReadOptions) -> Result<Reader, ArchiveError> {
        Reader::reopen_with(path.to_string_lossy(), || File::open(path), point, options)
    }

    /// Continues from `point` by seeking. `open` opens the input: a file, an archive inside a container, or a remote
    /// object.
    ///
    /// # Errors
    /// Like [`Reader::reopen`].
    pub fn reopen_with<R: Read + Seek + Send + 'static>(
        file: impl Into<Arc<str>>,
        open: impl Fn() -> io::Result<R>,
        point: &ResumePoint,
        options: ReadOptions,
    ) -> Result<Reader, ArchiveError> {
        let file = file.into();
        let Some(state) = point.state else {
            let failed = |source| ArchiveError::Io { file: file.clone(), offset: 0, source };
            let mut input = open().map_err(failed)?;
            // Some inputs do not know their end.
            let length = input.seek(SeekFrom::End(0)).ok();
            input.rewind().map_err(failed)?;
            let mut reader = Reader::new(file, input, options)?;
            reader.expected_length = length;
            return reader.skip_items(point.items);
        };
        let offset = state.stand.offset;
        let stream = || -> io::Result<Option<Stream>> {
            let mut input = open()?;
            let codec = state.compression.codec(&mut Source::new(Box::new(open()?)))?;
            if input.seek(SeekFrom::End(0)).is_ok_and(|length| length < offset) {
                return Ok(None);
            }
            input.seek(SeekFrom::Start(offset))?;
            Stream::again(Source::at(Box::new(input), offset), codec, state.stand)
        };
        Reader::again(file, state, options, stream())?.skip_items(point.items)
    }

    fn again(
        file: Arc<str>,
        state: ReaderState,
        options: ReadOptions,
        stream: io::Result<Option<Stream>>,
    ) -> Result<Reader, ArchiveError> {
        let stream = match stream {
            Ok(Some(stream)) => stream,
            Ok(None) => return Err(ArchiveError::Changed { file }),
            Err(source) => {
                return Err(ArchiveError::Io { file, offset: state.stand.offset, source });
            }
        };
        Ok(Reader {
            arc: state.arc,
            given: state.given,
            accounted: state.accounted,
            wrong_lengths: state.wrong_lengths,
            finished: state.finished,
            before: ResumePoint { state: Some(state), items: 0 },
            ..Reader::fresh(file, stream, options)
        })
    }

    fn skip_items(mut self, items: u64) -> Result<Reader, ArchiveError> {
        for _ in 0..items {
            match self.next() {
                Some(Err(error)) if error.is_fatal() => return Err(error),
                Some(_) => {}
                None => return Err(ArchiveError::Changed { file: self.file }),
            }
        }
        Ok(self)
    }
}

impl Reader {
    /// Returns points at which several readers can begin, each to read a part of an archive in gzip or zstd members.
    /// For each file offset in `cuts`, the point is the next member that begins with a record, at most `reach` bytes
    /// further.
    ///
    /// The payload of a record may also contain a member. So a point is valid only if a reader that began before it
    /// [arrives](Reader::has_arrived) there; from there on both readers return the same items. An archive without
    /// members, or one that cannot be read, has no points.
    ///
    /// # Errors
    /// Fails if `open` or reading fails.
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

    /// Returns whether this reader now continues exactly like a reader that begins at `start`, a point from
    /// [`Reader::starts`]. `record` is the item that was returned last.
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
