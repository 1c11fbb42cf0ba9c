//! Reads the stored bytes of wanted records; one request reads several records that are close to each other.

use std::{io, ops::Range};

use super::RecordSelection;
use crate::{OpenBytes, Remote, SourceError};

/// Maximum number of unwanted bytes between two records that are still read together by one request.
pub(super) const GAP: u64 = 64 << 10;
/// Maximum number of bytes that one request reads for several records.
pub(super) const MAX_JOINED_BYTES: u64 = 4 << 20;
/// Maximum number of stored bytes of one record; a longer record is an error.
const MAX_RANGE: u64 = 1 << 30;

/// Batch of records of one archive that are close to each other and read by one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadBatch {
    pub(super) archive: usize,
    pub(super) bytes: Range<u64>,
    pub(super) rows: Range<usize>,
}

fn failed(error: impl ToString) -> SourceError {
    SourceError::File(error.to_string())
}

/// Converts a byte range of an archive to one of the file or object that holds the archive at `part`.
fn within(part: &Range<u64>, range: &Range<u64>) -> Range<u64> {
    let place = |offset: u64| part.start.saturating_add(offset).min(part.end);
    place(range.start)..place(range.end)
}

impl RecordSelection {
    /// Groups the wanted records, from index `from` on, into batches of nearby records that one request can read.
    pub(super) fn segments(&self, from: usize) -> Vec<ReadBatch> {
        let mut segments: Vec<ReadBatch> = Vec::new();
        for (at, row) in self.rows.iter().enumerate().skip(from) {
            let end = row.offset.saturating_add(row.length);
            if let Some(last) = segments.last_mut()
                && last.archive == row.archive as usize
                && row.offset <= last.bytes.end.saturating_add(GAP)
                && end.saturating_sub(last.bytes.start) <= MAX_JOINED_BYTES
            {
                last.bytes.end = last.bytes.end.max(end);
                last.rows.end = at + 1;
            } else {
                segments.push(ReadBatch { archive: row.archive as usize, bytes: row.offset..end, rows: at..at + 1 });
            }
        }
        segments
    }

    /// Reads the stored bytes of each wanted record in order, from index `from` in `rows` on.
    pub fn read<'a>(
        &'a self,
        from: usize,
        remote: &Remote,
    ) -> impl Iterator<Item = Result<Vec<u8>, SourceError>> + use<'a> {
        let segments = self.segments(from);
        let mut fetched = remote.fetch(self.wanted(&segments));
        let remote = remote.clone();
        let mut open: Option<(usize, io::Result<OpenBytes>)> = None;
        segments.into_iter().flat_map(move |segment| {
            let bytes = match self.bytes.get(segment.archive) {
                _ if segment.bytes.end - segment.bytes.start > MAX_RANGE => {
                    Err(SourceError::Failed("the record is too long".to_owned()))
                }
                None => Err(SourceError::NotFound),
                Some(bytes) if bytes.object().is_some() => fetched.next().unwrap_or(Err(SourceError::NotBuilt)),
                Some(bytes) => {
                    if open.as_ref().is_none_or(|(number, _)| *number != segment.archive) {
                        open = Some((segment.archive, bytes.open(&remote)));
                    }
                    match &mut open {
                        Some((_, Ok(open))) => open.range(segment.bytes.clone()).map_err(failed),
                        Some((_, Err(error))) => Err(failed(error)),
                        None => Err(SourceError::NotFound),
                    }
                }
            };
            self.cut(&segment, &bytes)
        })
    }

    /// Reads a byte range of the archive at position `archive`; returns fewer bytes if the archive ends earlier.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read.
    pub fn read_range(&self, archive: u32, range: Range<u64>, remote: &Remote) -> Result<Vec<u8>, SourceError> {
        let bytes = self.bytes.get(archive as usize).ok_or(SourceError::NotFound)?;
        bytes.open(remote).and_then(|mut open| open.range(range)).map_err(failed)
    }

    /// Returns the URL and byte range of each batch whose archive is behind a URL.
    fn wanted(&self, segments: &[ReadBatch]) -> Vec<(String, Range<u64>)> {
        let wanted = segments.iter().filter_map(|segment| {
            let length = segment.bytes.end - segment.bytes.start;
            let (url, part) = self.bytes.get(segment.archive)?.object()?;
            (length <= MAX_RANGE).then(|| (url.to_owned(), within(&part, &segment.bytes)))
        });
        wanted.collect()
    }

    /// Cuts the bytes of a batch into the bytes of each record. A record at the end of the archive may be shorter than
    /// its index states, and may still be complete.
    fn cut(&self, segment: &ReadBatch, bytes: &Result<Vec<u8>, SourceError>) -> Vec<Result<Vec<u8>, SourceError>> {
        let rows = self.rows.get(segment.rows.clone()).unwrap_or_default().iter();
        let cut = rows.map(|row| {
            let bytes = bytes.as_ref().map_err(SourceError::clone)?;
            let start = usize::try_from(row.offset - segment.bytes.start).unwrap_or(usize::MAX);
            let length = usize::try_from(row.length).unwrap_or(usize::MAX);
            let end = start.saturating_add(length).min(bytes.len());
            let bytes = bytes.get(start..end).filter(|bytes| !bytes.is_empty());
            bytes
                .map(<[u8]>::to_vec)
                .ok_or_else(|| SourceError::Failed("the archive ends before the record".to_owned()))
        });
        cut.collect()
    }
}
