//! Reports the progress of a run.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::run::counts::summary::Summary;

/// Counts of a run at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ProgressState {
    /// Stored bytes read.
    pub bytes: u64,
    /// Stored bytes of all inputs; none if standard input is among them.
    // Without it a bar can count, but not say how much is left.
    pub total: Option<u64>,
    /// Archives in work.
    pub archives: usize,
    /// Records done.
    pub records: u64,
    /// Pages among them.
    pub pages: u64,
    /// Documents written.
    pub documents: u64,
    /// Records passed over.
    pub dropped: u64,
    /// Records that failed.
    pub failures: u64,
}

/// Receives the progress of a run: several times a second, and once at the end.
pub trait Progress {
    /// Takes note of the counts.
    fn update(&mut self, state: &ProgressState);
}

/// Takes no note.
impl Progress for () {
    fn update(&mut self, _: &ProgressState) {}
}

/// Counts that all lanes add to.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    bytes: AtomicU64,
    archives: AtomicUsize,
    records: AtomicU64,
    pages: AtomicU64,
    documents: AtomicU64,
    failures: AtomicU64,
}

impl Counters {
    /// Counts that go on from those of an earlier part of the run.
    pub(crate) fn of(summary: &Summary) -> Self {
        Self {
            records: AtomicU64::new(summary.records),
            pages: AtomicU64::new(summary.pages),
            documents: AtomicU64::new(summary.documents),
            failures: AtomicU64::new(summary.failures.values().sum()),
            ..Self::default()
        }
    }

    /// Adds stored bytes that were read.
    pub(crate) fn read(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// An archive was opened.
    pub(crate) fn open(&self) {
        self.archives.fetch_add(1, Ordering::Relaxed);
    }

    /// An archive is done.
    pub(crate) fn close(&self) {
        self.archives.fetch_sub(1, Ordering::Relaxed);
    }

    /// A record is done.
    pub(crate) fn record(&self, is_page: bool, is_document: bool, is_failure: bool) {
        let counts = [(&self.pages, is_page), (&self.documents, is_document), (&self.failures, is_failure)];
        for (count, is_one) in counts {
            count.fetch_add(u64::from(is_one), Ordering::Relaxed);
        }
        self.records.fetch_add(1, Ordering::Relaxed);
    }

    /// Archives in work.
    pub(crate) fn archives(&self) -> usize {
        self.archives.load(Ordering::Relaxed)
    }

    /// Returns the current counts, with the stored bytes of all inputs as `total`.
    pub(crate) fn state(&self, total: Option<u64>) -> ProgressState {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (records, documents, failures) = (of(&self.records), of(&self.documents), of(&self.failures));
        ProgressState {
            bytes: of(&self.bytes),
            total,
            archives: self.archives(),
            records,
            pages: of(&self.pages),
            documents,
            dropped: records.saturating_sub(documents.saturating_add(failures)),
            failures,
        }
    }
}
