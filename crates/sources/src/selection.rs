//! Reads the records that an index names, without the rest of their archives.

mod comparison;
mod joined_reads;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use tempfile::TempPath;

use crate::{ArchiveBytes, Location, RecordIndexError, SourceError, StopFlag, index, redacted};

pub use comparison::StatedRecord;

/// Bytes of the name of an archive, and of all names.
const MAX_NAME: usize = 64 << 10;
const MAX_NAMES: usize = 256 << 20;
/// Rows that any index may have; a larger one may have one for each of its bytes. A small file can name billions.
const MAX_ROWS: u64 = 4 << 20;
/// Bytes of the URLs and digests of an index that are kept; records beyond them are not compared.
// A quarter of a gigabyte are two million records; an index of more is rarely taken as a whole.
const MAX_STATED_BYTES: usize = 256 << 20;
/// The number of bad lines that are reported one by one.
const NAMED_LINES: usize = 100;

/// A wanted record of an archive: its place in the archive, as an index gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedRecord {
    /// Index of the archive in [`RecordSelection::archives`].
    pub archive: u32,
    /// Offset of the record's first stored byte.
    pub offset: u64,
    /// Offset of the record's first plain byte in a gzip member that holds several records.
    pub inner: u64,
    /// Number of stored bytes.
    pub length: u64,
    /// The URL and the digest that the index states for the record.
    pub stated: Option<Box<StatedRecord>>,
}

/// Options for reading an index: the names of archives that are permitted, and the records that a range gives.
#[derive(Clone, Debug, Default)]
pub struct SelectOptions {
    /// True if names may leave the base: `..`, absolute paths, other hosts, buckets and repositories with the keys of
    /// the environment.
    pub anywhere: bool,
    /// True if a range gives all the records in it, not only the first.
    pub whole_ranges: bool,
    /// The flag that ends the reading of the index early.
    pub stop: StopFlag,
}

/// The lines of an index that name no record, or one that may not be read.
#[derive(Clone, Debug, Default)]
pub struct BadLines {
    /// Number of such lines.
    pub count: usize,
    /// The first lines: the number of each, and its fault.
    pub first: Vec<(usize, String)>,
}

/// The wanted records of some archives, as an index names them. They are sorted by the archives' names and by their
/// offsets, without repetition.
#[derive(Clone, Debug)]
pub struct RecordSelection {
    /// The index as messages name it: its path, or its URL without secrets.
    pub name: String,
    /// The file of the index, or the local copy of an index at a URL.
    pub index: PathBuf,
    /// The copy goes with the last selection that it was read for.
    _copy: Option<Arc<TempPath>>,
    /// The archives with wanted records.
    pub archives: Vec<Location>,
    /// Location of the bytes of each archive.
    bytes: Vec<ArchiveBytes>,
    /// The wanted records.
    pub rows: Vec<WantedRecord>,
    /// Lines of the index that name no record, or one that may not be read.
    pub bad_lines: BadLines,
    /// The options with which the index was loaded.
    pub options: SelectOptions,
}

/// Sorts the rows of an archive; of those with the same place the longest stays, and ends where the next begins.
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
    /// joined to `base`. Lines that name no record, or one that may not be read, are left out and counted in
    /// [`RecordSelection::bad_lines`]. Ranges that overlap end where the next begins, so that no byte is read twice; of
    /// ranges with the same start the longest counts.
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
    /// The errors of [`RecordSelection::load`], which name the URL.
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

    /// Returns the name in messages of the archive that holds a wanted record.
    pub fn archive(&self, row: &WantedRecord) -> Arc<str> {
        self.archives.get(row.archive as usize).map_or_else(String::new, ToString::to_string).into()
    }

    /// Sets the places of archives that are not found by their names, as those in WACZ files. `find` is called for each
    /// archive.
    pub fn locate(&mut self, mut find: impl FnMut(&Location) -> Option<ArchiveBytes>) {
        for (archive, bytes) in self.archives.iter().zip(&mut self.bytes) {
            if let Some(found) = find(archive) {
                *bytes = found;
            }
        }
    }

    /// Returns the number of stored bytes of all wanted records.
    pub fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.length).fold(0, u64::saturating_add)
    }
}
