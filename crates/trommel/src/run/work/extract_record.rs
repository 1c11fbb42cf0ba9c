//! Extracts the document of one record, or the reason why it has none.
//!
//! Faults of the program itself are caught. Programs that have an order and an output of their own get one record at a
//! time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use trommel_archive::{MediaType, Note, Payload, PayloadNote, PayloadOptions, Record, RecordType, media_type, payload};
use trommel_extract::{Document, Hints, Rights};
use trommel_record::filters::{Capture, Duplicates, Filters, Fingerprint, PageText};
use trommel_record::{id, source};
use trommel_text::{TextStats, hash};

use crate::run::counts::reasons::{DropReason, FailureKind};
use crate::run::counts::summary::PageTime;
use crate::run::counts::{Clock, Stage};
use crate::run::plan::{Plan, SetAside};
use crate::run::work::crawler_records::{CrawlerRecord, crawler_record, is_for_robots, page_url};
use crate::run::work::record_copies::{QUARANTINE, copied, failed_members};
use crate::run::work::task::{CapturedRecord, DocumentForms, Gate, RecordOutcome, RecordVerdict, WorkerResult};
use crate::{PAGE_FACTOR, page_hints};

/// Function that extracts the document of a page, usually [`trommel_extract::Extractor::extract`]. It must be pure,
/// because it is called from several threads in any order.
pub type Extract<'a> = dyn Fn(&[u8], &Hints<'_>) -> Document + Sync + 'a;

/// Function that encodes a document in all output formats, and adds its fingerprint. It returns none if no output can
/// store the document, and a message if encoding fails.
pub(crate) type EncodeDocument<'a> = dyn Fn(Document, Fingerprint) -> Result<Option<Box<DocumentForms>>, String> + 'a;

/// Result for a record; the error is the outcome of a record that was dropped or failed early.
type PageResult = Result<WorkerResult, RecordVerdict>;

/// Converter of records into documents, or into reasons for their absence. It has no state, so neither the order of
/// records nor the number of workers matters.
pub(crate) struct RecordExtractor<'a> {
    /// Function that extracts the document of a page.
    pub(crate) extract: &'a Extract<'a>,
    /// Limits on the size of the decoded payload.
    pub(crate) payload: PayloadOptions,
    /// Limit on the memory of pages being extracted at a time; none if their memory is limited elsewhere.
    pub(crate) room: Option<&'a Gate>,
    /// Filters that judge each page or document by itself.
    pub(crate) filters: &'a Filters,
    /// Plan of the run; none outside of a run, where no copies of records are written.
    pub(crate) run: Option<&'a Plan>,
    /// Clock for the time of decoding payloads and of encoding; none to measure nothing.
    pub(crate) clock: Option<&'a Clock>,
}

impl<'a> RecordExtractor<'a> {
    /// Creates a converter for records outside of a run. It extracts pages with `extract`, keeps those that pass
    /// `filters`, and writes no files.
    pub(crate) fn new(extract: &'a Extract<'a>, filters: &'a Filters, payload: PayloadOptions) -> Self {
        Self { extract, payload, room: None, filters, run: None, clock: None }
    }

    /// Returns whether crawlers' copies of pages may become documents (setting `crawler_text`).
    fn takes_copies(&self) -> bool {
        self.run.is_some_and(|run| run.settings.archive.crawler_text)
    }

    fn set_aside(&self) -> &[SetAside] {
        self.run.map_or(&[], |run| &run.set_aside)
    }

    /// Extracts one record and encodes its document with `encode`. A panic counts as a failure of that record only.
    pub(crate) fn result(&self, captured: &CapturedRecord, encode: &EncodeDocument<'_>) -> WorkerResult {
        let record = &captured.record;
        if let Some(reason) = self.drop_unread(captured) {
            return WorkerResult::without_page(RecordVerdict::Dropped(reason));
        }
        let id = id(record);
        // A fault of the program on one page costs that page: nothing is left that could be broken.
        let mut result = catch_unwind(AssertUnwindSafe(|| self.read(captured, &id, encode)))
            .unwrap_or_else(|panic| Err(failed(FailureKind::Panic, panic_message(&*panic))))
            .unwrap_or_else(WorkerResult::without_page);
        if let RecordVerdict::Failed { kind, message } = &mut result.verdict {
            let keeps = self.run.is_some_and(|run| run.quarantine.is_some());
            let kept =
                keeps.then(|| failed_members(&captured.record, captured.charset.as_deref(), &id, *kind, message));
            *message = format!("{}: {message}", label(record));
            match kept {
                Some(Ok(bytes)) => result.sides.push((QUARANTINE, bytes)),
                Some(Err(error)) => message.push_str(&format!("; not kept: {error}")),
                None => {}
            }
        }
        result
    }

    /// Returns the reason to drop a record without decoding its payload; none if the payload must be decoded.
    fn drop_unread(&self, captured: &CapturedRecord) -> Option<DropReason> {
        let CapturedRecord { record, is_left_out, .. } = captured;
        // From what costs nothing to what costs most: most records of an archive are no pages.
        let of_crawler = || match crawler_record(record)? {
            CrawlerRecord::Copy(_) if self.takes_copies() => None,
            _ => Some(DropReason::CrawlerRecord),
        };
        by_kind(record)
            .or_else(of_crawler)
            .or_else(|| is_left_out.then_some(DropReason::NotListed))
            .or_else(|| self.filters.url(page_url(record)).map(DropReason::Filtered))
            .or_else(|| record.block.is_empty().then_some(DropReason::NoPayload))
    }

    /// Extracts the page in a record; the error is the outcome of a record that is dropped or fails early.
    fn read(&self, captured: &CapturedRecord, id: &str, encode: &EncodeDocument<'_>) -> PageResult {
        let CapturedRecord { record, charset, title, .. } = captured;
        let mut lap = Instant::now();
        let page = payload(record, &self.payload);
        let page = page.map_err(|error| failed(FailureKind::Payload, error.to_string()))?;
        if page.body.is_empty() {
            return Err(RecordVerdict::Dropped(DropReason::NoPayload));
        }
        let media_type = match media_type(record, &page).0 {
            MediaType::Html => "text/html",
            MediaType::Xhtml => "application/xhtml+xml",
            MediaType::Other(name) if name == PLAIN && !is_for_robots(record.url()) => PLAIN,
            MediaType::Other(name) => {
                // The first file that takes it: a record is kept once.
                let file = self.set_aside().iter().position(|set_aside| set_aside.keeps(&name));
                return Ok(WorkerResult {
                    sides: file.map(|file| copied(file, record, id, &name)).unwrap_or_default(),
                    ..WorkerResult::without_page(RecordVerdict::Dropped(DropReason::NotHtml))
                });
            }
        };
        let robots: Vec<&str> = page.headers.all("X-Robots-Tag").collect();
        let rights = Rights::of_headers(page.headers.iter());
        let capture = Capture { status: page.status, media_type, robots: &robots, rights: Some(&rights) };
        // Before the page is read, which is nearly all of the work.
        if let Some(reason) = self.filters.capture(&capture) {
            return Err(RecordVerdict::Dropped(DropReason::Filtered(reason)));
        }
        let bytes = page.body.len() as u64;
        // Tables and features of a page are a multiple of its bytes.
        let _room = self.room.map(|room| room.hold(bytes.saturating_mul(PAGE_FACTOR)));
        if let Some(clock) = self.clock {
            clock.lap(Stage::Payload, &mut lap);
        }
        let begin = Instant::now();
        let url = page_url(record);
        let hints = Hints { url, crawl_charset: charset.as_deref(), ..page_hints(record, &page) };
        let mut document = match media_type {
            PLAIN => Document::of_plain_text(&page.body, &hints),
            _ => (self.extract)(&page.body, &hints),
        };
        if document.title.is_none() {
            document.title.clone_from(title);
        }
        document.rights.join(&rights);
        let mut lap = Instant::now();
        let caps = capped(record, &page, &document.capped);
        let is_hard = self.run.and_then(|run| run.hard.as_ref()).is_some_and(|hard| hard.takes(&document));
        // Counted once for all filters.
        let stats = TextStats::new(&document.text);
        let verdict = match self.filters.document(&document, &stats) {
            Some(reason) => RecordVerdict::Dropped(DropReason::Filtered(reason)),
            None => {
                let page_text = self.takes_copies().then(|| page_text(record, &document, &stats)).flatten();
                let mut fingerprint = self.filters.fingerprint(&stats);
                fingerprint.page = page_text;
                match encode(of_record(record, &page, id, document), fingerprint) {
                    Ok(Some(forms)) => RecordVerdict::Document(forms),
                    Ok(None) => RecordVerdict::Dropped(DropReason::NoText),
                    Err(error) => failed(FailureKind::Encode, error),
                }
            }
        };
        if let Some(clock) = self.clock {
            clock.lap(Stage::Encoding, &mut lap);
        }
        Ok(WorkerResult {
            page: Some((bytes, page_time(record, id, begin.elapsed()))),
            truncated: record.truncated().map(str::to_owned),
            capped: caps,
            // Only with a document, which takes the other extractor's text. Its file comes after those of the other kinds.
            sides: match verdict {
                RecordVerdict::Document(_) if is_hard => copied(self.set_aside().len(), record, id, media_type),
                _ => Vec::new(),
            },
            verdict,
            label: None,
        })
    }
}

/// Returns the document of a page, completed with the facts of its record: id, URL, date, place, status and notes.
fn of_record(record: &Record, page: &Payload, id: &str, document: Document) -> Document {
    let notes = record.notes.iter().map(ToString::to_string);
    let of_page = page.notes.iter().map(ToString::to_string);
    Document {
        id: id.to_owned(),
        url: page_url(record).map(str::to_owned),
        date: record.date().map(str::to_owned),
        source: Some(source(&record.place)),
        status: page.status,
        truncated: record.truncated().map(str::to_owned),
        digest: record.payload_digest().map(str::to_owned),
        notes: notes.chain(of_page).chain(document.notes.0).collect(),
        ..document
    }
}

/// Returns the page whose text a document has. None for a captured page with few words, which a script may have to
/// fill, so that a crawler's copy of the page can take its place.
fn page_text(record: &Record, document: &Document, stats: &TextStats<'_>) -> Option<PageText> {
    let key = hash(page_url(record)?.as_bytes());
    match crawler_record(record) {
        Some(_) => Some(PageText::Copied(key)),
        None => {
            let is_text = document.blocked.is_none() && stats.words().len() >= MIN_PAGE_WORDS;
            is_text.then_some(PageText::Captured(key))
        }
    }
}

/// Returns the names of the limits that a page exceeded: on record size, on payload size, and those in `caps`.
fn capped(record: &Record, page: &Payload, caps: &[String]) -> Vec<String> {
    let record = record.notes.iter().any(|note| matches!(note, Note::BlockTooLong { .. }));
    let payload = page.notes.contains(&PayloadNote::LimitHit);
    let budgets = [(record, "max-record"), (payload, "max-payload")];
    let passed = budgets.into_iter().filter(|(passed, _)| *passed);
    passed.map(|(_, name)| name.to_owned()).chain(caps.iter().cloned()).collect()
}

/// Returns the name of a record in messages: file, offset, and id or URL.
fn label(record: &Record) -> String {
    let place = &record.place;
    let id = record.id().or_else(|| record.url()).unwrap_or("no id");
    format!("{}: offset {}: {id}", place.file, place.offset)
}

fn failed(kind: FailureKind, message: String) -> RecordVerdict {
    RecordVerdict::Failed { kind, message }
}

/// Minimum number of words of a captured page for its text to be preferred to crawlers' copies of the page.
const MIN_PAGE_WORDS: usize = 25;

/// Media type of plain text, which becomes the text of a document unchanged.
const PLAIN: &str = "text/plain";

/// Returns the reason why a record of the given type holds no page; none if it may hold one.
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
        // Other conversions are images and previews of a capture.
        RecordType::Conversion => Some(DropReason::Conversion),
        RecordType::Continuation => Some(DropReason::Continuation),
        RecordType::Unknown(_) => Some(DropReason::UnknownType),
    }
}

/// Returns the time that a page took, with the page's id and place.
fn page_time(record: &Record, id: &str, time: Duration) -> PageTime {
    let (file, offset) = (record.place.file.to_string(), record.place.offset);
    PageTime { seconds: time.as_secs_f64(), id: id.to_owned(), file, offset }
}

/// Returns the message of a panic, in one line.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic
        // `panic!` with a plain text and with arguments give two types.
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("internal fault: {}", message.replace('\n', " "))
}

/// Extractor of single records, given one by one in their order, with the results that a run would give.
pub struct SingleRecords<'a> {
    records: RecordExtractor<'a>,
    duplicates: Duplicates,
}

impl<'a> SingleRecords<'a> {
    /// Creates an extractor of single records. It extracts pages with `extract` and keeps those that pass `filters`,
    /// which may compare them with earlier ones. It decodes each payload within the limits of `payload`.
    pub fn new(extract: &'a Extract<'a>, filters: &'a Filters, payload: PayloadOptions) -> Self {
        Self { records: RecordExtractor::new(extract, filters, payload), duplicates: filters.duplicates() }
    }

    /// Extracts a record. Returns its outcome, and the number of decoded bytes of its page (none if it holds no page).
    /// `charset` is the encoding that the crawl's metadata states for the record.
    pub fn take(&mut self, record: Record, charset: Option<String>) -> (RecordOutcome, Option<u64>) {
        let captured = CapturedRecord { record, charset, title: None, is_left_out: false };
        let item = |record, fingerprint| Ok(Some(DocumentForms::of(record, fingerprint, Vec::new(), true)));
        let result = self.records.result(&captured, &item);
        let outcome = match result.verdict {
            // As the writer of a run does it: after the worker, in the order in which records come.
            RecordVerdict::Document(forms) => match (self.duplicates.judge(&forms.fingerprint), forms.item) {
                (Some(reason), _) => RecordOutcome::Dropped(DropReason::Filtered(reason)),
                (None, Some(record)) => RecordOutcome::Document(record),
                (None, None) => RecordOutcome::Dropped(DropReason::NoText),
            },
            RecordVerdict::Dropped(reason) => RecordOutcome::Dropped(reason),
            RecordVerdict::Failed { kind, message } => RecordOutcome::Failed { kind, message },
        };
        (outcome, result.page.map(|(bytes, _)| bytes))
    }
}
