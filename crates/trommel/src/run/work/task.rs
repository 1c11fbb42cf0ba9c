//! The tasks that pass from the reader through the workers to the writer, within bounds.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use trommel_archive::{Record, ResumePoint};
use trommel_record::{Document, filters::Fingerprint};

use crate::run::counts::reasons::{DropReason, FailureKind};
use crate::run::work::record_copies::RecordLabel;
use crate::run::{counts::summary::PageTime, inputs::listing::Identity};

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
