//! Reads the records that an index names, pages in files as records, and records for a program that wants no documents.

use std::io::{self, Cursor};

use trommel_archive::{ArchiveError, ReadOptions, Reader, Record, ResumePoint, dictionary_length, needs_dictionary};
use trommel_sources::{FoundRecord, NetworkOptions, RecordSelection, Remote, StatedRecord, StoredRecord};

use crate::run::inputs::Input;
use crate::run::inputs::found::{PageFiles, page_record};
use crate::run::read::reader::{Disconnected, RecordFeed};
use crate::run::work::{record::page_url, task::Step};

impl RecordFeed<'_> {
    /// Sends the records of a selection from `point` on; returns the stored bytes read. A record that cannot be read
    /// counts as damage of its place, and the others are read all the same.
    pub(crate) fn read_selection(
        &mut self,
        point: Option<ResumePoint>,
        selection: &RecordSelection,
    ) -> Result<u64, Disconnected> {
        let from = point.map_or(0, |point| usize::try_from(point.items()).unwrap_or(usize::MAX));
        let done = selection.rows().iter().take(from).map(|row| row.length);
        let mut bytes = done.fold(0, u64::saturating_add);
        // A run that is continued has written the beginning of its output.
        let mut begun = point.is_some();
        if point.is_none() {
            self.send_bad_lines(selection)?;
        }
        let found = selection.read(from, self.reading.plan.remote);
        let wanted = selection.rows().iter().skip(from);
        let mut dictionary = None;
        for ((row, found), wanted) in (from as u64..).zip(found).zip(wanted) {
            bytes = bytes.saturating_add(wanted.length);
            self.advance(bytes);
            let after = ResumePoint::after(row + 1);
            match found {
                FoundRecord::Missing { archive, offset, length, error } => {
                    let step = lost_bytes(offset, length, format!("{archive}: {error}"));
                    self.send(0, begun.then_some(after), step)?;
                }
                FoundRecord::Stored(stored) => {
                    let range =
                        Range { whole: selection.gives_whole_ranges(), stated: selection.stated(wanted), after };
                    let dictionary = self.dictionary_of(selection, &stored, &mut dictionary);
                    self.send_stored(&mut begun, range, (stored, dictionary))?;
                }
            }
        }
        Ok(bytes)
    }

    /// The dictionary at the start of its archive that a record is compressed with, else nothing; `known` is that of the
    /// archive read last. A record whose dictionary cannot be read counts as damage later.
    fn dictionary_of<'a>(
        &self,
        selection: &RecordSelection,
        stored: &StoredRecord,
        known: &'a mut Option<Dictionary>,
    ) -> &'a [u8] {
        if !needs_dictionary(&stored.bytes) {
            return &[];
        }
        if known.as_ref().is_none_or(|known| known.archive != stored.number) {
            let remote = self.reading.plan.remote;
            let read = |range| selection.read_range(stored.number, range, remote).unwrap_or_default();
            let bytes = dictionary_length(&read(0..8)).map(|length| read(0..length)).unwrap_or_default();
            *known = Some(Dictionary { archive: stored.number, bytes });
        }
        known.as_ref().map_or(&[], |known| &known.bytes)
    }

    /// Tells the lines of an index that name no record: each costs itself only.
    fn send_bad_lines(&mut self, selection: &RecordSelection) -> Result<(), Disconnected> {
        let bad = selection.bad_lines();
        for (number, what) in &bad.first {
            self.send(0, None, lost_bytes(0, 0, format!("line {number}: {what}")))?;
        }
        let more = bad.count - bad.first.len();
        for _ in 0..more.min(1) {
            self.send(0, None, lost_bytes(0, 0, format!("{more} more lines that name no record")))?;
        }
        Ok(())
    }

    /// Sends the record of one row out of its stored bytes, or all of them. The first is compared with what the index
    /// states, and sent in any case.
    fn send_stored(
        &mut self,
        begun: &mut bool,
        range: Range<'_>,
        (stored, dictionary): (StoredRecord, &[u8]),
    ) -> Result<(), Disconnected> {
        let Range { whole, stated, after } = range;
        let mut stated = Some(stated);
        let options = self.reading.plan.options;
        let StoredRecord { archive, offset, inner, mut bytes, .. } = stored;
        // Damage is reported as the whole range if not even a reader can be made of it.
        let length = bytes.len() as u64;
        bytes.splice(0..0, dictionary.iter().copied());
        // Where the reader's first byte would be in the archive.
        let start = offset.saturating_sub(dictionary.len() as u64);
        let items: Vec<_> = match Reader::new(archive.clone(), Cursor::new(bytes), options) {
            Ok(reader) if whole => reader.collect(),
            Ok(reader) => record_of(reader, inner),
            Err(error) => vec![Err(error)],
        };
        let last = items.len().saturating_sub(1);
        for (at, item) in items.into_iter().enumerate() {
            // Only after the last is the row done.
            let after = (at == last).then_some(after);
            match item {
                Ok(mut record) => {
                    record.place.offset = record.place.offset.saturating_add(start);
                    if !*begun {
                        *begun = true;
                        let step = Step::Begin { info: None, date: record.date().map(str::to_owned) };
                        self.send(0, None, step)?;
                    }
                    if let Some(what) = stated.take().and_then(|stated| difference(stated, &record)) {
                        let what = format!("{archive}: offset {offset}: {what}");
                        self.send(0, None, Step::Mismatch { what })?;
                    }
                    self.send_record(record, None, after)?;
                }
                Err(ArchiveError::Damage { offset: at, lost: bytes, what, .. }) => {
                    let step = lost_bytes(start.saturating_add(at), bytes, format!("{archive}: {what}"));
                    self.send(0, after.filter(|_| *begun), step)?;
                }
                Err(error) => {
                    let step = lost_bytes(offset, length, error.to_string());
                    self.send(0, after.filter(|_| *begun), step)?;
                }
            }
        }
        Ok(())
    }
}

/// The way to read one row of a selection.
struct Range<'a> {
    /// True for all records in its bytes.
    whole: bool,
    /// The statements of the index about the first of them.
    stated: StatedRecord<'a>,
    /// The place where reading continues behind the last.
    after: ResumePoint,
}

/// The difference of a record from the statements of its index. A copy of a page is known by the URL of the page, too.
fn difference(stated: StatedRecord<'_>, record: &Record) -> Option<String> {
    let urls: Vec<&str> = record.url().into_iter().chain(page_url(record)).collect();
    stated.difference(&urls, record.payload_digest())
}

/// The record that begins at that byte of its member, or behind it, with the damage before its end.
fn record_of(reader: Reader, inner: u64) -> Vec<Result<Record, ArchiveError>> {
    let mut records = 0;
    let is_before = |item: &Result<Record, ArchiveError>| item.as_ref().is_ok_and(|record| record.place.inner < inner);
    let until_next = reader.filter(|item| !is_before(item)).take_while(|item| {
        records += usize::from(item.is_ok());
        records < 2
    });
    until_next.collect()
}

fn lost_bytes<T>(offset: u64, lost: u64, what: String) -> Step<T> {
    Step::Damage { offset, lost, what }
}

/// The Zstandard dictionary at the start of an archive; empty if there is none.
struct Dictionary {
    /// The number of the archive in its selection.
    archive: usize,
    bytes: Vec<u8>,
}

/// The records of an input, from the first on.
pub type Records = Box<dyn Iterator<Item = Result<Record, ArchiveError>>>;

/// Opens an input to read its records.
///
/// # Errors
/// In one line that names the input.
pub fn open_input(input: &Input, network: &NetworkOptions) -> crate::Result<Records> {
    opened(input, network).map_err(|message| crate::Error::new(crate::ErrorKind::Input, message))
}

fn opened(input: &Input, network: &NetworkOptions) -> Result<Records, String> {
    let options = ReadOptions::default();
    let name = input.name();
    let opened = match input {
        Input::File(path) => Reader::open(path, options),
        Input::Stdin => Reader::new(name, io::stdin(), options),
        Input::Url(_) | Input::Packed(_) => {
            let bytes = input.bytes().and_then(|bytes| bytes.ok_or_else(|| io::ErrorKind::NotFound.into()));
            let bytes = bytes.map_err(|error| format!("{name}: {error}"))?;
            let remote = Remote::new(network.clone());
            Reader::reopen_with(name, || bytes.open(&remote), &ResumePoint::default(), options)
        }
        Input::Pages(pages) => {
            let pages = pages.clone();
            let records = (0..pages.files().len()).filter_map(move |at| {
                let path = pages.files().get(at)?;
                let failed = |source| ArchiveError::Io { file: path.to_string_lossy().into(), offset: 0, source };
                Some(page_record(path, options.max_record).map_err(failed))
            });
            return Ok(Box::new(records));
        }
        Input::Selection(selection) => return Err(format!("{}: is an index, no archive", selection.name())),
        Input::Nothing { argument, reason } => return Err(format!("{argument}: {reason}")),
    };
    Ok(Box::new(opened.map_err(|error| error.to_string())?))
}

impl RecordFeed<'_> {
    /// Sends the pages from `point` on; gives the stored bytes read. A file that cannot be read counts as damage, and
    /// the others are read all the same.
    pub(crate) fn read_pages(&mut self, point: Option<ResumePoint>, pages: &PageFiles) -> Result<u64, Disconnected> {
        let from = point.map_or(0, |point| usize::try_from(point.items()).unwrap_or(usize::MAX));
        let most = self.reading.plan.options.max_record;
        // A run that is continued has written the beginning of its output.
        let mut begun = point.is_some();
        let mut bytes = 0u64;
        for (row, path) in (0u64..).zip(pages.files()).skip(from) {
            if self.reading.stop.is_set() {
                return Err(Disconnected);
            }
            let after = ResumePoint::after(row + 1);
            match page_record(path, most) {
                Ok(record) => {
                    if !begun {
                        begun = true;
                        self.send(0, None, Step::Begin { info: None, date: None })?;
                    }
                    bytes = bytes.saturating_add(record.place.length);
                    self.advance(bytes);
                    self.send_record(record, None, after)?;
                }
                Err(error) => {
                    let file = path.display().to_string();
                    // The line names the input already.
                    let what = if file == pages.name() { error.to_string() } else { format!("{file}: {error}") };
                    self.send(0, begun.then_some(after), Step::Damage { offset: 0, lost: 0, what })?;
                }
            }
        }
        Ok(bytes)
    }
}
