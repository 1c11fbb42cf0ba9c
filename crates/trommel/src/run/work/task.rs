//! The tasks that pass from the reader through the workers to the writer, within bounds.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use trommel_archive::{Record, ResumePoint};
use trommel_record::{Document, filters::Fingerprint};

use crate::run::counts::reasons::{DropReason, FailureKind};
use crate::run::work::record_copies::RecordLabel;
use crate::run::{counts::summary::PageTime, inputs::listing::Identity};

/// A task of a lane: one step of an input, with its number in the order of the inputs.
#[derive(Debug)]
pub(crate) struct Task {
    /// Index of the lane that the task belongs to.
    pub(crate) lane: usize,
    /// Place in the order of the lane, from 0 without gaps.
    // Without gaps, because the writer waits for each number in turn.
    pub(crate) number: u64,
    /// Number of bytes that the task holds, for the [`Gate`](crate::run::gate::Gate).
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
    /// The output of an input begins, before its first record.
    Begin {
        /// Block of the first record if it is a warcinfo.
        // WET files repeat the archive's own description at their head.
        info: Option<Vec<u8>>,
        /// Date of the first record.
        date: Option<String>,
    },
    /// A record that goes to the workers.
    Record(CapturedRecord),
    /// The result of a record that comes from the workers.
    Result(WorkerResult),
    /// Damage after which reading continued.
    Damage {
        /// Stored offset at which the damage begins.
        offset: u64,
        /// Number of bytes lost.
        lost: u64,
        /// The kind of damage.
        what: String,
    },
    /// The next record differs from the one that its index states.
    Mismatch {
        /// The archive, the place and the difference, in one line.
        what: String,
    },
    /// The end of the input.
    End(ArchiveEnd),
    /// The end of all inputs.
    Over,
}

/// The facts about an input that has been opened.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// Number of the archive among those that the run began.
    pub(crate) number: u64,
    /// The identity of the input at this moment.
    pub(crate) identity: Identity,
    /// The name of the input's outputs, without folder and suffix.
    pub(crate) stem: String,
}

/// The end of an input, with the error if it ended early.
#[derive(Debug, Default)]
pub(crate) struct ArchiveEnd {
    /// Number of stored bytes read.
    pub(crate) bytes: u64,
    /// Reason why the input could not be read, or not to its end.
    pub(crate) error: Option<String>,
    /// True if the system could not read on in the middle of the input.
    pub(crate) broken: bool,
    /// The place where reading continues if the input grows.
    pub(crate) point: Option<ResumePoint>,
    /// Number of the piece that begins where this one ends; none at the end of the archive.
    pub(crate) next: Option<usize>,
}

impl ArchiveEnd {
    /// Creates the end of an input that was read completely, with its stored `bytes`.
    pub(crate) fn at(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Creates the end of an input that cannot be read, or not to its end.
    pub(crate) fn failed(error: String, broken: bool) -> Self {
        Self { error: Some(error), broken, ..Self::default() }
    }
}

/// A record on its way to a worker, with the facts that other records and lists state about it.
#[derive(Debug)]
pub(crate) struct CapturedRecord {
    /// The record.
    pub(crate) record: Record,
    /// The encoding that the crawl's metadata record states for the record.
    pub(crate) charset: Option<String>,
    /// The page's title in the page lists of its WACZ file.
    pub(crate) title: Option<String>,
    /// True if the page is missing in the lists of its WACZ file, and only listed pages are wanted.
    pub(crate) is_left_out: bool,
}

/// The result of a worker for one record.
#[derive(Debug)]
pub(crate) struct WorkerResult {
    /// The number of bytes of the page and the time that it took; none if the record is not a page.
    pub(crate) page: Option<(u64, PageTime)>,
    /// The WARC-Truncated field of a page: the reason why the crawler cut it.
    pub(crate) truncated: Option<String>,
    /// Names of the limits that the page exceeded.
    pub(crate) capped: Vec<String>,
    /// Bytes for the files beside the outputs, each with the number of its file.
    pub(crate) sides: Vec<(usize, Vec<u8>)>,
    /// The outcome of the record.
    pub(crate) verdict: RecordVerdict,
    /// The name of the record for the list of dropped records; none if they are not listed.
    pub(crate) label: Option<Box<RecordLabel>>,
}

impl WorkerResult {
    /// Creates the result for a record that is not a page, or not known to be one.
    pub(crate) fn without_page(verdict: RecordVerdict) -> Self {
        Self { page: None, truncated: None, capped: Vec::new(), sides: Vec::new(), verdict, label: None }
    }
}

/// A document encoded for each output, with the facts that counts and filters need.
#[derive(Debug)]
pub(crate) struct DocumentForms {
    /// The document's bytes in each output format; none where the format has no place for it.
    pub(crate) encoded: Vec<Option<Vec<u8>>>,
    /// The document itself, for the caller of the run; none if no caller takes documents.
    pub(crate) item: Option<Box<Document>>,
    /// UTF-8 bytes of the document's text.
    pub(crate) text: u64,
    /// The document's confidence.
    pub(crate) confidence: f32,
    /// The fingerprint of the text for comparison with other documents.
    pub(crate) fingerprint: Fingerprint,
}

impl DocumentForms {
    /// Creates the forms of a document from its bytes in each format. The document itself is kept if it `is_taken` by a
    /// caller.
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

/// The outcome of one record: a document, a drop or a failure.
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

/// The outcome of one record with its encoded document, as a worker gives it.
pub(crate) type RecordVerdict = RecordOutcome<Box<DocumentForms>>;

/// Bounds the tasks in progress: lets a task in while both the number and the bytes of tasks are within bounds. A task
/// larger than the bound on bytes goes in alone.
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

    /// Waits until there is room for a task of `bytes`, and lets it in. Returns false if the gate has been closed.
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

    /// Waits and enters as in [`enter`](Self::enter); the task leaves when the result is dropped.
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

    /// Returns the number of tasks inside.
    pub(crate) fn inside(&self) -> usize {
        self.lock().tasks
    }

    /// Returns whether the gate is closed, so that no task is let in.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Closes the gate, so that no further task is let in.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// A task's place inside a gate, which is released when the pass is dropped.
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
