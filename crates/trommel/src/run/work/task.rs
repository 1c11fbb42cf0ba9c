//! Tasks that pass from the reader of a lane through the workers to its writer, and the gate that bounds them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use trommel_archive::{Record, ResumePoint};
use trommel_record::{Document, filters::Fingerprint};

use crate::run::counts::reasons::{DropReason, FailureKind};
use crate::run::work::record_copies::RecordLabel;
use crate::run::{counts::summary::PageTime, inputs::listing::Identity};

/// One step in the processing of an input, such as a record, numbered in the order of its reader.
#[derive(Debug)]
pub(crate) struct Task {
    /// Index of the lane (reader and writer of one archive at a time) that the task belongs to.
    pub(crate) lane: usize,
    /// Number of the task in the order in which its reader sent it, from 0 without gaps.
    // Without gaps, because the writer waits for each number in turn.
    pub(crate) number: u64,
    /// Number of bytes of memory that the task holds, which the [`Gate`] limits for all tasks in progress.
    pub(crate) bytes: u64,
    /// Place where reading continues after the step; none if no state can be saved after the step.
    // With each step and not with each file, so that a state can be saved after any of them.
    pub(crate) point: Option<ResumePoint>,
    /// Step of the input's processing, such as its begin, a record or its end.
    pub(crate) step: Step,
}

/// Step in the processing of an input. Every input is opened, begins with its first record, and ends.
#[derive(Debug)]
pub(crate) enum Step {
    /// An input has been opened.
    Open(Opened),
    /// The output of an input begins, before its first record.
    Begin {
        /// Block of the first record if that is a warcinfo record; otherwise none.
        // WET files repeat the archive's own description at their head.
        info: Option<Vec<u8>>,
        /// Date of the first record, as in its header.
        date: Option<String>,
    },
    /// A record goes to the workers.
    Record(CapturedRecord),
    /// The result of a record comes from the workers.
    Result(WorkerResult),
    /// Damage was found in an input, after which reading continued.
    Damage {
        /// Byte offset in the stored archive at which the damage begins.
        offset: u64,
        /// Number of bytes lost to the damage.
        lost: u64,
        /// Description of the kind of damage.
        what: String,
    },
    /// A record that an index selects differs from the facts in the index.
    Mismatch {
        /// Message in one line: the archive, the place and the difference.
        what: String,
    },
    /// The input ends.
    End(ArchiveEnd),
    /// All inputs of one reader have ended.
    Over,
}

/// Facts about an input that has been opened.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// Number of the archive in the order in which the run began archives.
    pub(crate) number: u64,
    /// Identity (name and file stamp) of the input when it was opened, to notice later changes.
    pub(crate) identity: Identity,
    /// Stem of the input's output names, without folder and suffix.
    pub(crate) stem: String,
}

/// End of an input, with the error if the input ended early.
#[derive(Debug, Default)]
pub(crate) struct ArchiveEnd {
    /// Number of bytes read from the input, as stored.
    pub(crate) bytes: u64,
    /// Reason why the input could not be read completely; none if it was.
    pub(crate) error: Option<String>,
    /// True if the system failed to read on in the middle of the input.
    pub(crate) broken: bool,
    /// Place where reading continues if the input grows.
    pub(crate) point: Option<ResumePoint>,
    /// Number of the piece of the archive that begins where the present one ends; none at the end of the archive.
    pub(crate) next: Option<usize>,
}

impl ArchiveEnd {
    /// Creates the end of an input that was read completely, with the number of its stored `bytes`.
    pub(crate) fn at(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Creates the end of an input that could not be read completely.
    pub(crate) fn failed(error: String, broken: bool) -> Self {
        Self { error: Some(error), broken, ..Self::default() }
    }
}

/// Record on its way to a worker, with the facts that other records and lists state about it.
#[derive(Debug)]
pub(crate) struct CapturedRecord {
    /// Record as read from the archive.
    pub(crate) record: Record,
    /// Encoding that the crawl's metadata record states for the record; none if unknown.
    pub(crate) charset: Option<String>,
    /// Title of the page in the page lists of its WACZ file; none if unknown.
    pub(crate) title: Option<String>,
    /// True if the record is dropped, because only pages listed in its WACZ file are wanted and it is not listed.
    pub(crate) is_left_out: bool,
}

/// Result of a worker for one record.
#[derive(Debug)]
pub(crate) struct WorkerResult {
    /// Number of decoded bytes of the page, and the time that it took; none if the record is not a page.
    pub(crate) page: Option<(u64, PageTime)>,
    /// Value of the page's WARC-Truncated field, the reason why the crawler cut the page; none if it was not cut.
    pub(crate) truncated: Option<String>,
    /// Names of the limits on size that the page exceeded, such as `max-payload`.
    pub(crate) capped: Vec<String>,
    /// Bytes for the side files (failed, dropped, copied records), each with the number of its file.
    pub(crate) sides: Vec<(usize, Vec<u8>)>,
    /// Outcome of the record: document, drop or failure.
    pub(crate) verdict: RecordVerdict,
    /// Facts about the record for the list of dropped records; none if there is no list.
    pub(crate) label: Option<Box<RecordLabel>>,
}

impl WorkerResult {
    /// Creates the result for a record that is not a page, or not known to be a page.
    pub(crate) fn without_page(verdict: RecordVerdict) -> Self {
        Self { page: None, truncated: None, capped: Vec::new(), sides: Vec::new(), verdict, label: None }
    }
}

/// Document encoded for each output, with the facts that counts and filters need.
#[derive(Debug)]
pub(crate) struct DocumentForms {
    /// Bytes of the document in each output encoding, in their order; none where the format cannot store the document.
    pub(crate) encoded: Vec<Option<Vec<u8>>>,
    /// Document for the caller of the run; none if no caller takes documents.
    pub(crate) item: Option<Box<Document>>,
    /// Number of UTF-8 bytes of the document's text.
    pub(crate) text: u64,
    /// Confidence of the document, the word F1 that the model expects of its text (0 to 1).
    pub(crate) confidence: f32,
    /// Fingerprint of the text, to compare it with other documents.
    pub(crate) fingerprint: Fingerprint,
}

impl DocumentForms {
    /// Creates the encoded forms of a document from its bytes in each output encoding. The document itself is kept only
    /// if `is_taken` is set.
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

/// Outcome of one record: a document, a drop or a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordOutcome<D = Box<Document>> {
    /// The record gave a document.
    Document(D),
    /// The record gave no document, for a reason that is not a fault.
    Dropped(DropReason),
    /// The record gave no document, because of a fault.
    Failed {
        /// Kind of the fault.
        kind: FailureKind,
        /// Message in one line that names the file, the offset, the record and the fault.
        message: String,
    },
}

/// Outcome of one record with its encoded document, as a worker gives it.
pub(crate) type RecordVerdict = RecordOutcome<Box<DocumentForms>>;

/// Limit on tasks in progress: a task is let in while both the number and the bytes of tasks are within limits. A task
/// larger than the limit on bytes goes in alone.
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
    /// Creates a limit on tasks in progress: their maximum number, and the maximum bytes that they hold.
    pub(crate) fn new(tasks: usize, bytes: u64) -> Self {
        Self { tasks, bytes, inside: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Occupancy> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a task of `bytes` bytes among those in progress. Returns false if none may enter.
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

    /// Waits for room for a task of `bytes` bytes, as [`enter`](Self::enter) does; dropping the pass frees the room.
    pub(crate) fn hold(&self, bytes: u64) -> GatePass<'_> {
        // A closed gate holds nothing: the run is ending, and nobody counts any more.
        let entered = self.enter(bytes);
        GatePass { gate: entered.then_some(self), bytes }
    }

    /// Frees the room of `tasks` finished tasks, which hold `bytes` bytes in total, so that waiting tasks are let in.
    pub(crate) fn leave(&self, tasks: usize, bytes: u64) {
        let mut inside = self.lock();
        inside.tasks = inside.tasks.saturating_sub(tasks);
        inside.bytes = inside.bytes.saturating_sub(bytes);
        // Who waits with many bytes may not fit where another does.
        self.changed.notify_all();
    }

    /// Returns the number of tasks in progress, which were let in and are not finished.
    pub(crate) fn inside(&self) -> usize {
        self.lock().tasks
    }

    /// Returns whether no more tasks are let in, because the run is ending.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Lets no further task in, and wakes those that wait.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// Room for one task in progress, which becomes free when the pass is dropped.
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
