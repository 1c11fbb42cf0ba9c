//! Indexes of records: CDXJ, JSON lines, Parquet.

mod cdxj;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::{BufRead, BufReader, Read};
use std::{fs::File, path::Path};

use flate2::read::MultiGzDecoder;
use trommel_archive::signature;

use crate::{RecordIndexError, StatedRecord};

/// First bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// A row of an index, which names one record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// Name of the archive.
    pub(crate) file: String,
    /// First stored byte of the record.
    pub(crate) offset: u64,
    /// Stored bytes of the record.
    pub(crate) length: u64,
    /// First plain byte of the record in a gzip member that holds several; 0 for the first, or if the index does not say.
    pub(crate) inner: u64,
    /// URL of the record, and digest of its payload.
    pub(crate) stated: StatedRecord,
}

/// The function that takes each row of an index: its number, from 1, and the record that it names or its fault. An
/// error of the function ends the reading.
pub(crate) type TakeLine<'a> = dyn FnMut(usize, Result<IndexEntry, String>) -> Result<(), RecordIndexError> + 'a;

/// Reads an index and passes every row to `each`. The first bytes decide on the kind of file.
pub(crate) fn read(path: &Path, each: &mut TakeLine<'_>) -> Result<(), RecordIndexError> {
    let failed = RecordIndexError::of(path);
    let mut file = BufReader::new(File::open(path).map_err(&failed)?);
    let head = file.fill_buf().map_err(&failed)?;
    if head.starts_with(PARQUET_MAGIC) {
        #[cfg(feature = "parquet")]
        return parquet::read(path, each);
        #[cfg(not(feature = "parquet"))]
        return Err(RecordIndexError::of(path)("this build reads no Parquet (feature `parquet`)"));
    }
    let lines: Box<dyn Read> =
        if head.starts_with(&signature::GZIP) { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    cdxj::read(path, BufReader::new(lines), each)
}
