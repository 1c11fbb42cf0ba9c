//! Continues to read a file at the place where another reader stopped.

use std::io::{self, Read, Seek, SeekFrom};
use std::{fs::File, path::Path, sync::Arc};

use super::{ReadOptions, Reader};
use crate::reader::{ReaderState, ResumePoint};
use crate::{error::ArchiveError, source::Source, stream::Stream};

impl Reader {
    /// The point from which another reader can continue with the next item.
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

    /// Continues from `point` in an input that cannot seek, such as standard input. `input` begins at its start;
    /// bytes before the point are read and dropped.
    ///
    /// # Errors
    /// Like [`Reader::new`], and [`ArchiveError::Changed`] if the point can't be reached.
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

    /// Continues from `point` in the file at `path`, by seeking.
    ///
    /// # Errors
    /// Like [`Reader::open`], and [`ArchiveError::Changed`] if the point can't be reached.
    pub fn reopen(path: &Path, point: &ResumePoint, options: ReadOptions) -> Result<Reader, ArchiveError> {
        Reader::reopen_with(path.to_string_lossy(), || File::open(path), point, options)
    }

    /// Continues from `point`, by seeking, in the file, inner archive or object that `open` opens.
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
