//! Extracts one record at a time, for programs that have an order and an output of their own.

use trommel_archive::{PayloadOptions, Record};
use trommel_record::OutputRecord;
use trommel_record::filters::{Duplicates, Filters, OrderedFilter};

use crate::run::counts::drop_reason::{DropReason, FailureKind};
use crate::run::inputs::packed::Listing;
use crate::run::work::record::{Extract, RecordExtractor};
use crate::run::work::task::{CapturedRecord, DocumentForms, RecordVerdict};

/// Gives the documents of records in the order in which they come, as a run does.
pub struct SingleRecords<'a> {
    records: RecordExtractor<'a>,
    duplicates: Duplicates,
}

/// The outcome of one record.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordOutcome {
    /// A document.
    Document(Box<OutputRecord>),
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

impl<'a> SingleRecords<'a> {
    /// Extracts pages with `extract`; keeps those that pass `filters`, which compare documents with those before
    /// them; reads no more of a payload than `payload` allows.
    pub fn new(extract: &'a Extract<'a>, filters: &'a Filters, payload: PayloadOptions) -> Self {
        Self { records: RecordExtractor::new(extract, filters, payload), duplicates: filters.duplicates() }
    }

    /// The result of `record`, and the bytes of the page if it holds one. `charset` is the encoding that the
    /// crawl's metadata states for it.
    pub fn take(&mut self, record: Record, charset: Option<String>) -> (RecordOutcome, Option<u64>) {
        let captured = CapturedRecord { record, charset, listing: Listing::default() };
        let result = self
            .records
            .result(&captured, &|record| Ok(Some(DocumentForms { encoded: Vec::new(), item: Some(Box::new(record)) })));
        let outcome = match result.verdict {
            RecordVerdict::Document { forms, fingerprint, .. } => {
                // As the writer of a run does it: after the worker, in the order in which records come.
                match (self.duplicates.judge(&fingerprint), forms.item) {
                    (Some(reason), _) => RecordOutcome::Dropped(DropReason::Filtered(reason)),
                    (None, Some(record)) => RecordOutcome::Document(record),
                    (None, None) => RecordOutcome::Dropped(DropReason::NoText),
                }
            }
            RecordVerdict::Dropped(reason) => RecordOutcome::Dropped(reason),
            RecordVerdict::Failed { kind, message, .. } => RecordOutcome::Failed { kind, message },
        };
        (outcome, result.page)
    }
}
