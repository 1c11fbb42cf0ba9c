//! Reads the stored bytes of wanted records.

use std::io::{self, Read, Seek, SeekFrom};
use std::{fmt, fs::File, ops::Range, sync::Arc};

use super::{ReadBatch, RecordSelection};
use crate::{Location, Remote, SourceError};

/// Stored bytes of one record, at the most.
const MAX_RANGE: u64 = 1 << 30;

/// Opens the bytes of an archive from their start on.
type OpenArchive = Arc<dyn Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync>;

/// Location of the bytes of an archive.
#[derive(Clone)]
pub enum ArchiveBytes {
    /// A file or object, or a part of one; its end may be beyond that of the file.
    Within(Location, Range<u64>),
    /// A compressed part of a file, which can be read only from its start.
    Packed(OpenArchive),
    /// They cannot be read.
    Missing(SourceError),
}

/// The stored bytes of one wanted record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The archive.
    pub archive: Arc<str>,
    /// The number of the archive among those of the selection.
    pub number: usize,
    /// First stored byte in the archive.
    pub offset: u64,
    /// First plain byte of the record, if the bytes are a gzip member that holds several.
    pub inner: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The result of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundRecord {
    /// The record's bytes.
    Stored(StoredRecord),
    /// They cannot be read.
    Missing {
        /// The archive.
        archive: Arc<str>,
        /// First stored byte in the archive.
        offset: u64,
        /// Stored bytes, as the index says.
        length: u64,
        /// The reason.
        error: SourceError,
    },
}

impl ArchiveBytes {
    /// The URL in whose object the bytes are, and the part of it.
    pub(super) fn object(&self) -> Option<(&str, Range<u64>)> {
        match self.part()? {
            (Location::Url(url), part) => Some((url, part)),
            (Location::File(_), _) => None,
        }
    }

    fn part(&self) -> Option<(&Location, Range<u64>)> {
        match self {
            Self::Within(location, part) => Some((location, part.clone())),
            Self::Packed(_) | Self::Missing(_) => None,
        }
    }

    /// Opens a local archive.
    fn open(&self) -> Result<OpenBytes, SourceError> {
        let failed = |error: io::Error| SourceError::File(error.to_string());
        match self {
            Self::Within(Location::File(path), part) => {
                Ok(OpenBytes::File(File::open(path).map_err(failed)?, part.clone()))
            }
            Self::Packed(open) => {
                Ok(OpenBytes::Stream { open: Arc::clone(open), bytes: open().map_err(failed)?, position: 0 })
            }
            Self::Missing(error) => Err(error.clone()),
            Self::Within(Location::Url(_), _) => Err(SourceError::NotBuilt),
        }
    }
}

impl fmt::Debug for ArchiveBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within(location, part) => f.debug_tuple("Within").field(location).field(part).finish(),
            Self::Packed(_) => f.debug_tuple("Packed").finish_non_exhaustive(),
            Self::Missing(error) => f.debug_tuple("Missing").field(error).finish(),
        }
    }
}

impl PartialEq for ArchiveBytes {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Within(one, part), Self::Within(other, of_other)) => one == other && part == of_other,
            (Self::Packed(one), Self::Packed(other)) => Arc::ptr_eq(one, other),
            (Self::Missing(one), Self::Missing(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for ArchiveBytes {}

/// The bytes of an archive that is being read.
enum OpenBytes {
    File(File, Range<u64>),
    Stream { open: OpenArchive, bytes: Box<dyn Read + Send>, position: u64 },
}

impl OpenBytes {
    /// Bytes of the archive; fewer than asked for if it ends before.
    fn read(&mut self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let mut found = Vec::new();
        match self {
            Self::File(file, part) => {
                let inside = within(part, range);
                file.seek(SeekFrom::Start(inside.start))?;
                file.take(inside.end - inside.start).read_to_end(&mut found)?;
            }
            Self::Stream { open, bytes, position } => {
                // Wanted ranges come in order; only those of one long member may begin where another did.
                if range.start < *position {
                    (*bytes, *position) = (open()?, 0);
                }
                *position += io::copy(&mut bytes.by_ref().take(range.start - *position), &mut io::sink())?;
                let length = range.end - range.start;
                *position += bytes.by_ref().take(length).read_to_end(&mut found)? as u64;
            }
        }
        Ok(found)
    }
}

/// A range of an archive as a range of the file or object in whose part it is.
fn within(part: &Range<u64>, range: &Range<u64>) -> Range<u64> {
    let place = |offset: u64| part.start.saturating_add(offset).min(part.end);
    place(range.start)..place(range.end)
}

impl RecordSelection {
    /// The wanted records in their order, from the row `from` on.
    pub fn read<'a>(&'a self, from: usize, remote: Option<&Remote>) -> impl Iterator<Item = FoundRecord> + use<'a> {
        let segments = self.segments(from);
        let mut fetched = remote.map(|remote| remote.fetch(self.wanted(&segments)));
        let mut open: Option<(usize, Result<OpenBytes, SourceError>)> = None;
        segments.into_iter().flat_map(move |segment| {
            let bytes = match self.bytes.get(segment.archive) {
                _ if segment.bytes.end - segment.bytes.start > MAX_RANGE => {
                    Err(SourceError::Failed("the record is too long".to_owned()))
                }
                None => Err(SourceError::NotFound),
                Some(bytes) if bytes.object().is_some() => {
                    fetched.as_mut().and_then(Iterator::next).unwrap_or(Err(SourceError::NotBuilt))
                }
                Some(bytes) => {
                    if open.as_ref().is_none_or(|(number, _)| *number != segment.archive) {
                        open = Some((segment.archive, bytes.open()));
                    }
                    match &mut open {
                        Some((_, Ok(open))) => {
                            open.read(&segment.bytes).map_err(|error| SourceError::File(error.to_string()))
                        }
                        Some((_, Err(error))) => Err(error.clone()),
                        None => Err(SourceError::NotFound),
                    }
                }
            };
            self.cut(&segment, &bytes)
        })
    }

    /// Bytes of the archive of this number; fewer than asked for if it ends before.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_range(
        &self,
        archive: usize,
        range: Range<u64>,
        remote: Option<&Remote>,
    ) -> Result<Vec<u8>, SourceError> {
        let bytes = self.bytes.get(archive).ok_or(SourceError::NotFound)?;
        if let (Some((url, part)), Some(remote)) = (bytes.object(), remote) {
            let wanted = vec![(url.to_owned(), within(&part, &range))];
            return remote.fetch(wanted).next().unwrap_or(Err(SourceError::NotFound));
        }
        bytes.open()?.read(&range).map_err(|error| SourceError::File(error.to_string()))
    }

    /// The ranges of objects among segments.
    fn wanted(&self, segments: &[ReadBatch]) -> Vec<(String, Range<u64>)> {
        let wanted = segments.iter().filter_map(|segment| {
            let length = segment.bytes.end - segment.bytes.start;
            let (url, part) = self.bytes.get(segment.archive)?.object()?;
            (length <= MAX_RANGE).then(|| (url.to_owned(), within(&part, &segment.bytes)))
        });
        wanted.collect()
    }

    /// The rows of a segment out of its bytes. Bytes that end early are those of the last record in an
    /// archive whose index counts too many; what there is of it may be whole.
    fn cut(&self, segment: &ReadBatch, bytes: &Result<Vec<u8>, SourceError>) -> Vec<FoundRecord> {
        let archive: Arc<str> = self.archives.get(segment.archive).map_or_else(String::new, ToString::to_string).into();
        let found = self.rows.get(segment.rows.clone()).unwrap_or_default().iter().map(|row| {
            let missing = |error| FoundRecord::Missing {
                archive: Arc::clone(&archive),
                offset: row.offset,
                length: row.length,
                error,
            };
            let bytes = match bytes {
                Ok(bytes) => bytes,
                Err(error) => return missing(error.clone()),
            };
            let start = usize::try_from(row.offset - segment.bytes.start).unwrap_or(usize::MAX);
            let length = usize::try_from(row.length).unwrap_or(usize::MAX);
            let end = start.saturating_add(length).min(bytes.len());
            match bytes.get(start..end) {
                Some(bytes) if !bytes.is_empty() => FoundRecord::Stored(StoredRecord {
                    archive: Arc::clone(&archive),
                    number: segment.archive,
                    offset: row.offset,
                    inner: row.inner,
                    bytes: bytes.to_vec(),
                }),
                _ => missing(SourceError::Failed("the archive ends before the record".to_owned())),
            }
        });
        found.collect()
    }
}
