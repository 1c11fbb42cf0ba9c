//! Reads the document of one record, or the reason why it has none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::{PAGE_FACTOR, page_hints};
use trommel_archive::{MediaType, Note, Payload, PayloadNote, PayloadOptions, Record, RecordType, media_type, payload};
use trommel_extract::{Document, Hints};
use trommel_record::filters::{Capture, Filters, Fingerprint, PageText};
use trommel_record::{OutputRecord, RecordSource};
use trommel_text::{TextStats, hash};

use crate::run::counts::clock::{Clock, Stage};
use crate::run::counts::drop_reason::{DropReason, FailureKind};
use crate::run::plan::set_aside::{HardPages, SetAside};
use crate::run::work::aside::AsideRecord;
use crate::run::work::crawler_records::{CrawlerRecord, crawler_record, page_url};
use crate::run::work::gate::Gate;
use crate::run::work::id::id;
use crate::run::work::panic::panic_message;
use crate::run::work::quarantine::FailedRecord;
use crate::run::work::robot_files::is_for_robots;
use crate::run::work::task::{CapturedRecord, DocumentForms, PageTime, RecordVerdict, WorkerResult};

/// The function that extracts a page, usually [`trommel_extract::Extractor::extract`]. It must be pure, as it
/// is called from several threads in any order.
pub type Extract<'a> = dyn Fn(&[u8], &Hints<'_>) -> Document + Sync + 'a;

/// Turns a document into the forms that are asked for; none if no output has a place for it, or a message.
pub(crate) type EncodeDocument<'a, T> = dyn Fn(OutputRecord) -> Result<Option<DocumentForms<T>>, String> + 'a;

/// Reads documents of records. Has no state, so that neither their order nor the number of workers matters.
pub(crate) struct RecordExtractor<'a> {
    /// Extracts the document of a page.
    pub(crate) extract: &'a Extract<'a>,
    /// Limits of the decoded payload.
    pub(crate) payload: PayloadOptions,
    /// Memory for the pages in work; none if it is bounded elsewhere.
    pub(crate) room: Option<&'a Gate>,
    /// The filters that look at a single page.
    pub(crate) filters: &'a Filters,
    /// True to take the crawler's copies of pages.
    pub(crate) copies: bool,
    /// True to copy failed records for the quarantine.
    pub(crate) quarantine: bool,
    /// The files for records that are not pages.
    pub(crate) set_aside: &'a [SetAside],
    /// The file for pages of low confidence.
    pub(crate) hard: Option<&'a HardPages>,
    /// Counts the time of payloads and of encoding. The extractor counts that of extraction.
    pub(crate) clock: Option<&'a Clock>,
}

impl<'a> RecordExtractor<'a> {
    /// Extracts pages with `extract` and keeps those that pass `filters`, without the parts of a run that need files.
    pub(crate) fn new(extract: &'a Extract<'a>, filters: &'a Filters, payload: PayloadOptions) -> Self {
        Self {
            extract,
            payload,
            room: None,
            filters,
            copies: false,
            quarantine: false,
            set_aside: &[],
            hard: None,
            clock: None,
        }
    }

    /// Reads one record and hands its document to `encode`. A fault of the program on a record is the failure of that
    /// record only.
    pub(crate) fn result<T>(&self, captured: &CapturedRecord, encode: &EncodeDocument<'_, T>) -> WorkerResult<T> {
        let CapturedRecord { record, charset, listing } = captured;
        let charset = charset.as_deref();
        // From what costs nothing to what costs most: most records of an archive are no pages.
        if let Some(reason) = by_kind(record) {
            return WorkerResult::without_page(RecordVerdict::Dropped(reason));
        }
        match crawler_record(record) {
            Some(CrawlerRecord::Copy(_)) if self.copies => {}
            Some(_) => return WorkerResult::without_page(RecordVerdict::Dropped(DropReason::CrawlerRecord)),
            None => {}
        }
        if listing.is_left_out {
            return WorkerResult::without_page(RecordVerdict::Dropped(DropReason::NotListed));
        }
        if let Some(reason) = self.filters.url(page_url(record)) {
            return WorkerResult::without_page(RecordVerdict::Dropped(DropReason::Filtered(reason)));
        }
        if record.block.is_empty() {
            return WorkerResult::without_page(RecordVerdict::Dropped(DropReason::NoPayload));
        }
        let id = id(record);
        // A fault of the program on one page costs that page: nothing is left that could be broken.
        let mut result = catch_unwind(AssertUnwindSafe(|| self.read(captured, &id, encode)))
            .unwrap_or_else(|panic| WorkerResult::without_page(failed(FailureKind::Panic, panic_message(&*panic))));
        if let RecordVerdict::Failed { kind, message, members } = &mut result.verdict {
            let kept = FailedRecord { id: &id, record, charset };
            let kept = self.quarantine.then(|| kept.members(*kind, message));
            *message = format!("{}: {message}", label(record));
            match kept {
                Some(Ok(bytes)) => *members = bytes,
                Some(Err(error)) => message.push_str(&format!("; not kept: {error}")),
                None => {}
            }
        }
        result
    }

    fn read<T>(&self, captured: &CapturedRecord, id: &str, encode: &EncodeDocument<'_, T>) -> WorkerResult<T> {
        let CapturedRecord { record, charset, listing } = captured;
        let mut lap = Instant::now();
        let page = match payload(record, &self.payload) {
            Ok(page) => page,
            Err(error) => {
                return WorkerResult::without_page(failed(FailureKind::Payload, error.to_string()));
            }
        };
        if page.body.is_empty() {
            return WorkerResult::without_page(RecordVerdict::Dropped(DropReason::NoPayload));
        }
        let media_type = match media_type(record, &page).0 {
            MediaType::Html => "text/html",
            MediaType::Xhtml => "application/xhtml+xml",
            MediaType::Other(name) if name == PLAIN && !is_for_robots(record.url()) => PLAIN,
            MediaType::Other(name) => {
                return WorkerResult {
                    aside: AsideRecord::of(self.set_aside, record, id, &name),
                    ..WorkerResult::without_page(RecordVerdict::Dropped(DropReason::NotHtml))
                };
            }
        };
        let robots: Vec<&str> = page.headers.all("X-Robots-Tag").collect();
        let capture = Capture { status: page.status, media_type, robots: &robots };
        // Before the page is read, which is nearly all of the work.
        if let Some(reason) = self.filters.capture(&capture) {
            return WorkerResult::without_page(RecordVerdict::Dropped(DropReason::Filtered(reason)));
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
            document.title.clone_from(&listing.title);
        }
        let mut lap = Instant::now();
        let caps = capped(record, &page, &document.capped);
        let is_hard = self.hard.is_some_and(|hard| hard.takes(&document));
        // Counted once for all filters.
        let stats = TextStats::new(&document.text);
        let verdict = match self.filters.document(&document, &stats) {
            Some(reason) => RecordVerdict::Dropped(DropReason::Filtered(reason)),
            None => {
                let page_text = self.copies.then(|| page_text(record, &document, &stats)).flatten();
                let mut fingerprint = self.filters.fingerprint(&stats);
                fingerprint.page = page_text;
                self.encoded(output_record(record, &page, id, document), fingerprint, encode)
            }
        };
        if let Some(clock) = self.clock {
            clock.lap(Stage::Encoding, &mut lap);
        }
        WorkerResult {
            page: Some(bytes),
            truncated: record.truncated().map(str::to_owned),
            capped: caps,
            time: Some(page_time(record, id, begin.elapsed())),
            // Only with a document, which takes the other extractor's text. Its file comes after those of the other kinds.
            aside: match verdict {
                RecordVerdict::Document { .. } if is_hard => {
                    AsideRecord::new(self.set_aside.len(), record, id, media_type)
                }
                _ => None,
            },
            verdict,
            label: None,
        }
    }

    fn encoded<T>(
        &self,
        record: OutputRecord,
        fingerprint: Fingerprint,
        encode: &EncodeDocument<'_, T>,
    ) -> RecordVerdict<T> {
        let (text, confidence) = (record.text.len() as u64, record.confidence);
        match encode(record) {
            Ok(Some(forms)) => RecordVerdict::Document { forms, text, confidence, fingerprint },
            Ok(None) => RecordVerdict::Dropped(DropReason::NoText),
            Err(error) => failed(FailureKind::Encode, error),
        }
    }
}

/// The output record of a page's document.
fn output_record(record: &Record, page: &Payload, id: &str, document: Document) -> OutputRecord {
    let notes = record.notes.iter().map(ToString::to_string);
    let of_page = page.notes.iter().map(ToString::to_string);
    let written = OutputRecord::from(document);
    let of_document = (!written.notes.is_empty()).then_some(written.notes);
    OutputRecord {
        id: id.to_owned(),
        url: page_url(record).map(str::to_owned),
        date: record.date().map(str::to_owned),
        source: Some(RecordSource::from(&record.place)),
        status: page.status,
        truncated: record.truncated().map(str::to_owned),
        digest: record.payload_digest().map(str::to_owned),
        notes: notes.chain(of_page).chain(of_document).collect::<Vec<_>>().join("; "),
        ..written
    }
}

/// The page whose text a document is: that of a capture only if it says something, which pages that only a script writes
/// do not.
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

fn failed<T>(kind: FailureKind, message: String) -> RecordVerdict<T> {
    RecordVerdict::Failed { kind, message, members: Vec::new() }
}

/// Words of a page that is not written by a script alone.
const MIN_PAGE_WORDS: usize = 25;

/// The type of text that is taken unchanged.
const PLAIN: &str = "text/plain";

/// Reason why a record of this type is no page; none if it may be one.
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

/// The time that a page took, and where it stands.
fn page_time(record: &Record, id: &str, time: Duration) -> PageTime {
    PageTime { time, id: id.to_owned(), file: record.place.file.clone(), offset: record.place.offset }
}
