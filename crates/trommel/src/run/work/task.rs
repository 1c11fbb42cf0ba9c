//! The tasks that pass from the reader through the workers to the writer.

use std::{sync::Arc, time::Duration};

use trommel_archive::{Record, ResumePoint};
use trommel_record::filters::Fingerprint;

use crate::run::{
    counts::drop_reason::{DropReason, FailureKind},
    inputs::{identity::Identity, packed::Listing, pieces::Fate},
    work::{aside::AsideRecord, label::RecordLabel},
};

/// One step of a run with its number in the order of the inputs. `T` is what a record is at that
/// stage: [`CapturedRecord`] before the workers, [`WorkerResult`] after them.
#[derive(Debug)]
pub(crate) struct Task<T> {
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
    pub(crate) step: Step<T>,
}

/// The steps of an input, in order: it is opened, begins with its first record, and always ends.
#[derive(Debug)]
pub(crate) enum Step<T> {
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
    /// A record.
    Record(T),
    /// Damage that was passed.
    Damage {
        /// Stored offset where it begins.
        offset: u64,
        /// Bytes lost.
        lost: u64,
        /// The kind of damage.
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
    /// Its index.
    pub(crate) input: usize,
    /// The input as it is now.
    pub(crate) identity: Identity,
    /// The name of its outputs, if it is not one of the plan's.
    pub(crate) stem: Option<String>,
    /// Tells if it counts, if it is a piece of an archive.
    pub(crate) fate: Option<Fate>,
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

impl<T> Task<T> {
    /// The same step with its record, if it is one, taken to the next stage.
    pub(crate) fn map<U>(self, next: impl FnOnce(T) -> U) -> Task<U> {
        let Self { lane, number, bytes, point, step } = self;
        let step = match step {
            Step::Record(record) => Step::Record(next(record)),
            Step::Open(opened) => Step::Open(opened),
            Step::Begin { info, date } => Step::Begin { info, date },
            Step::Damage { offset, lost, what } => Step::Damage { offset, lost, what },
            Step::End(end) => Step::End(end),
            Step::Over => Step::Over,
        };
        Task { lane, number, bytes, point, step }
    }
}

/// A record as it was read.
#[derive(Debug)]
pub(crate) struct CapturedRecord {
    /// The record.
    pub(crate) record: Record,
    /// The encoding that the crawl's metadata record gives for it.
    pub(crate) charset: Option<String>,
    /// The entry of the lists of its WACZ file.
    pub(crate) listing: Listing,
}

/// The result of a worker for a record. `T` is a document as the caller of the run takes it.
#[derive(Debug)]
pub(crate) struct WorkerResult<T> {
    /// Bytes of the page handed to the extractor; none if the record is no page.
    pub(crate) page: Option<u64>,
    /// WARC-Truncated of a page.
    pub(crate) truncated: Option<String>,
    /// Budgets and caps that the page passed.
    pub(crate) capped: Vec<String>,
    /// Time taken by the page, and its id and place.
    pub(crate) time: Option<PageTime>,
    /// The copy of it for another tool.
    pub(crate) aside: Option<AsideRecord>,
    /// The verdict about the record.
    pub(crate) verdict: RecordVerdict<T>,
    /// Names the record should it be dropped, if dropped records are listed.
    pub(crate) label: Option<Box<RecordLabel>>,
}

impl<T> WorkerResult<T> {
    /// The result of a record that is not a page, or not known to be one.
    pub(crate) fn without_page(verdict: RecordVerdict<T>) -> Self {
        Self { page: None, truncated: None, capped: Vec::new(), time: None, aside: None, verdict, label: None }
    }
}

/// The time that a page took.
#[derive(Debug)]
pub(crate) struct PageTime {
    /// Time of one worker.
    pub(crate) time: Duration,
    /// Id of the record.
    pub(crate) id: String,
    /// The archive.
    pub(crate) file: Arc<str>,
    /// Stored offset of the record.
    pub(crate) offset: u64,
}

/// A document in each form that is asked for.
#[derive(Debug)]
pub(crate) struct DocumentForms<T> {
    /// Its bytes in each output format; none where the format has no place for it.
    pub(crate) encoded: Vec<Option<Vec<u8>>>,
    /// The document for the caller of a stream.
    pub(crate) item: Option<T>,
}

/// The verdict about a record.
#[derive(Debug)]
pub(crate) enum RecordVerdict<T> {
    /// A document.
    Document {
        /// The document in each form that is asked for.
        forms: DocumentForms<T>,
        /// Bytes of its text.
        text: u64,
        /// Its confidence.
        confidence: f32,
        /// The fingerprint for comparing it with others.
        fingerprint: Fingerprint,
    },
    /// A record that was dropped, with the reason.
    Dropped(DropReason),
    /// A record that failed.
    Failed {
        /// Kind of fault.
        kind: FailureKind,
        /// One line naming the file, the offset, the record and the fault.
        message: String,
        /// The record and the facts about its failure, for the quarantine.
        members: Vec<u8>,
    },
}
