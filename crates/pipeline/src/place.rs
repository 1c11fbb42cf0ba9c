//! One record, found by its place.

use std::{
    fs::File,
    io::{Seek as _, SeekFrom},
    path::Path,
    sync::Arc,
};

use trommel_archive::{ArchiveError, ReadOptions, Reader, Record};

use crate::crawl_charset;

/// The record at this stored offset of an archive, and at `inner` in the plain bytes of a member that
/// holds several; with it the encoding that the crawl's metadata record after it gives for it. None if
/// no record begins there.
///
/// # Errors
/// If the archive cannot be read.
pub fn record_at(
    archive: &Path,
    offset: u64,
    inner: u64,
) -> Result<Option<(Record, Option<String>)>, ArchiveError> {
    let name: Arc<str> = archive.to_string_lossy().into();
    let failed = |source| ArchiveError::Io {
        file: name.clone(),
        offset,
        source,
    };
    let mut file = File::open(archive).map_err(failed)?;
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let at_offset = Reader::new(name.clone(), file, ReadOptions::default());
    match at_offset.map(|reader| found(reader, 0, inner)) {
        Ok(Some(found)) => Ok(Some(found)),
        // Members of some zstd archives need the dictionary at the file's start.
        _ => {
            let reader = Reader::open(archive, ReadOptions::default())?;
            Ok(found(reader, offset, inner))
        }
    }
}

/// The record at `offset` of what the reader reads.
fn found(mut reader: Reader, offset: u64, inner: u64) -> Option<(Record, Option<String>)> {
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
