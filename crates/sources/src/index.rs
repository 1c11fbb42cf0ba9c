//! Reads indexes of records: CDXJ, JSON lines and Parquet.

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

/// Row of an index of records, which names one record of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// Name of the archive that holds the record.
    pub(crate) file: String,
    /// Offset in the archive of the record's first stored byte.
    pub(crate) offset: u64,
    /// Number of stored bytes of the record.
    pub(crate) length: u64,
    /// Offset of the record in its decompressed gzip member; 0 for the first record, or if the index does not state it.
    pub(crate) inner: u64,
    /// URL of the record and digest of its payload, as far as the index states them.
    pub(crate) stated: StatedRecord,
}

/// Function that receives the number of each row of an index, counted from 1, and the row or a description of its
/// fault. An error that the function returns ends the reading.
pub(crate) type TakeLine<'a> = dyn FnMut(usize, Result<IndexEntry, String>) -> Result<(), RecordIndexError> + 'a;

/// Reads an index and passes every row to `each`. The first bytes of the file determine its format.
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
