//! From a record to an encoded document.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use crossbeam_channel::{Receiver, Sender};
use trommel::{Document, Hints};
use trommel_archive::{MediaType, PayloadOptions, Record, RecordType, media_type, payload};
use trommel_sinks::{Encode, Entry, Source, record_id};

use crate::{
    DropReason, FailureKind,
    reader::panic_message,
    task::{Captured, Made, Task, Verdict},
};

/// What takes the text out of a page: usually [`trommel::Extractor::extract`]. It must be pure, as it
/// is called from several threads in any order.
pub type Extract<'a> = dyn Fn(&[u8], &Hints<'_>) -> Document + Sync + 'a;

/// Turns records into encoded documents. Has no state, so that the order of records and the number
/// of workers don't matter.
pub(crate) struct Worker<'a> {
    /// What takes the text out of a page.
    pub(crate) extract: &'a Extract<'a>,
    /// The output format.
    pub(crate) encoder: &'a dyn Encode,
    /// Bounds of the decoded payload.
    pub(crate) payload: PayloadOptions,
}

impl Worker<'_> {
    /// Works until there are no more tasks, or nobody wants the results.
    pub(crate) fn run(&self, tasks: &Receiver<Task<Captured>>, results: &Sender<Task<Made>>) {
        for task in tasks {
            let task = task.map(|captured| self.guarded(captured));
            if results.send(task).is_err() {
                return;
            }
        }
    }

    /// A fault of the program on one record is that record's failure only.
    fn guarded(&self, captured: Captured) -> Made {
        let label = Label::of(&captured.record);
        catch_unwind(AssertUnwindSafe(|| self.make(captured, &label))).unwrap_or_else(|panic| {
            Made {
                page: None,
                truncated: None,
                verdict: label.failed(FailureKind::Panic, &panic_message(&*panic)),
            }
        })
    }

    fn make(&self, captured: Captured, label: &Label) -> Made {
        let Captured {
            mut record,
            charset,
        } = captured;
        let no_page = |verdict| Made {
            page: None,
            truncated: None,
            verdict,
        };
        if let Some(reason) = by_kind(&record.kind) {
            return no_page(Verdict::Dropped(reason));
        }
        if record.block.is_empty() {
            return no_page(Verdict::Dropped(DropReason::NoPayload));
        }
        let page = match payload(&mut record, &self.payload) {
            Ok(page) => page,
            Err(error) => return no_page(label.failed(FailureKind::Payload, &error.to_string())),
        };
        if page.body.is_empty() {
            return no_page(Verdict::Dropped(DropReason::NoPayload));
        }
        if !matches!(
            media_type(&record, &page).0,
            MediaType::Html | MediaType::Xhtml
        ) {
            return no_page(Verdict::Dropped(DropReason::NotHtml));
        }

        let hints = Hints {
            url: record.url(),
            http_charset: page.charset(),
            crawl_charset: charset.as_deref(),
            date: record.date(),
        };
        let document = (self.extract)(&page.body, &hints);
        let notes: Vec<String> = record
            .notes
            .iter()
            .map(ToString::to_string)
            .chain(page.notes.iter().map(ToString::to_string))
            .collect();
        let source = Source {
            file: record.place.file.clone(),
            offset: record.place.offset,
            length: record.place.length,
            inner: record.place.inner,
        };
        let made_id;
        let id = match record.id() {
            Some(id) => id,
            None => {
                made_id = derived_id(&record);
                &made_id
            }
        };
        let entry = Entry {
            id,
            url: record.url(),
            date: record.date(),
            source: &source,
            truncated: record.truncated(),
            status: page.status,
            notes: &notes,
            document: &document,
        };
        let mut encoded = Vec::with_capacity(document.text.len() + 1024);
        let verdict = match self.encoder.entry(&entry, &mut encoded) {
            Ok(true) => Verdict::Document {
                encoded,
                text: document.text.len() as u64,
            },
            Ok(false) => Verdict::Dropped(DropReason::NoText),
            Err(error) => label.failed(FailureKind::Encode, &error.to_string()),
        };
        Made {
            page: Some(page.body.len() as u64),
            truncated: record.truncated().map(str::to_owned),
            verdict,
        }
    }
}

/// Names a record in messages.
struct Label(String);

impl Label {
    fn of(record: &Record) -> Self {
        let place = &record.place;
        let id = record.id().or_else(|| record.url()).unwrap_or("no id");
        Self(format!("{}: offset {}: {id}", place.file, place.offset))
    }

    fn failed(&self, kind: FailureKind, fault: &str) -> Verdict {
        Verdict::Failed {
            kind,
            message: format!("{}: {fault}", self.0),
        }
    }
}

/// Why a record of this type is no page; none if it may be one.
fn by_kind(kind: &RecordType) -> Option<DropReason> {
    match kind {
        RecordType::Response | RecordType::Resource => None,
        RecordType::Warcinfo => Some(DropReason::Warcinfo),
        RecordType::Request => Some(DropReason::Request),
        RecordType::Metadata => Some(DropReason::Metadata),
        RecordType::Revisit => Some(DropReason::Revisit),
        RecordType::Conversion => Some(DropReason::Conversion),
        RecordType::Continuation => Some(DropReason::Continuation),
        RecordType::Unknown(_) => Some(DropReason::UnknownType),
    }
}

/// The id of a record that has none, as in ARC files. It depends on the archive's name but not on the
/// folder it is in.
fn derived_id(record: &Record) -> String {
    let place = &record.place;
    let file = Path::new(&*place.file).file_name().unwrap_or_default();
    record_id(&[
        "source",
        &file.to_string_lossy(),
        &place.offset.to_string(),
        &place.inner.to_string(),
        record.url().unwrap_or_default(),
        record.date().unwrap_or_default(),
    ])
}
