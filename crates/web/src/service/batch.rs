//! Answers `POST /extract/batch`: reads an archive while it arrives, and sends its documents as JSON lines.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeMap, io, time::Duration};

use axum::{body::Body, extract::State, response::Response};
use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use tokio::{runtime::Handle, time::Instant};
use trommel::archive::{ArchiveError, PayloadOptions, ReadOptions, Reader, RecordType};
use trommel::record::{Encode as _, Jsonl};
use trommel::run::{RecordOutcome, SingleRecords, crawl_charset};
use trommel::{Document, Extractor, Hints, IncludeSettings, record::filters::Filters};

use crate::service::answer::{self, Refusal};
use crate::service::body::{Incoming, plain, pump};
use crate::service::request_options::{Choices, ReadQuery};
use crate::{service::memory, service::memory::Share, service::shared_state::App};

/// Maximum number of received pieces (HTTP frames) of a request body that wait to be read.
const PIECES: usize = 8;
/// Maximum number of lines of an answer that wait to be sent.
const LINES: usize = 64;
/// Number of copies of records that a batch (a posted archive) holds in memory: a record as stored, decompressed and as
/// payload, and the record before it.
const RECORDS: u64 = 4;
/// Number of simultaneous batches (posted archives) for whose records the memory must suffice.
const BATCHES: u64 = 4;

/// Names of the query parameters of `POST /extract/batch` that are not settings of the extraction.
pub(crate) const OF_BATCH: [&str; 1] = ["summary"];

/// Counts of the records of a batch (a posted archive), by result: documents, drops and failures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct BatchSummary {
    /// Number of records read.
    pub(crate) records: u64,
    /// Number of records with HTML that were handed to the extractor.
    pub(crate) pages: u64,
    /// Number of documents sent.
    pub(crate) documents: u64,
    /// Number of records that a rule left out, by reason.
    pub(crate) drops: BTreeMap<&'static str, u64>,
    /// Number of records that should have become a document but could not, by fault.
    pub(crate) failures: BTreeMap<&'static str, u64>,
    /// Number of damaged places in the archive.
    pub(crate) damaged: u64,
    /// Number of bytes of the archive that were lost to damage.
    pub(crate) lost_bytes: u64,
}

/// Answers `POST /extract/batch` with the documents of an archive.
///
/// The body is a WARC or ARC archive, plain or under gzip, zstd or lz4. The answer is what
/// `trommel run - -o - -f jsonl` writes. Each line is sent as soon as it is made, so a client must read while it sends.
/// If the archive cannot be read to its end, the answer breaks off.
pub(crate) async fn batch(
    State(app): State<Arc<App>>,
    query: ReadQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let choices = Choices::read(query, &OF_BATCH)?;
    let is_counted = choices.is_set("summary")?;
    plain(&headers)?;
    let model = app.model(choices.model())?;
    let settings = choices.settings(&app, &model)?;
    let filters = choices.filters(&app, &settings);
    let slot = app.batches.clone().try_acquire_owned().map_err(|_| Refusal::BUSY)?;
    // Only so many batches as there is memory for what they read at a time.
    let memory = &app.admission.batches;
    let max_record = app.max_page.min(memory.all / RECORDS / BATCHES);
    let reading = memory.share(max_record * RECORDS)?;
    let (pieces, incoming) = mpsc::channel(PIECES);
    tokio::spawn(pump(body, pieces, app.settings.limits.timeout));
    let (sender, mut lines) = mpsc::channel(LINES);
    let (begun, begins) = oneshot::channel();
    let extractor = app.extractor(model, &settings);
    let batch = Batch {
        app: app.clone(),
        runtime: Handle::current(),
        lines: sender,
        patience: app.settings.limits.timeout,
        max_record,
        lists: settings.include,
        taken: Mutex::default(),
    };
    tokio::task::spawn_blocking(move || {
        batch.run(&extractor, Incoming { pieces: incoming, piece: Bytes::new() }, filters, is_counted, begun);
        drop((slot, reading));
    });
    // An archive that cannot be read at all is refused; later the status has been sent.
    match begins.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(refusal(&app, error)),
        Err(_) => return Err(Refusal::FAULT),
    }
    let lines = stream::poll_fn(move |context| lines.poll_recv(context));
    Ok(answer::body("application/x-ndjson", Body::from_stream(lines)))
}

fn refusal(app: &App, error: ArchiveError) -> Refusal {
    match &error {
        ArchiveError::Io { source, .. } if source.kind() == io::ErrorKind::TimedOut => {
            Refusal::late(app.settings.limits.timeout.as_secs())
        }
        _ => Refusal::bad(error),
    }
}

/// Extraction of a posted archive that is in progress on a separate thread.
struct Batch {
    app: Arc<App>,
    runtime: Handle,
    lines: mpsc::Sender<io::Result<Bytes>>,
    patience: Duration,
    max_record: u64,
    /// Lists that documents include besides the text (blocks, spans, chunks), for which extra memory is taken.
    lists: IncludeSettings,
    /// Memory that is reserved for the page whose document is being sent.
    taken: Mutex<Option<Share>>,
}

/// Error that the client has closed the connection or reads too slowly.
struct ClientGone;

/// Name in a document's list `capped` (limits that it reached) if the rest of the page did not fit into memory.
const MEMORY_CAP: &str = "max-memory";

impl Batch {
    /// Extracts the document of a page, once a worker and enough memory are free; the memory stays reserved in `taken`.
    fn document(&self, extractor: &Extractor, page: &[u8], hints: &Hints<'_>) -> Document {
        let memory = &self.app.admission.work;
        let judged = memory::fitting(page, memory.all, &self.lists);
        // Pages of batches wait for workers beside single pages. A client that waits here is not slow.
        let permit = self.runtime.block_on(self.app.admission.worker());
        let weight = memory::of_lists(judged, &self.lists).min(memory.all);
        *self.taken() = self.runtime.block_on(memory.share_within(weight, Duration::MAX)).ok();
        let begin = Instant::now();
        let mut document = extractor.document(judged, hints);
        if judged.len() < page.len() {
            document.capped.push(MEMORY_CAP.to_owned());
        }
        self.app.metrics.page(page.len() as u64, begin.elapsed());
        self.app.metrics.document(f64::from(document.confidence), document.text.len() as u64);
        drop(permit);
        document
    }

    fn taken(&self) -> MutexGuard<'_, Option<Share>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(
        &self,
        extractor: &Extractor,
        incoming: Incoming,
        filters: Arc<Filters>,
        is_counted: bool,
        begun: oneshot::Sender<Result<(), ArchiveError>>,
    ) {
        let options = ReadOptions { max_record: self.max_record, live: true, ..ReadOptions::default() };
        let mut items = match Reader::new("-", incoming, options) {
            Ok(reader) => reader.peekable(),
            Err(error) => return drop(begun.send(Err(error))),
        };
        if let Some(Err(error)) = items.next_if(|item| item.as_ref().is_err_and(|error| error.is_fatal())) {
            return drop(begun.send(Err(error)));
        }
        drop(begun.send(Ok(())));
        let extract = |page: &[u8], hints: &Hints<'_>| self.document(extractor, page, hints);
        let payload = PayloadOptions { max_payload: self.max_record };
        let mut records = SingleRecords::new(&extract, &filters, payload);
        let mut summary = BatchSummary::default();
        while let Some(item) = items.next() {
            let step = match item {
                Ok(record) => {
                    // The record after a response may say in which encoding the crawler took it to be.
                    let next = if record.kind == RecordType::Response { items.peek() } else { None };
                    let charset = next.and_then(|next| crawl_charset(&record, next.as_ref().ok()?));
                    self.record(&mut summary, records.take(record, charset))
                }
                Err(ArchiveError::Damage { offset, lost, what, .. }) => {
                    tracing::warn!(offset, lost, "batch: {what}");
                    self.app.metrics.damaged();
                    summary.damaged += 1;
                    summary.lost_bytes += lost;
                    Ok(())
                }
                Err(error) => {
                    tracing::warn!("batch: {error}");
                    // The answer must not look as if it were whole.
                    drop(self.send(Err(io::Error::other(error.to_string()))));
                    return;
                }
            };
            if step.is_err() {
                tracing::info!("batch: the client has gone");
                return;
            }
        }
        if is_counted && let Ok(mut line) = serde_json::to_vec(&serde_json::json!({"summary": summary})) {
            line.push(b'\n');
            drop(self.send(Ok(line.into())));
        }
    }

    /// Counts a record of the archive, and sends the document that was extracted from it, if any.
    fn record(
        &self,
        summary: &mut BatchSummary,
        (outcome, page): (RecordOutcome, Option<u64>),
    ) -> Result<(), ClientGone> {
        let metrics = &self.app.metrics;
        metrics.record();
        summary.records += 1;
        summary.pages += u64::from(page.is_some());
        let share = self.taken().take();
        match outcome {
            RecordOutcome::Document(document) => {
                let mut line = Vec::with_capacity(document.text.len() + 1024);
                if let Err(error) = Jsonl.record(&document, &mut line) {
                    // An answer without the document must not look as if it were whole.
                    return self.send(Err(io::Error::other(error.to_string())));
                }
                summary.documents += 1;
                let line = match share {
                    Some(share) => share.around(line),
                    None => line.into(),
                };
                return self.send(Ok(line));
            }
            RecordOutcome::Dropped(reason) => {
                metrics.dropped(reason.name());
                *summary.drops.entry(reason.name()).or_default() += 1;
            }
            RecordOutcome::Failed { kind, message } => {
                tracing::warn!("batch: {message}");
                metrics.failed(kind.name());
                *summary.failures.entry(kind.name()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Sends a line to the client; fails if the client has gone or does not read for too long.
    fn send(&self, line: io::Result<Bytes>) -> Result<(), ClientGone> {
        let sent = self.lines.send_timeout(line, self.patience);
        self.runtime.block_on(sent).map_err(|_| ClientGone)
    }
}
