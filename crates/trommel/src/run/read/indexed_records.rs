//! Reads records that an index selects, pages in files, and records for programs that want no documents.

use std::io::Cursor;

use trommel_archive::{ArchiveError, ReadOptions, Reader, Record, ResumePoint, dictionary_length, needs_dictionary};
use trommel_record::{Disk, LocalDisk};
use trommel_sources::{NetworkOptions, RecordSelection, Remote, StatedRecord, WantedRecord};

use crate::run::inputs::Input;
use crate::run::inputs::listing::{PageFiles, page_item, page_record};
use crate::run::read::lane_reader::{self, Disconnected, RecordFeed};
use crate::run::work::{crawler_records::page_url, task::Step};

impl RecordFeed<'_, '_> {
    /// Reads the records that an index selects, from `point` on, sends them to the workers, and returns the number of
    /// stored bytes read. A record that cannot be read counts as damage, and the others are still read.
    pub(crate) fn read_selection(
        &mut self,
        point: Option<ResumePoint>,
        selection: &RecordSelection,
    ) -> Result<u64, Disconnected> {
        let from = point.map_or(0, |point| usize::try_from(point.items()).unwrap_or(usize::MAX));
        let done = selection.rows.iter().take(from).map(|row| row.length);
        let mut bytes = done.fold(0, u64::saturating_add);
        if point.is_none() {
            self.send_bad_lines(selection)?;
        }
        let found = selection.read(from, self.common.plan.remote);
        let wanted = selection.rows.iter().skip(from);
        let mut dictionary = None;
        for ((row, found), wanted) in (from as u64..).zip(found).zip(wanted) {
            bytes = bytes.saturating_add(wanted.length);
            self.advance(bytes);
            let after = ResumePoint::after(row + 1);
            match found {
                Err(error) => {
                    let what = format!("{}: {error}", selection.archive(wanted));
                    self.send_damage(Some(after), wanted.offset, wanted.length, what)?;
                }
                Ok(stored) => {
                    let dictionary = self.dictionary_of(selection, (wanted, &stored), &mut dictionary);
                    self.send_stored(selection, (wanted, after), (stored, dictionary))?;
                }
            }
        }
        Ok(bytes)
    }

    /// Returns the zstd dictionary at the start of a record's archive; empty if the record needs none. `known` keeps
    /// the dictionary of the archive read last. An unreadable dictionary makes its record count as damage later.
    fn dictionary_of<'a>(
        &self,
        selection: &RecordSelection,
        (row, stored): (&WantedRecord, &[u8]),
        known: &'a mut Option<(u32, Vec<u8>)>,
    ) -> &'a [u8] {
        if !needs_dictionary(stored) {
            return &[];
        }
        if known.as_ref().is_none_or(|(archive, _)| *archive != row.archive) {
            let remote = self.common.plan.remote;
            let read = |range| selection.read_range(row.archive, range, remote).unwrap_or_default();
            let bytes = dictionary_length(&read(0..8)).map(|length| read(0..length)).unwrap_or_default();
            *known = Some((row.archive, bytes));
        }
        known.as_ref().map_or(&[], |(_, bytes)| bytes)
    }

    /// Reports lines of an index that name no record as damage: the first lines one by one, all others in one report.
    fn send_bad_lines(&mut self, selection: &RecordSelection) -> Result<(), Disconnected> {
        let bad = &selection.bad_lines;
        for (number, what) in &bad.first {
            self.send_damage(None, 0, 0, format!("line {number}: {what}"))?;
        }
        match bad.count - bad.first.len() {
            0 => Ok(()),
            more => self.send_damage(None, 0, 0, format!("{more} more lines that name no record")),
        }
    }

    /// Sends the record of one index row to the workers, or all records in the row's stored bytes. The first is
    /// compared with the facts in the index, and sent in any case. After the last, reading continues at `after`.
    fn send_stored(
        &mut self,
        selection: &RecordSelection,
        (row, after): (&WantedRecord, ResumePoint),
        (mut bytes, dictionary): (Vec<u8>, &[u8]),
    ) -> Result<(), Disconnected> {
        let (archive, offset) = (selection.archive(row), row.offset);
        let mut stated = row.stated.as_deref();
        // Damage is reported as the whole range if not even a reader can be made of it.
        let length = bytes.len() as u64;
        bytes.splice(0..0, dictionary.iter().copied());
        // Where the reader's first byte would be in the archive.
        let start = offset.saturating_sub(dictionary.len() as u64);
        let items: Vec<_> = match Reader::new(archive.clone(), Cursor::new(bytes), self.common.plan.options) {
            Ok(reader) if selection.options.whole_ranges => reader.collect(),
            Ok(reader) => record_of(reader, row.inner),
            Err(error) => vec![Err(error)],
        };
        let last = items.len().saturating_sub(1);
        for (at, item) in items.into_iter().enumerate() {
            // Only after the last is the row done.
            let after = (at == last).then_some(after);
            match item {
                Ok(mut record) => {
                    record.place.offset = record.place.offset.saturating_add(start);
                    self.begin(None, record.date())?;
                    if let Some(what) = stated.take().and_then(|stated| difference(stated, &record)) {
                        let what = format!("{archive}: offset {offset}: {what}");
                        self.send(0, None, Step::Mismatch { what })?;
                    }
                    self.send_record(record, None, after)?;
                }
                Err(ArchiveError::Damage { offset: at, lost, what, .. }) => {
                    self.send_damage(after, start.saturating_add(at), lost, format!("{archive}: {what}"))?;
                }
                Err(error) => self.send_damage(after, offset, length, error.to_string())?,
            }
        }
        Ok(())
    }
}

/// Describes how a record differs from its index; none if equal. A crawler's copy may have the URL of the copied page.
fn difference(stated: &StatedRecord, record: &Record) -> Option<String> {
    let urls: Vec<&str> = record.url().into_iter().chain(page_url(record)).collect();
    stated.difference(&urls, record.payload_digest())
}

/// Returns the first record at or after byte `inner` of a decompressed member, with the damage before and after it.
fn record_of(reader: Reader, inner: u64) -> Vec<Result<Record, ArchiveError>> {
    let mut records = 0;
    let is_before = |item: &Result<Record, ArchiveError>| item.as_ref().is_ok_and(|record| record.place.inner < inner);
    let until_next = reader.filter(|item| !is_before(item)).take_while(|item| {
        records += usize::from(item.is_ok());
        records < 2
    });
    until_next.collect()
}

/// Iterator over the records of an input, from the first on.
pub type Records = Box<dyn Iterator<Item = Result<Record, ArchiveError>>>;

/// Opens an input, and returns an iterator over its records.
///
/// # Errors
/// Fails if the input cannot be opened; the error is one line that names the input.
pub fn open_input(input: &Input, network: &NetworkOptions) -> crate::Result<Records> {
    let failed = |message: String| crate::Error::new(crate::ErrorKind::Input, message);
    let options = ReadOptions::default();
    match input {
        Input::Pages(pages) => {
            let pages = pages.clone();
            let item = move |at: usize| pages.files.get(at).map(|path| page_item(path, options.max_record));
            Ok(Box::new((0..).map_while(item)))
        }
        Input::Selection(selection) => Err(failed(format!("{}: is an index, no archive", selection.name))),
        Input::Nothing { argument, reason } => Err(failed(format!("{argument}: {reason}"))),
        _ => {
            let from = (&LocalDisk as &dyn Disk, &Remote::new(network.clone()), &network.stop);
            let reader = lane_reader::opened(input, None, from, options);
            Ok(Box::new(reader.map_err(|error| failed(error.to_string()))?))
        }
    }
}

impl RecordFeed<'_, '_> {
    /// Reads pages in files from `point` on, sends them to the workers, and returns the number of stored bytes read. A
    /// file that cannot be read counts as damage, and the others are still read.
    pub(crate) fn read_pages(&mut self, point: Option<ResumePoint>, pages: &PageFiles) -> Result<u64, Disconnected> {
        let from = point.map_or(0, |point| usize::try_from(point.items()).unwrap_or(usize::MAX));
        let most = self.common.plan.options.max_record;
        let mut bytes = 0u64;
        for (row, path) in (0u64..).zip(&pages.files).skip(from) {
            if self.common.stop.is_set() {
                return Err(Disconnected);
            }
            let after = ResumePoint::after(row + 1);
            match page_record(path, most) {
                Ok(record) => {
                    self.begin(None, None)?;
                    bytes = bytes.saturating_add(record.place.length);
                    self.advance(bytes);
                    self.send_record(record, None, after)?;
                }
                Err(error) => {
                    let file = path.display().to_string();
                    // The line names the input already.
                    let what = if file == pages.name { error.to_string() } else { format!("{file}: {error}") };
                    self.send_damage(Some(after), 0, 0, what)?;
                }
            }
        }
        Ok(bytes)
    }
}
