//! Selects the records that an index names, to read them without the rest of their archives.

mod comparison;
mod joined_reads;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use tempfile::TempPath;

use crate::{ArchiveBytes, Location, RecordIndexError, SourceError, StopFlag, index, redacted};

pub use comparison::StatedRecord;

/// Maximum number of bytes in the name of an archive; lines of an index with a longer name are skipped.
const MAX_NAME: usize = 64 << 10;
const MAX_NAMES: usize = 256 << 20;
/// Maximum number of rows in an index of up to 4 MiB; a larger file may have as many rows as bytes. Without a limit, a
/// small compressed file could name billions of records.
const MAX_ROWS: u64 = 4 << 20;
/// Maximum total bytes of URLs and digests kept of an index to compare records with; later ones are not compared.
// A quarter of a gigabyte are two million records; an index of more is rarely taken as a whole.
const MAX_STATED_BYTES: usize = 256 << 20;
/// Maximum number of bad lines that are reported individually; further ones are only counted.
const NAMED_LINES: usize = 100;

/// Record to read from an archive, with its offset and length as an index states them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedRecord {
    /// Position of the record's archive in [`RecordSelection::archives`].
    pub archive: u32,
    /// Offset in the archive of the record's first stored byte.
    pub offset: u64,
    /// Offset of the record in the decompressed bytes of a gzip member that holds several records.
    pub inner: u64,
    /// Number of stored bytes to read.
    pub length: u64,
    /// URL and digest that the index states for the record.
    pub stated: Option<Box<StatedRecord>>,
}

/// Options for reading an index of records: the archives that it may name, and the use of its byte ranges.
#[derive(Clone, Debug, Default)]
pub struct SelectOptions {
    /// True if the index may name archives outside of the base folder or URL: by `..`, absolute paths, other hosts, or
    /// other buckets and repositories (with the environment's credentials).
    pub anywhere: bool,
    /// True if all records in a byte range that the index names are read, not only the first.
    pub whole_ranges: bool,
    /// Flag that ends the reading of the index early.
    pub stop: StopFlag,
}

/// Lines of an index that name no record, or a record that may not be read.
#[derive(Clone, Debug, Default)]
pub struct BadLines {
    /// Number of bad lines.
    pub count: usize,
    /// First bad lines, at most 100: the number of each line, counted from 1, and a description of its fault.
    pub first: Vec<(usize, String)>,
}

/// Records to read, as an index names them, with their archives. The records are sorted by the archives' names and by
/// offset, without duplicates.
#[derive(Clone, Debug)]
pub struct RecordSelection {
    /// Name of the index in messages: its path, or its URL without secrets.
    pub name: String,
    /// Path of the index, or of the local copy of an index at a URL.
    pub index: PathBuf,
    /// Local copy of an index at a URL, which is deleted with the last clone of this selection.
    _copy: Option<Arc<TempPath>>,
    /// Locations of the archives that hold wanted records, sorted by name.
    pub archives: Vec<Location>,
    /// Location of the stored bytes of each archive, in the order of `archives`.
    bytes: Vec<ArchiveBytes>,
    /// Wanted records, sorted by archive and offset.
    pub rows: Vec<WantedRecord>,
    /// Lines of the index that name no record, or a record that may not be read.
    pub bad_lines: BadLines,
    /// Options with which the index was loaded.
    pub options: SelectOptions,
}

/// Sorts the wanted records of an archive by offset. Of records with the same offset only the longest is kept, and each
/// record is cut where the next one begins.
fn sort(rows: &mut Vec<WantedRecord>, whole_ranges: bool) {
    // A range that is taken whole gives all of its records at once.
    let inner = |row: &WantedRecord| if whole_ranges { 0 } else { row.inner };
    rows.sort_by_key(|row| (row.offset, inner(row), Reverse(row.length)));
    rows.dedup_by_key(|row| (row.offset, inner(row)));
    let (mut next, mut end) = (None, None);
    for row in rows.iter_mut().rev() {
        // Another record of the same member ends where that one does.
        if next != Some(row.offset) {
            end = next.replace(row.offset);
        }
        row.length = end.map_or(row.length, |end| row.length.min(end - row.offset));
    }
}

impl RecordSelection {
    /// Reads an index: CDXJ (gzip or plain), JSON lines, or Parquet with Common Crawl's columns. Names of archives are
    /// joined to `base`. Lines that name no record, or a record that may not be read, are skipped and counted in
    /// [`RecordSelection::bad_lines`]. A byte range that overlaps the next one ends where that begins, so that no byte
    /// is read twice; of ranges with the same start the longest is used.
    ///
    /// # Errors
    /// Fails if the index cannot be read, or names no record that may be read.
    pub fn load(index: &Path, base: &Location, options: SelectOptions) -> Result<Self, RecordIndexError> {
        let file = index.metadata().map_err(RecordIndexError::of(index))?;
        // Of a pipe it is not known how long it is.
        let most = if file.is_file() { file.len().max(MAX_ROWS) } else { u64::MAX };
        let mut by_name: BTreeMap<String, Vec<WantedRecord>> = BTreeMap::new();
        let (mut count, mut names, mut stated_bytes) = (0, 0, 0);
        let mut bad_lines = BadLines::default();
        let failed = RecordIndexError::of::<String>(index);
        index::read(index, &mut |number, entry| {
            if options.stop.is_set() {
                return Err(failed(SourceError::Stopped.to_string()));
            }
            let permitted = entry.and_then(|entry| match entry.file.as_str() {
                name if name.len() > MAX_NAME => Err("a name of more than 64 KiB".to_owned()),
                name if !options.anywhere && base.join_below(name).is_none() => {
                    let name = redacted(name).escape_debug().to_string();
                    Err(format!("{name}: outside of the folder of the index; --set select_anywhere=true reads it"))
                }
                _ => Ok(entry),
            });
            let entry = match permitted {
                Ok(entry) => entry,
                Err(what) => {
                    bad_lines.count += 1;
                    bad_lines.first.extend((bad_lines.count <= NAMED_LINES).then_some((number, what)));
                    return Ok(());
                }
            };
            stated_bytes += entry.stated.bytes();
            let is_kept = entry.stated.bytes() > 0 && stated_bytes <= MAX_STATED_BYTES;
            let stated = is_kept.then(|| Box::new(entry.stated));
            let (offset, inner, length) = (entry.offset, entry.inner, entry.length);
            let bytes = entry.file.len();
            let rows = by_name.entry(entry.file).or_default();
            names += if rows.is_empty() { bytes } else { 0 };
            rows.push(WantedRecord { archive: 0, offset, inner, length, stated });
            count += 1;
            match (names > MAX_NAMES, count > most) {
                (true, _) => Err(failed(format!("more than {} MiB of names", MAX_NAMES >> 20))),
                (_, true) => Err(failed(format!("more rows than bytes, and more than {MAX_ROWS}"))),
                _ => Ok(()),
            }
        })?;
        if by_name.is_empty() {
            return Err(match bad_lines.first.into_iter().next() {
                Some((line, what)) => RecordIndexError { line: format!(":{line}"), ..failed(what) },
                None => failed("names no record, or none that is wanted".to_owned()),
            });
        }
        let (mut archives, mut rows) = (Vec::new(), Vec::new());
        for (archive, (name, mut found)) in (0..).zip(by_name) {
            sort(&mut found, options.whole_ranges);
            rows.extend(found.into_iter().map(|row| WantedRecord { archive, ..row }));
            archives.push(base.join(&name));
        }
        Ok(Self {
            name: index.to_string_lossy().into_owned(),
            index: index.to_owned(),
            _copy: None,
            bytes: archives.iter().cloned().map(ArchiveBytes::Whole).collect(),
            archives,
            rows,
            bad_lines,
            options,
        })
    }

    /// Loads a local copy of an index at a URL, like [`RecordSelection::load`]. Messages name `url`.
    ///
    /// # Errors
    /// Fails like [`RecordSelection::load`]; the error names the URL.
    pub fn load_copy(
        file: TempPath,
        url: String,
        base: &Location,
        options: SelectOptions,
    ) -> Result<Self, RecordIndexError> {
        let selection = Self::load(&file, base, options)
            .map_err(|error| RecordIndexError { path: PathBuf::from(&url), ..error })?;
        Ok(Self { name: url, _copy: Some(Arc::new(file)), ..selection })
    }

    /// Returns the name, for messages, of the archive that holds a wanted record.
    pub fn archive(&self, row: &WantedRecord) -> Arc<str> {
        self.archives.get(row.archive as usize).map_or_else(String::new, ToString::to_string).into()
    }

    /// Calls `find` for each archive, and replaces the archive's location by the result, if there is one. Archives in
    /// WACZ files, for example, cannot be opened by their names.
    pub fn locate(&mut self, mut find: impl FnMut(&Location) -> Option<ArchiveBytes>) {
        for (archive, bytes) in self.archives.iter().zip(&mut self.bytes) {
            if let Some(found) = find(archive) {
                *bytes = found;
            }
        }
    }

    /// Returns the total number of stored bytes of all wanted records.
    pub fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.length).fold(0, u64::saturating_add)
    }
}
