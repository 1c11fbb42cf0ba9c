//! Processes one record at a time, for programs with an order and an output of their own.

use std::sync::Arc;

use trommel_archive::{PayloadOptions, Record};
use trommel_filters::{Duplicates, Filters, OrderedFilter};

use crate::{
    counts::drop_reason::{DropReason, FailureKind},
    inputs::packed::Listing,
    work::{
        gate::Gate,
        task::{Captured, RecordVerdict},
        worker::{Extract, Worker},
    },
    write::outputs::Encoder,
};

/// Makes of each record the line of JSON that a run would write, in the order in which records come.
pub struct SingleRecords<'a> {
    extract: &'a Extract<'a>,
    filters: Arc<Filters>,
    duplicates: Duplicates,
    encoders: [Encoder; 1],
    payload: PayloadOptions,
    room: Gate,
}

/// The result of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordOutcome {
    /// A document: a line of JSON with its line end.
    Document(Vec<u8>),
    /// Nothing, rightly.
    Dropped(DropReason),
    /// Nothing, by a fault.
    Failed {
        /// Kind of fault.
        kind: FailureKind,
        /// One line that names the file, the offset, the record and the fault.
        message: String,
    },
}

impl<'a> SingleRecords<'a> {
    /// Takes the text out of pages by `extract`; keeps what `filters` keep, which compare documents
    /// with those before them; reads no more of a payload than `payload` allows.
    pub fn new(extract: &'a Extract<'a>, filters: Arc<Filters>, payload: PayloadOptions) -> Self {
        Self {
            extract,
            duplicates: filters.duplicates(),
            filters,
            encoders: [Encoder::jsonl()],
            payload,
            // One record at a time needs no bound.
            room: Gate::new(usize::MAX, u64::MAX),
        }
    }

    /// The result of `record`, and the bytes of the page if it holds one. `charset` is the encoding that the
    /// crawl's metadata states for it.
    pub fn take(&mut self, record: Record, charset: Option<String>) -> (RecordOutcome, Option<u64>) {
        let worker = Worker {
            extract: self.extract,
            encoders: &self.encoders,
            payload: self.payload,
            room: &self.room,
            filters: &self.filters,
            quarantine: false,
            set_aside: &[],
            clock: None,
            hands_over: false,
            about: false,
        };
        let made = worker.made(&Captured { record, charset, listing: Listing::default() });
        let outcome = match made.verdict {
            RecordVerdict::Document { encoded, fingerprint, .. } => match self.duplicates.judge(&fingerprint) {
                // As the writer of a run does it: after the worker, in the order in which records come.
                Some(reason) => RecordOutcome::Dropped(DropReason::Filtered(reason)),
                None => RecordOutcome::Document(encoded.into_iter().flatten().flatten().collect()),
            },
            RecordVerdict::Dropped(reason) => RecordOutcome::Dropped(reason),
            RecordVerdict::Failed { kind, message, .. } => RecordOutcome::Failed { kind, message },
        };
        (outcome, made.page)
    }
}
