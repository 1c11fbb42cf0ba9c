//! The tasks that pass from the reader through the workers to the writer, within bounds, and copies of records.
//!
//! Copies are for other tools. Failed records become WARC records that can be run again, dropped ones a line of
//! JSON (`--dropped`). A copied record has a line in an index. Records have ids.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, io::Write as _, path::Path};

use serde::Serialize;
use serde_json::json;
use trommel_archive::write::{gzip_member, write_record};
use trommel_archive::{Record, ResumePoint};
use trommel_record::{Document, RecordSource, filters::Fingerprint, record_id, source};

use crate::run::counts::reasons::{DropReason, FailureKind};
use crate::run::{counts::summary::PageTime, inputs::found::Identity};

/// One step of a run with its number in the order of the inputs.
#[derive(Debug)]
pub(crate) struct Task {
    /// The lane that it belongs to.
    pub(crate) lane: usize,
    /// Place in the order of the lane, from 0 without gaps.
    // Without gaps, because the writer waits for each number in turn.
    pub(crate) number: u64,
    /// Bytes it holds, for the [`Gate`](crate::run::gate::Gate).
    pub(crate) bytes: u64,
    /// The place where reading continues after this step, if nothing of the input is left out before.
    // With each step and not with each file, so that a state can be saved after any of them.
    pub(crate) point: Option<ResumePoint>,
    /// The step.
    pub(crate) step: Step,
}

/// The steps of an input, in order: it is opened, begins with its first record, and always ends.
#[derive(Debug)]
pub(crate) enum Step {
    /// An input has been opened.
    Open(Opened),
    /// The first record of an input is about to come.
    Begin {
        /// Block of the record if it is a warcinfo.
        // WET files repeat the archive's own description at their head.
        info: Option<Vec<u8>>,
        /// Date of the record.
        date: Option<String>,
    },
    /// A record, before the workers.
    Record(CapturedRecord),
    /// A record, after them.
    Result(WorkerResult),
    /// Damage that was passed.
    Damage {
        /// Stored offset where it begins.
        offset: u64,
        /// Bytes lost.
        lost: u64,
        /// The kind of damage.
        what: String,
    },
    /// A record that is another than its index states; it follows.
    Mismatch {
        /// The archive, the place and the difference, in one line.
        what: String,
    },
    /// The end of the input.
    End(ArchiveEnd),
    /// The end of all inputs.
    Over,
}

/// An input that has been opened.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// Its number among those that the run began.
    pub(crate) number: u64,
    /// The input as it is now.
    pub(crate) identity: Identity,
    /// The name of its outputs.
    pub(crate) stem: String,
}

/// The end of an input.
#[derive(Debug, Default)]
pub(crate) struct ArchiveEnd {
    /// Stored bytes read.
    pub(crate) bytes: u64,
    /// Reason why it could not be read, or not to its end.
    pub(crate) error: Option<String>,
    /// True if the system could not read on in the middle of it.
    pub(crate) broken: bool,
    /// The place where reading continues if it grows.
    pub(crate) point: Option<ResumePoint>,
    /// The piece of the archive that begins where this one ends, if it is one and not the last.
    pub(crate) next: Option<usize>,
}

impl ArchiveEnd {
    /// The end of an input, all of which was read.
    pub(crate) fn at(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// The end of an input that cannot be read, or not on.
    pub(crate) fn failed(error: String, broken: bool) -> Self {
        Self { error: Some(error), broken, ..Self::default() }
    }
}

/// A record as it was read.
#[derive(Debug)]
pub(crate) struct CapturedRecord {
    /// The record.
    pub(crate) record: Record,
    /// The encoding that the crawl's metadata record gives for it.
    pub(crate) charset: Option<String>,
    /// Its title in the lists of its WACZ file.
    pub(crate) title: Option<String>,
    /// True if the page is not in them, and only listed pages are wanted.
    pub(crate) is_left_out: bool,
}

/// The result of a worker for a record.
#[derive(Debug)]
pub(crate) struct WorkerResult {
    /// Bytes of the page handed to the extractor, and the time that it took; none if the record is no page.
    pub(crate) page: Option<(u64, PageTime)>,
    /// WARC-Truncated of a page.
    pub(crate) truncated: Option<String>,
    /// Budgets and caps that the page passed.
    pub(crate) capped: Vec<String>,
    /// Its files beside the outputs: the numbers of the files, and bytes for each.
    pub(crate) sides: Vec<(usize, Vec<u8>)>,
    /// The verdict about the record.
    pub(crate) verdict: RecordVerdict,
    /// Names the record should it be dropped, if dropped records are listed.
    pub(crate) label: Option<Box<RecordLabel>>,
}

impl WorkerResult {
    /// The result of a record that is not a page, or not known to be one.
    pub(crate) fn without_page(verdict: RecordVerdict) -> Self {
        Self { page: None, truncated: None, capped: Vec::new(), sides: Vec::new(), verdict, label: None }
    }
}

/// A document in each form that is asked for.
#[derive(Debug)]
pub(crate) struct DocumentForms {
    /// Its bytes in each output format; none where the format has no place for it.
    pub(crate) encoded: Vec<Option<Vec<u8>>>,
    /// The document for the caller of a stream.
    pub(crate) item: Option<Box<Document>>,
    /// Bytes of its text.
    pub(crate) text: u64,
    /// Its confidence.
    pub(crate) confidence: f32,
    /// The fingerprint for comparing it with others.
    pub(crate) fingerprint: Fingerprint,
}

impl DocumentForms {
    /// A document with its bytes in each format, and itself if it `is_taken` by a caller.
    pub(crate) fn of(
        document: Document,
        fingerprint: Fingerprint,
        encoded: Vec<Option<Vec<u8>>>,
        is_taken: bool,
    ) -> Box<Self> {
        let (text, confidence) = (document.text.len() as u64, document.confidence);
        Box::new(Self { encoded, item: is_taken.then(|| Box::new(document)), text, confidence, fingerprint })
    }
}

/// The outcome of one record.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordOutcome<D = Box<Document>> {
    /// A document.
    Document(D),
    /// No document, for a reason that is not a fault.
    Dropped(DropReason),
    /// No document, by a fault.
    Failed {
        /// Kind of fault.
        kind: FailureKind,
        /// One line that names the file, the offset, the record and the fault.
        message: String,
    },
}

/// The outcome of a record as a worker gives it.
pub(crate) type RecordVerdict = RecordOutcome<Box<DocumentForms>>;

/// Lets tasks in while both their number and their bytes are within bounds. A task larger than all
/// the bytes goes in alone.
#[derive(Debug)]
pub(crate) struct Gate {
    tasks: usize,
    bytes: u64,
    inside: Mutex<Occupancy>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Occupancy {
    tasks: usize,
    bytes: u64,
    closed: bool,
}

impl Gate {
    /// Creates a gate for a maximum number of tasks and bytes.
    pub(crate) fn new(tasks: usize, bytes: u64) -> Self {
        Self { tasks, bytes, inside: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Occupancy> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a task of `bytes`. False if the gate has been closed.
    pub(crate) fn enter(&self, bytes: u64) -> bool {
        let mut inside = self.lock();
        loop {
            if inside.closed {
                return false;
            }
            let fits = inside.tasks < self.tasks && inside.bytes.saturating_add(bytes) <= self.bytes;
            // Alone even if it is too large: it would otherwise wait forever.
            if fits || inside.tasks == 0 {
                inside.tasks += 1;
                inside.bytes = inside.bytes.saturating_add(bytes);
                return true;
            }
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits as in [`enter`](Self::enter) and leaves when the result is dropped.
    pub(crate) fn hold(&self, bytes: u64) -> GatePass<'_> {
        // A closed gate holds nothing: the run is ending, and nobody counts any more.
        let entered = self.enter(bytes);
        GatePass { gate: entered.then_some(self), bytes }
    }

    /// Releases the places of `tasks` finished tasks with `bytes` in total.
    pub(crate) fn leave(&self, tasks: usize, bytes: u64) {
        let mut inside = self.lock();
        inside.tasks = inside.tasks.saturating_sub(tasks);
        inside.bytes = inside.bytes.saturating_sub(bytes);
        // Who waits with many bytes may not fit where another does.
        self.changed.notify_all();
    }

    /// Tasks inside.
    pub(crate) fn inside(&self) -> usize {
        self.lock().tasks
    }

    /// Returns whether nothing is let in any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Lets nothing in any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// A place inside a gate.
#[derive(Debug)]
pub(crate) struct GatePass<'a> {
    gate: Option<&'a Gate>,
    bytes: u64,
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.gate {
            gate.leave(1, self.bytes);
        }
    }
}

/// The line about a record that is dropped.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RecordLabel {
    /// WARC-Record-ID, or the id derived from the place.
    id: String,
    url: Option<String>,
    date: Option<String>,
    /// Known once it is dropped.
    reason: &'static str,
    source: RecordSource,
}

impl RecordLabel {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            id: id(record),
            url: record.url().map(str::to_owned),
            date: record.date().map(str::to_owned),
            reason: "",
            source: source(&record.place),
        }
    }

    /// A line of JSON.
    pub(crate) fn line(&self, reason: DropReason) -> Vec<u8> {
        // Strings and numbers always have a form.
        let mut line = serde_json::to_vec(&Self { reason: reason.name(), ..self.clone() }).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// The id of a record. That of one that has none, as in ARC files, depends on the archive's name but not on
/// the folder it is in.
pub(crate) fn id(record: &Record) -> String {
    record.id().map_or_else(|| derived(record), str::to_owned)
}

fn derived(record: &Record) -> String {
    let place = &record.place;
    // The folder is left out: the same archive on another machine gives the same ids.
    let file = Path::new(&*place.file).file_name().unwrap_or_default();
    record_id(&[
        "source",
        &file.to_string_lossy(),
        &place.offset.to_string(),
        &place.inner.to_string(),
        record.url().unwrap_or_default(),
        // Of any form: it tells records apart.
        record.headers.get("WARC-Date").unwrap_or_default(),
    ])
}

/// The numbers of the files beside the outputs. The copies of records are behind them, each with its index.
pub(crate) const QUARANTINE: usize = 0;
pub(crate) const DROPPED: usize = 1;
pub(crate) const COPIES: usize = 2;

/// The copy of a record for the file of that number among those of copies, and its line in the index.
pub(crate) fn copied(file: usize, record: &Record, id: &str, media_type: &str) -> Vec<(usize, Vec<u8>)> {
    let number = COPIES + 2 * file;
    match record_member(record, id) {
        Ok(member) => vec![(number, member), (number + 1, line(record, media_type))],
        Err(_) => Vec::new(),
    }
}

/// The place of a record as a line of CDXJ. The sort key is the unchanged URL and the date.
fn line(record: &Record, media_type: &str) -> Vec<u8> {
    let digits = |date: &str| -> String {
        let digits = date.chars().filter(char::is_ascii_digit);
        digits.take(14).collect()
    };
    let date = record.date().map(digits).unwrap_or_default();
    let url = record.url().unwrap_or("-");
    let key: String = url.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let mut fields = json!({
        "url": url,
        "mime": media_type,
        "filename": &*record.place.file,
        "offset": record.place.offset.to_string(),
        "length": record.place.length.to_string(),
    });
    if record.place.inner > 0 {
        // Otherwise `--select` would take the first record of the gzip member.
        fields["inner"] = record.place.inner.to_string().into();
    }
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = writeln!(line, "{key} {date} {fields}");
    line
}

const VERSION: &str = "WARC/1.1";

/// A record that failed as a gzip member, and after it another with a metadata record about it: reason, place and
/// message. The same record and failure give the same bytes. `id` is its own, or the one derived from its place.
///
/// # Errors
/// None is known: fields that a WARC record can't have are mended before.
pub(crate) fn failed_members(
    captured: &CapturedRecord,
    id: &str,
    kind: FailureKind,
    message: &str,
) -> io::Result<Vec<u8>> {
    let record = &captured.record;
    let mut out = record_member(record, id)?;
    let (own, about) = (format!("<{}>", record_id(&["quarantine", id, kind.name()])), format!("<{id}>"));
    let field = |name| record.headers.get(name).unwrap_or_default();
    let mut fields = vec![
        ("WARC-Type", "metadata"),
        ("WARC-Record-ID", &own),
        // Archive tools find what is said about a record by this field.
        ("WARC-Concurrent-To", &about),
        ("WARC-Target-URI", field("WARC-Target-URI")),
        ("WARC-Date", field("WARC-Date")),
        ("Content-Type", "application/warc-fields"),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    let mut block = format!(
        "reason: {kind}\r\nfile: {}\r\noffset: {}\r\nlength: {}\r\ninner: {}\r\nmessage: {}\r\n",
        one_line(&record.place.file),
        record.place.offset,
        record.place.length,
        record.place.inner,
        one_line(message),
    );
    for note in &record.notes {
        block.push_str(&format!("note: {}\r\n", one_line(&note.to_string())));
    }
    // Under the name that crawls use for it, so that a run over this file finds it again.
    if let Some(charset) = &captured.charset {
        block.push_str(&format!("charset-detected: {}\r\n", one_line(charset)));
    }
    out.extend(member(&fields, block.as_bytes())?);
    Ok(out)
}

/// The record as a gzip member: its fields as they are, its block byte for byte, and `id` if it has none.
pub(crate) fn record_member(record: &Record, id: &str) -> io::Result<Vec<u8>> {
    // The block may be shorter than stated; its length is written anew.
    let (length, own) = (record.block.len().to_string(), format!("<{id}>"));
    let is_kept = |name: &str| record.id().is_some() || !name.eq_ignore_ascii_case("WARC-Record-ID");
    let fields = record.headers.iter().filter(|(name, _)| !name.is_empty() && is_kept(name));
    let fields = fields.map(|(name, value)| match name.eq_ignore_ascii_case("Content-Length") {
        true => (name, length.as_str()),
        false => (name, value),
    });
    let added = record.id().is_none().then_some(("WARC-Record-ID", own.as_str()));
    member(&fields.chain(added).collect::<Vec<_>>(), &record.block)
}

fn member(fields: &[(&str, &str)], block: &[u8]) -> io::Result<Vec<u8>> {
    let mended = fields.iter().map(|(name, value)| (one_line(name).replace(':', " "), one_line(value)));
    let mended: Vec<(String, String)> = mended.collect();
    let fields: Vec<(&str, &str)> = mended.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut plain = Vec::with_capacity(block.len() + 1024);
    write_record(&mut plain, VERSION, &fields, block)?;
    // The usual level; a member for each record, so that each can be read by its offset.
    gzip_member(&plain, 6)
}

fn one_line(value: &str) -> String {
    // A line end in a value would begin another field, and let a page forge headers.
    value.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn the_number_is_bounded() {
        let gate = Gate::new(3, 100);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        assert!(gate.enter(1));
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        gate.leave(1, 1);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
    }

    #[test]
    fn a_large_task_goes_alone() {
        let gate = Gate::new(10, 100);
        assert!(gate.enter(500));
        thread::scope(|scope| {
            let second = scope.spawn(|| gate.enter(1));
            thread::sleep(Duration::from_millis(20));
            assert!(!second.is_finished());
            gate.leave(1, 500);
            assert!(second.join().unwrap());
        });
    }

    #[test]
    fn closing_wakes_who_waits() {
        let gate = Gate::new(1, 1);
        assert!(gate.enter(1));
        thread::scope(|scope| {
            let second = scope.spawn(|| gate.enter(1));
            thread::sleep(Duration::from_millis(20));
            gate.close();
            assert!(!second.join().unwrap());
        });
        assert!(!gate.enter(0));
    }
}
