//! Turns a record into an encoded document.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use crossbeam_channel::{Receiver, Sender};
use trommel::PAGE_FACTOR;
use trommel_archive::{
    MediaType, Note, Payload, PayloadNote, PayloadOptions, Record, RecordBlock, RecordType, media_type, payload,
};
use trommel_extract::{Document, Hints};
use trommel_filters::{Capture, Filters, Fingerprint};
use trommel_output::{OutputRecord, RecordSource};
use trommel_text::TextStats;

use crate::{
    counts::{
        clock::{Clock, Stage},
        drop_reason::{DropReason, FailureKind},
    },
    work::{
        gate::Gate,
        id::id,
        panic::panic_message,
        task::{Captured, Made, RecordVerdict, Step, Task, Timed},
    },
    write::{dropped_list::About, outputs::Encoder, quarantine::Kept, set_aside::SetAside},
};

/// What takes the text out of a page: usually [`trommel_extract::Extractor::extract`]. It must be pure, as it
/// is called from several threads in any order.
pub type Extract<'a> = dyn Fn(&[u8], &Hints<'_>) -> Document + Sync + 'a;

/// Most results that a worker sends at a time: to wake the writer, and by it the reader, costs as much as to
/// write a record.
pub(crate) const TOGETHER: usize = 4;

/// Bytes of records whose results are not kept back: others wait for the room that they take.
const MOST_KEPT_BACK: u64 = 4 << 20;

/// Turns records into encoded documents. Has no state, so that the order of records and the number
/// of workers don't matter.
pub(crate) struct Worker<'a> {
    /// What takes the text out of a page.
    pub(crate) extract: &'a Extract<'a>,
    /// What encodes documents in each output format.
    pub(crate) encoders: &'a [Encoder],
    /// Bounds of the decoded payload.
    pub(crate) payload: PayloadOptions,
    /// Room for the pages in work.
    pub(crate) room: &'a Gate,
    /// What keeps or drops pages by themselves.
    pub(crate) filters: &'a Filters,
    /// Whether records that fail are wanted for the quarantine.
    pub(crate) quarantine: bool,
    /// What is kept of records that are no pages.
    pub(crate) set_aside: &'a [SetAside],
    /// Is told how long payloads and encoding take; how long extracting takes, the extractor knows.
    pub(crate) clock: Option<&'a Clock>,
    /// Whether documents are taken in this process, as they are.
    pub(crate) hands_over: bool,
    /// Whether something is to be told of records that are dropped.
    pub(crate) about: bool,
}

impl Worker<'_> {
    /// Works until there are no more tasks, or nobody wants the results. Results of records go together, up to
    /// [`TOGETHER`] of them, while there are tasks; none is kept back when a task has to be waited for or when
    /// they hold much memory, and what else happens to an input, such as its begin, is told at once.
    /// Blocks that are done with go to `spares` while there is room.
    pub(crate) fn run(
        &self,
        tasks: &Receiver<Task<Captured>>,
        results: &Sender<Vec<Task<Made>>>,
        spares: &Sender<RecordBlock>,
    ) {
        let mut done = Vec::new();
        loop {
            let task = match tasks.try_recv() {
                Ok(task) => task,
                Err(_) => {
                    if !done.is_empty() && results.send(std::mem::take(&mut done)).is_err() {
                        return;
                    }
                    let Ok(task) = tasks.recv() else { return };
                    task
                }
            };
            let is_record = matches!(task.step, Step::Record(_));
            done.push(task.map(|captured| {
                let mut made = self.made(&captured);
                if self.about {
                    made.about = Some(Box::new(About::of(&captured.record)));
                }
                let Captured { record, .. } = captured;
                // The reader need not want it.
                let _ = spares.try_send(record.block);
                made
            }));
            let bytes = done.iter().map(|task: &Task<Made>| task.bytes).sum::<u64>();
            let is_enough = done.len() >= TOGETHER || bytes >= MOST_KEPT_BACK;
            if (!is_record || is_enough) && results.send(std::mem::take(&mut done)).is_err() {
                return;
            }
        }
    }

    /// What becomes of one record: a fault of the program on it is its failure only.
    pub(crate) fn made(&self, captured: &Captured) -> Made {
        let Captured { record, charset, listing } = captured;
        let charset = charset.as_deref();
        if let Some(reason) = by_kind(record) {
            return Made::without_page(RecordVerdict::Dropped(reason));
        }
        if listing.is_left_out {
            return Made::without_page(RecordVerdict::Dropped(DropReason::NotListed));
        }
        if record.block.is_empty() {
            return Made::without_page(RecordVerdict::Dropped(DropReason::NoPayload));
        }
        let id = id(record);
        let made = catch_unwind(AssertUnwindSafe(|| self.make(captured, &id)));
        let mut made =
            made.unwrap_or_else(|panic| Made::without_page(failed(FailureKind::Panic, panic_message(&*panic))));
        if let RecordVerdict::Failed { kind, message, members } = &mut made.verdict {
            let kept = Kept { id: &id, record, charset };
            let kept = self.quarantine.then(|| kept.members(*kind, message));
            *message = format!("{}: {message}", label(record));
            match kept {
                Some(Ok(bytes)) => *members = bytes,
                Some(Err(error)) => message.push_str(&format!("; not kept: {error}")),
                None => {}
            }
        }
        made
    }

    fn make(&self, captured: &Captured, id: &str) -> Made {
        let Captured { record, charset, listing } = captured;
        let mut lap = Instant::now();
        let page = match payload(record, &self.payload) {
            Ok(page) => page,
            Err(error) => {
                return Made::without_page(failed(FailureKind::Payload, error.to_string()));
            }
        };
        if page.body.is_empty() {
            return Made::without_page(RecordVerdict::Dropped(DropReason::NoPayload));
        }
        let media_type = match media_type(record, &page).0 {
            MediaType::Html => "text/html",
            MediaType::Xhtml => "application/xhtml+xml",
            MediaType::Other(name) if name == PLAIN && !is_for_robots(record.url()) => PLAIN,
            MediaType::Other(name) => {
                return Made {
                    aside: SetAside::of(self.set_aside, record, id, &name),
                    ..Made::without_page(RecordVerdict::Dropped(DropReason::NotHtml))
                };
            }
        };
        let robots: Vec<&str> = page.headers.all("X-Robots-Tag").collect();
        let capture = Capture { status: page.status, media_type, robots: &robots };
        if let Some(reason) = self.filters.capture(&capture) {
            return Made::without_page(RecordVerdict::Dropped(DropReason::Filtered(reason)));
        }
        let bytes = page.body.len() as u64;
        let _room = self.room.hold(bytes.saturating_mul(PAGE_FACTOR));
        if let Some(clock) = self.clock {
            clock.lap(Stage::Payload, &mut lap);
        }
        let begin = Instant::now();
        let hints = Hints {
            url: record.url(),
            http_charset: page.charset(),
            crawl_charset: charset.as_deref(),
            date: record.date(),
        };
        let mut document = match media_type {
            PLAIN => Document::of_plain_text(&page.body, &hints),
            _ => (self.extract)(&page.body, &hints),
        };
        if document.title.is_none() {
            document.title.clone_from(&listing.title);
        }
        let mut lap = Instant::now();
        let caps = capped(record, &page, &document.capped);
        let stats = TextStats::new(&document.text);
        let verdict = match self.filters.document(&document, &stats) {
            Some(reason) => RecordVerdict::Dropped(DropReason::Filtered(reason)),
            None => {
                let fingerprint = self.filters.fingerprint(&stats);
                self.encode(output_record(record, &page, id, document), fingerprint)
            }
        };
        if let Some(clock) = self.clock {
            clock.lap(Stage::Encoding, &mut lap);
        }
        Made {
            page: Some(bytes),
            truncated: record.truncated().map(str::to_owned),
            capped: caps,
            time: Some(Timed {
                time: begin.elapsed(),
                id: id.to_owned(),
                file: record.place.file.clone(),
                offset: record.place.offset,
            }),
            aside: None,
            verdict,
            about: None,
        }
    }

    fn encode(&self, record: OutputRecord, fingerprint: Fingerprint) -> RecordVerdict {
        let mut encoded = Vec::with_capacity(self.encoders.len());
        for encoder in self.encoders {
            let mut bytes = Vec::with_capacity(record.text.len() + 1024);
            match encoder.encode.record(&record, &mut bytes) {
                Ok(taken) => encoded.push(taken.then_some(bytes)),
                Err(error) => return failed(FailureKind::Encode, error.to_string()),
            }
        }
        if !self.hands_over && encoded.iter().all(Option::is_none) {
            return RecordVerdict::Dropped(DropReason::NoText);
        }
        RecordVerdict::Document {
            encoded,
            text: record.text.len() as u64,
            confidence: record.confidence,
            fingerprint,
            record: self.hands_over.then(|| Box::new(record)),
        }
    }
}

/// What is written of a page.
fn output_record(record: &Record, page: &Payload, id: &str, document: Document) -> OutputRecord {
    let notes = record.notes.iter().map(ToString::to_string);
    let of_page = page.notes.iter().map(ToString::to_string);
    let made = OutputRecord::from(document);
    let of_document = (!made.notes.is_empty()).then_some(made.notes);
    OutputRecord {
        id: id.to_owned(),
        url: record.url().map(str::to_owned),
        date: record.date().map(str::to_owned),
        source: Some(RecordSource {
            file: record.place.file.clone(),
            offset: record.place.offset,
            length: record.place.length,
            inner: record.place.inner,
        }),
        status: page.status,
        truncated: record.truncated().map(str::to_owned),
        digest: record.payload_digest().map(str::to_owned),
        notes: notes.chain(of_page).chain(of_document).collect::<Vec<_>>().join("; "),
        ..made
    }
}

/// Budgets that a page passed: bytes of its record, of its payload, and the caps of reading it.
fn capped(record: &Record, page: &Payload, caps: &[String]) -> Vec<String> {
    let record = record.notes.iter().any(|note| matches!(note, Note::BlockTooLong { .. }));
    let payload = page.notes.contains(&PayloadNote::LimitHit);
    let budgets = [(record, "max-record"), (payload, "max-payload")];
    let passed = budgets.into_iter().filter(|(passed, _)| *passed);
    passed.map(|(_, name)| name.to_owned()).chain(caps.iter().cloned()).collect()
}

/// Names a record in messages.
fn label(record: &Record) -> String {
    let place = &record.place;
    let id = record.id().or_else(|| record.url()).unwrap_or("no id");
    format!("{}: offset {}: {id}", place.file, place.offset)
}

fn failed(kind: FailureKind, message: String) -> RecordVerdict {
    RecordVerdict::Failed { kind, message, members: Vec::new() }
}

/// Text that is taken as it is.
const PLAIN: &str = "text/plain";

/// Files that nearly every site serves as plain text and that programs read.
const FOR_ROBOTS: [&str; 4] = ["/robots.txt", "/ads.txt", "/app-ads.txt", "/sellers.json"];

fn is_for_robots(url: Option<&str>) -> bool {
    let path = url.and_then(|url| {
        let (_, rest) = url.split_once("://")?;
        let path = rest.get(rest.find('/')?..)?;
        path.split(['?', '#']).next()
    });
    path.is_some_and(|path| FOR_ROBOTS.contains(&path) || path.starts_with("/.well-known/"))
}

/// Why a record of this type is no page; none if it may be one.
fn by_kind(record: &Record) -> Option<DropReason> {
    match &record.kind {
        // WET: text that somebody took out of a capture.
        RecordType::Conversion if record.content_type().is_some_and(|kind| kind.trim_start().starts_with(PLAIN)) => {
            None
        }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_go_together_and_none_waits_for_a_task_to_come() {
        let extract = |_: &[u8], _: &Hints<'_>| Document::default();
        let (room, filters) = (Gate::new(usize::MAX, u64::MAX), Filters::default());
        let worker = Worker {
            extract: &extract,
            encoders: &[],
            payload: PayloadOptions::default(),
            room: &room,
            filters: &filters,
            quarantine: false,
            set_aside: &[],
            clock: None,
            hands_over: false,
            about: false,
        };
        let (task_sender, tasks) = crossbeam_channel::unbounded();
        let (result_sender, results) = crossbeam_channel::unbounded();
        let (spares, _) = crossbeam_channel::bounded(1);
        let task = |number: usize, step| Task { number: number as u64, bytes: 1, point: None, step };
        let record = |number, bytes| {
            let archive = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
            let options = trommel_archive::ReadOptions::default();
            let mut reader = trommel_archive::Reader::new("a", archive.as_slice(), options).unwrap();
            let captured =
                Captured { record: reader.next().unwrap().unwrap(), charset: None, listing: Default::default() };
            Task { bytes, ..task(number, Step::Record(captured)) }
        };
        let begin = Step::Begin { input: 0, info: None, date: None };
        task_sender.send(task(0, begin)).unwrap();
        for number in 1..=TOGETHER {
            task_sender.send(record(number, 1)).unwrap();
        }
        let half = MOST_KEPT_BACK / 2;
        for (number, bytes) in [(5, half), (6, half), (7, 1)] {
            task_sender.send(record(number, bytes)).unwrap();
        }
        std::thread::scope(|scope| {
            scope.spawn(|| worker.run(&tasks, &result_sender, &spares));
            let numbers = || {
                let done = results.recv_timeout(Duration::from_secs(60)).unwrap();
                done.iter().map(|task| task.number).collect::<Vec<_>>()
            };
            assert_eq!(numbers(), [0], "an output has begun");
            assert_eq!(numbers(), [1, 2, 3, 4]);
            assert_eq!(numbers(), [5, 6], "these hold much memory");
            assert_eq!(numbers(), [7]);
            task_sender.send(record(8, 1)).unwrap();
            assert_eq!(numbers(), [8]);
            drop(task_sender);
        });
    }
}
