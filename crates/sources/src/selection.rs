//! Reads the records that an index names, without the rest of their archives.

use std::{
    cmp::Reverse,
    collections::HashMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempPath;

use crate::{Base, Location, RecordIndexError, RowCondition, SourceError, index, redacted};

/// Unwanted bytes between two records that are read along rather than asked for separately.
const GAP: u64 = 64 << 10;
/// Bytes of several records that are read at once.
const MAX_JOINED_BYTES: u64 = 4 << 20;
/// Stored bytes of one record, at the most.
const MAX_RANGE: u64 = 1 << 30;
/// The number of bad lines that are reported one by one.
const NAMED_LINES: usize = 100;

/// One wanted record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedRecord {
    /// The number of the archive.
    file: u32,
    /// First stored byte.
    pub offset: u64,
    /// First plain byte of the record in a gzip member that holds several.
    pub inner: u64,
    /// Stored bytes.
    pub length: u64,
}

/// The permitted names of an index, and the records that a range gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectOptions {
    /// Names may leave the base: `..`, absolute paths, other hosts, buckets and repositories with the keys of the
    /// environment.
    pub anywhere: bool,
    /// A range gives all the records in it, not only the first.
    pub whole_ranges: bool,
    /// Only rows that meet it count.
    pub condition: Option<RowCondition>,
}

/// Lines of an index that name no record that may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadLines {
    /// The number of records.
    pub count: usize,
    /// The first of them: number of the line, and what is wrong.
    pub first: Vec<(usize, String)>,
}

impl BadLines {
    fn push(&mut self, number: usize, what: String) {
        self.count += 1;
        if self.first.len() < NAMED_LINES {
            self.first.push((number, what));
        }
    }
}

/// A copy of an index behind a URL. The file goes with the last selection that it was read for.
#[derive(Debug)]
struct IndexCopy {
    file: TempPath,
    /// The URL, without secrets.
    url: String,
}

impl PartialEq for IndexCopy {
    fn eq(&self, other: &Self) -> bool {
        self.url == other.url && *self.file == *other.file
    }
}

impl Eq for IndexCopy {}

/// Wanted records of some archives, in the order of the archives' names and of their offsets, none
/// twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSelection {
    index: PathBuf,
    copy: Option<Arc<IndexCopy>>,
    archives: Vec<Location>,
    rows: Vec<WantedRecord>,
    bad_lines: BadLines,
    options: SelectOptions,
}

/// The stored bytes of one wanted record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The archive.
    pub archive: Arc<str>,
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
        /// Why.
        error: SourceError,
    },
}

/// Rows of one archive that are read at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadBatch {
    pub(crate) archive: usize,
    pub(crate) bytes: Range<u64>,
    pub(crate) rows: Range<usize>,
}

impl RecordSelection {
    /// Reads an index: CDXJ (gzip or plain), JSON lines, or Parquet with Common Crawl's columns. Names
    /// of archives are joined to `base`. A line that names no record, or one that may not be read, is left
    /// out and told by [`RecordSelection::bad_lines`]. Ranges that overlap end where the next begins, so that no
    /// byte is read twice; of ranges with the same start the longest counts.
    ///
    /// # Errors
    /// If it cannot be read, or names no record that may be read.
    pub fn load(index: &Path, base: &Base, options: SelectOptions) -> Result<Self, RecordIndexError> {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut rows = Vec::new();
        let mut bad_lines = BadLines::default();
        index::read(index, options.condition.as_ref(), &mut |line| {
            let entry = match line.entry {
                Ok(entry) => entry,
                Err(what) => return bad_lines.push(line.number, what),
            };
            if !options.anywhere && base.join_below(&entry.file).is_none() {
                let name = redacted(&entry.file);
                let what = format!("{}: not below {base}", name.escape_debug());
                return bad_lines.push(line.number, what);
            }
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            rows.push(WantedRecord {
                file: *numbers.entry(entry.file).or_insert(next),
                offset: entry.offset,
                inner: entry.inner,
                length: entry.length,
            });
        })?;
        if rows.is_empty() {
            let path = index.to_owned();
            return Err(match bad_lines.first.into_iter().next() {
                Some((line, what)) => RecordIndexError::Row { path, line, what },
                None => RecordIndexError::Empty { path },
            });
        }
        let mut names: Vec<(String, u32)> = numbers.into_iter().collect();
        names.sort_unstable();
        let mut places = vec![0; names.len()];
        for (place, (_, number)) in (0..).zip(&names) {
            if let Some(slot) = places.get_mut(*number as usize) {
                *slot = place;
            }
        }
        for row in &mut rows {
            row.file = places.get(row.file as usize).copied().unwrap_or_default();
        }
        // A range that is taken whole gives all of its records at once.
        let inner = |row: &WantedRecord| if options.whole_ranges { 0 } else { row.inner };
        rows.sort_unstable_by_key(|row| (row.file, row.offset, inner(row), Reverse(row.length)));
        rows.dedup_by_key(|row| (row.file, row.offset, inner(row)));
        let (mut after, mut end): (Option<WantedRecord>, Option<u64>) = (None, None);
        for row in rows.iter_mut().rev() {
            end = match after {
                // Another record of the same member ends where that one does.
                Some(after) if (after.file, after.offset) == (row.file, row.offset) => end,
                Some(after) if after.file == row.file => Some(after.offset),
                _ => None,
            };
            if let Some(end) = end {
                row.length = row.length.min(end - row.offset);
            }
            after = Some(*row);
        }
        Ok(Self {
            index: index.to_owned(),
            copy: None,
            archives: names.iter().map(|(name, _)| base.join(name)).collect(),
            rows,
            bad_lines,
            options,
        })
    }

    /// As [`RecordSelection::load`], of a copy of an index behind a URL, which is shown as `url`.
    ///
    /// # Errors
    /// As [`RecordSelection::load`], naming the URL.
    pub fn load_copy(
        file: TempPath,
        url: String,
        base: &Base,
        options: SelectOptions,
    ) -> Result<Self, RecordIndexError> {
        let selection = Self::load(&file, base, options).map_err(|error| error.at(Path::new(&url)))?;
        Ok(Self { copy: Some(Arc::new(IndexCopy { file, url })), ..selection })
    }

    /// The index as messages name it: its path, or its URL without secrets.
    pub fn name(&self) -> String {
        match &self.copy {
            Some(copy) => copy.url.clone(),
            None => self.index.to_string_lossy().into_owned(),
        }
    }

    /// Lines that name no record, or one that may not be read.
    pub fn bad_lines(&self) -> &BadLines {
        &self.bad_lines
    }

    /// Whether a range gives all the records in it.
    pub fn gives_whole_ranges(&self) -> bool {
        self.options.whole_ranges
    }

    /// The file that it was read from: the index, or a copy of it.
    pub fn index(&self) -> &Path {
        &self.index
    }

    /// The archives.
    pub fn archives(&self) -> &[Location] {
        &self.archives
    }

    /// The wanted records.
    pub fn rows(&self) -> &[WantedRecord] {
        &self.rows
    }

    /// Whether any of the archives is behind a URL.
    pub fn is_remote(&self) -> bool {
        let mut archives = self.archives.iter();
        archives.any(|archive| matches!(archive, Location::Url(_)))
    }

    /// Stored bytes of all wanted records.
    pub fn bytes(&self) -> u64 {
        let lengths = self.rows.iter().map(|row| row.length);
        lengths.fold(0, u64::saturating_add)
    }

    /// Rows from the row `from` on, grouped as they are read.
    pub(crate) fn segments(&self, from: usize) -> Vec<ReadBatch> {
        let mut segments: Vec<ReadBatch> = Vec::new();
        for (at, row) in self.rows.iter().enumerate().skip(from) {
            let end = row.offset.saturating_add(row.length);
            if let Some(last) = segments.last_mut()
                && last.archive == row.file as usize
                && row.offset <= last.bytes.end.saturating_add(GAP)
                && end.saturating_sub(last.bytes.start) <= MAX_JOINED_BYTES
            {
                last.bytes.end = last.bytes.end.max(end);
                last.rows.end = at + 1;
            } else {
                segments.push(ReadBatch { archive: row.file as usize, bytes: row.offset..end, rows: at..at + 1 });
            }
        }
        segments
    }

    /// The wanted records in their order, from the row `from` on. `fetch` is asked for the bytes of
    /// objects, in the order of the segments it was made for.
    pub fn read<'a>(
        &'a self,
        from: usize,
        #[cfg(feature = "remote")] remote: Option<&crate::Remote>,
    ) -> impl Iterator<Item = FoundRecord> + use<'a> {
        let segments = self.segments(from);
        #[cfg(feature = "remote")]
        let mut fetched = remote.map(|remote| remote.fetch(self.wanted(&segments)));
        let mut open: Option<(usize, Result<File, SourceError>)> = None;
        segments.into_iter().flat_map(move |segment| {
            let location = self.archives.get(segment.archive);
            let too_long = segment.bytes.end - segment.bytes.start > MAX_RANGE;
            let bytes = match location {
                _ if too_long => Err(SourceError::Failed("the record is too long".to_owned())),
                Some(Location::File(path)) => {
                    if open.as_ref().is_none_or(|(number, _)| *number != segment.archive) {
                        let file = File::open(path);
                        let file = file.map_err(|error| SourceError::File(error.to_string()));
                        open = Some((segment.archive, file));
                    }
                    match &mut open {
                        Some((_, Ok(file))) => read_range(file, &segment.bytes),
                        Some((_, Err(error))) => Err(error.clone()),
                        None => Err(SourceError::NotFound),
                    }
                }
                #[cfg(feature = "remote")]
                Some(Location::Url(_)) => {
                    fetched.as_mut().and_then(Iterator::next).unwrap_or(Err(SourceError::NotBuilt))
                }
                #[cfg(not(feature = "remote"))]
                Some(Location::Url(_)) => Err(SourceError::NotBuilt),
                None => Err(SourceError::NotFound),
            };
            self.cut(&segment, &bytes)
        })
    }

    /// The ranges of objects among segments.
    #[cfg(feature = "remote")]
    fn wanted(&self, segments: &[ReadBatch]) -> Vec<(String, Range<u64>)> {
        let wanted = segments.iter().filter_map(|segment| {
            let length = segment.bytes.end - segment.bytes.start;
            match self.archives.get(segment.archive) {
                Some(Location::Url(url)) if length <= MAX_RANGE => Some((url.clone(), segment.bytes.clone())),
                _ => None,
            }
        });
        wanted.collect()
    }

    /// The rows of a segment out of its bytes. Bytes that end early are those of the last record in an
    /// archive whose index counts too many; what there is of it may be whole.
    fn cut(&self, segment: &ReadBatch, bytes: &Result<Vec<u8>, SourceError>) -> Vec<FoundRecord> {
        let archive: Arc<str> = self.archives.get(segment.archive).map_or_else(String::new, ToString::to_string).into();
        let rows = self.rows.get(segment.rows.clone()).unwrap_or_default();
        let found = rows.iter().map(|row| {
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

/// Bytes of a file; fewer than asked for if it ends before.
fn read_range(file: &mut File, range: &Range<u64>) -> Result<Vec<u8>, SourceError> {
    let failed = |error: std::io::Error| SourceError::File(error.to_string());
    file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
    let mut bytes = Vec::new();
    let length = range.end - range.start;
    file.take(length).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn selection(folder: &Path, rows: &[(&str, u64, u64)]) -> RecordSelection {
        let lines: String = rows
            .iter()
            .map(|(file, offset, length)| {
                format!("x 1 {{\"filename\":\"{file}\",\"offset\":{offset},\"length\":{length}}}\n")
            })
            .collect();
        let index = folder.join("i.cdxj");
        fs::write(&index, lines).unwrap();
        let options = SelectOptions::default();
        RecordSelection::load(&index, &Base::beside(&index), options).unwrap()
    }

    fn read(selection: &RecordSelection, from: usize) -> Vec<FoundRecord> {
        selection
            .read(
                from,
                #[cfg(feature = "remote")]
                None,
            )
            .collect()
    }

    fn bytes(found: &[FoundRecord]) -> Vec<String> {
        found
            .iter()
            .map(|found| match found {
                FoundRecord::Stored(stored) => String::from_utf8_lossy(&stored.bytes).into_owned(),
                FoundRecord::Missing { error, .. } => error.to_string(),
            })
            .collect()
    }

    #[test]
    fn records_come_in_the_order_of_their_places() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "0123456789").unwrap();
        fs::write(folder.path().join("b"), "abcdefghij").unwrap();
        let selection = selection(
            folder.path(),
            &[
                ("b", 7, 3),
                ("a", 2, 2),
                ("gone", 0, 5),
                ("a", 0, 1),
                ("b", 0, 2),
                ("a", 2, 2),
                ("b", 9, 5),
                ("b", 20, 5),
            ],
        );
        // The range of three bytes at 7 ends where the next begins.
        assert_eq!((selection.rows().len(), selection.bytes()), (7, 22));
        assert_eq!(selection.segments(0).len(), 3);
        let found = read(&selection, 0);
        let FoundRecord::Missing { archive, .. } = &found[6] else {
            panic!("{found:?}");
        };
        assert!(archive.ends_with("gone"));
        let texts = bytes(&found);
        assert_eq!(texts[..6], ["0", "23", "ab", "hi", "j", "the archive ends before the record"]);
        assert!(texts[6].contains("No such file"), "{texts:?}");
        assert_eq!(bytes(&read(&selection, 3))[..2], ["hi", "j"]);
    }

    #[test]
    fn neighbours_are_read_together() {
        let folder = tempfile::tempdir().unwrap();
        let selection = selection(
            folder.path(),
            &[
                ("a", 0, 100),
                ("a", 100 + GAP, 100),
                ("a", 300 + 2 * GAP, 100),
                ("a", 400 + 2 * GAP, MAX_JOINED_BYTES),
                ("a", u64::MAX, u64::MAX),
            ],
        );
        let groups: Vec<_> = selection.segments(0).into_iter().map(|segment| segment.rows).collect();
        assert_eq!(groups, [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(selection.segments(1)[0].bytes.start, 100 + GAP);
    }

    #[test]
    fn records_of_one_member_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "0123456789").unwrap();
        let line = |offset, length, inner: &str| {
            format!("x 1 {{\"filename\":\"a\",\"offset\":{offset},\"length\":{length}{inner}}}\n")
        };
        let inner = |inner: u32| format!(",\"inner\":\"{inner}\"");
        let lines = [line(2, 5, &inner(7)), line(2, 5, &inner(7)), line(2, 5, ""), line(6, 2, ""), line(0, 9, "")];
        let index = folder.path().join("i.cdxj");
        fs::write(&index, lines.concat() + &line(1, 1, ",\"inner\":\"x\"")).unwrap();
        let load = |whole_ranges| {
            let options = SelectOptions { whole_ranges, ..SelectOptions::default() };
            RecordSelection::load(&index, &Base::beside(&index), options).unwrap()
        };
        let found = load(false);
        assert_eq!(bytes(&read(&found, 0)), ["01", "2345", "2345", "67"]);
        assert_eq!(found.rows().iter().map(|row| row.inner).collect::<Vec<_>>(), [0, 0, 7, 0]);
        assert_eq!(found.bad_lines().first, [(6, "inner is no number".to_owned())]);
        assert_eq!(bytes(&read(&load(true), 0)), ["01", "2345", "67"]);
    }

    #[test]
    fn an_index_without_rows_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("i");
        fs::write(&index, "!meta\n\n").unwrap();
        let error = RecordSelection::load(&index, &Base::beside(&index), SelectOptions::default()).unwrap_err();
        assert!(error.to_string().ends_with("i: names no record, or none that is wanted"), "{error}");
    }

    #[test]
    fn rows_that_do_not_meet_the_condition_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("i");
        let line = |offset: u32, status: &str| {
            format!("x 1 {{\"filename\":\"a\",\"offset\":{offset},\"length\":1,\"status\":\"{status}\"}}\n")
        };
        fs::write(&index, format!("{}{}{}x 1 {{}}\n", line(3, "200"), line(5, "404"), line(7, "200"))).unwrap();
        let load = |condition: &str| {
            let options = SelectOptions { condition: Some(condition.parse().unwrap()), ..SelectOptions::default() };
            RecordSelection::load(&index, &Base::beside(&index), options)
        };
        let found = load("status = 200 and offset > 3").unwrap();
        assert_eq!(found.rows().iter().map(|row| row.offset).collect::<Vec<_>>(), [7]);
        // A line that names no record is told whatever is wanted.
        assert_eq!(found.bad_lines().count, 1);
        assert!(load("gone = 1").is_err());
    }
}
