//! Reads one record at its place.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use trommel_archive::{ArchiveError, ReadOptions, Reader, Record};

use crate::run::inputs::pages::{is_page, page_record};
use crate::run::read::crawl_metadata::crawl_charset;

/// The record at this stored offset of an archive, and at `inner` in the plain bytes of a member with
/// several. The encoding that the crawl's metadata record after it states is returned with it. None if no
/// record begins there.
///
/// # Errors
/// If the archive cannot be read.
pub fn record_at(archive: &Path, offset: u64, inner: u64) -> Result<Option<(Record, Option<String>)>, ArchiveError> {
    if archive.file_name().is_some_and(|name| is_page(&name.to_string_lossy())) {
        let most = ReadOptions::default().max_record;
        let failed = |source| ArchiveError::Io { file: archive.to_string_lossy().into(), offset, source };
        return Ok(Some((page_record(archive, most).map_err(failed)?, None)).filter(|_| offset == 0));
    }
    let open = |from| {
        let mut file = File::open(archive)?;
        file.seek(SeekFrom::Start(from))?;
        Ok(file)
    };
    record_in(&archive.to_string_lossy(), open, offset, inner)
}

/// Like [`record_at`], of the archive called `name` whose stored bytes from an offset on `open` gives.
///
/// # Errors
/// If the archive cannot be read.
pub fn record_in<R: Read + Send + 'static>(
    name: &str,
    open: impl Fn(u64) -> io::Result<R>,
    offset: u64,
    inner: u64,
) -> Result<Option<(Record, Option<String>)>, ArchiveError> {
    let name: Arc<str> = name.into();
    let from = |from| {
        let stored = open(from).map_err(|source| ArchiveError::Io { file: name.clone(), offset: from, source })?;
        Ok(Reader::new(name.clone(), stored, ReadOptions::default()))
    };
    // From the place itself first, which is a seek; from the start only where that fails.
    match from(offset)?.map(|reader| find_record(reader, 0, inner)) {
        Ok(Some(found)) => Ok(Some(found)),
        // Members of some zstd archives need the dictionary at the file's start.
        _ => Ok(find_record(from(0)??, offset, inner)),
    }
}

/// The record at `offset` of the reader's archive.
fn find_record(mut reader: Reader, offset: u64, inner: u64) -> Option<(Record, Option<String>)> {
    let is_here = |record: &Record| record.place.offset == offset && record.place.inner == inner;
    let record = reader
        .by_ref()
        .take_while(|item| match item {
            Ok(record) => record.place.offset <= offset,
            Err(error) => !error.is_fatal(),
        })
        .filter_map(Result::ok)
        .find(is_here)?;
    let next = reader.next().and_then(Result::ok);
    let charset = next.and_then(|next| crawl_charset(&record, &next));
    Some((record, charset))
}
