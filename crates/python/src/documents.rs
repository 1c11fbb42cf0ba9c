//! Implements `read_warc` and `read_documents`, which return the documents of archives as record batches or one by one,
//! in the order of the records.
//!
//! A run like that of `trommel run` sends documents through a channel from its own threads. The iterator takes them
//! from the channel.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::{io, num::NonZeroUsize};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use trommel::run::{Environment, NetworkOptions, Outcome, PreparedRun, Run, RunRequest, Summary};
use trommel::{Document, ErrorKind, Hints, record::OptionalColumns};

use crate::arrow::{ArrowColumns, BATCH_BYTES, PyRecordBatch};
use crate::errors::{TrommelError, ended as run_ended, first_fault, raised};
use crate::inputs::{Named, RunChoices, prepared};
use crate::settings::{ConfigArgument, of_documents};
use crate::{
    document::PyDocument, extractor::PyExtractor, interpreter, interpreter::PAUSE, run::share, run::summary_dict,
    values::Paths,
};

/// Maximum number of pieces (groups of documents, see [`PIECE`]) in the channel between the run and its reader.
const PIECES_AHEAD: usize = 2;
/// Number of documents, or of bytes of their text, after which a piece (a group of documents) is sent to the reader.
const PIECE: (usize, usize) = (64, 1 << 20);

/// Sender of documents in groups, because waking the reader for every document would cost too much time.
struct Pieces {
    sender: SyncSender<Vec<Document>>,
    piece: Vec<Document>,
    bytes: usize,
}

impl Pieces {
    fn add(&mut self, record: Document) -> io::Result<()> {
        self.bytes += size(&record);
        self.piece.push(record);
        if self.piece.len() >= PIECE.0 || self.bytes >= PIECE.1 { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> io::Result<()> {
        self.bytes = 0;
        // If that fails, nobody iterates any more.
        self.sender.send(std::mem::take(&mut self.piece)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Returns the number of bytes of text in a document, including that of its blocks.
fn size(record: &Document) -> usize {
    let blocks = record.blocks.iter().map(|block| block.text.len());
    record.text.len() + blocks.sum::<usize>()
}

/// Reader of a run's documents through a channel.
struct Reading {
    receiver: Receiver<Vec<Document>>,
    /// Received documents that were not yet returned.
    waiting: std::vec::IntoIter<Document>,
    run: Option<JoinHandle<trommel::Result<Summary>>>,
    columns: ArrowColumns,
}

/// An iterator of record batches. At its end `summary` has the counts of the run.
#[pyclass(frozen, module = "trommel_text")]
pub(crate) struct DocumentBatches {
    reading: Mutex<Reading>,
    summary: Mutex<Option<Summary>>,
    stop: Arc<AtomicBool>,
    batch_size: usize,
    strict: bool,
    process: u32,
}

impl Drop for DocumentBatches {
    fn drop(&mut self) {
        // Its threads end by themselves: waiting for them here might need what they wait for.
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Reads archives and returns their documents as record batches, in the order of the records. The documents are those
/// that `trommel run` writes, with their places. `choices` are all settings by their names, except those of output
/// files (`format`, `compress`, `split_size`, `checkpoint`, `hard_share`). They override `config`; settings of output
/// files in `config` have no effect here. `strict=True` raises an `ArchiveError` at the end for the first damage or
/// failure.
#[pyfunction]
#[pyo3(signature = (source, *, extractor=None, config=None, batch_size=NonZeroUsize::new(1024), strict=false, select=None, shard=None, **choices))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn read_warc(
    py: Python<'_>,
    source: Named,
    extractor: Option<&Bound<'_, PyExtractor>>,
    config: Option<ConfigArgument>,
    batch_size: Option<NonZeroUsize>,
    strict: bool,
    select: Option<Paths>,
    shard: Option<&str>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<DocumentBatches> {
    interpreter::connect();
    let given = RunChoices::read(extractor, config, choices, of_documents)?;
    let stop = Arc::new(AtomicBool::new(false));
    let network = NetworkOptions { stop: stop.clone().into(), ..NetworkOptions::default() };
    let mut request = RunRequest {
        output: "-".to_owned(),
        select: select.unwrap_or_default().0,
        shard: shard.map(share).transpose()?,
        ..RunRequest::default()
    };
    let (disk, is_object) = source.into_request(&mut request)?;
    let PreparedRun { plan, sites, extractor } = prepared(py, request, &given, &network, is_object)?;
    sites.check(&plan).map_err(raised)?;
    let columns = ArrowColumns::of_documents(OptionalColumns::of(extractor.options()));
    let (sender, receiver) = sync_channel(PIECES_AHEAD);
    let run = move || {
        let mut pieces = Pieces { sender, piece: Vec::new(), bytes: 0 };
        let mut no_progress = ();
        let mut sink = io::sink();
        let first_pass = Environment { network: network.clone(), ..Environment::new(&mut sink, &mut no_progress) };
        let extractor = sites.apply(extractor, &plan, first_pass)?;
        let mut nowhere = io::sink();
        let environment = Environment { disk: &*disk, network, ..Environment::new(&mut nowhere, &mut no_progress) };
        let extract = |bytes: &[u8], hints: &Hints<'_>| extractor.document(bytes, hints);
        let summary = Run::of_plan(&plan, &extract).documents(environment, |record| pieces.add(record))?;
        // What came last; that nobody wants it is no fault.
        let _ = pieces.send();
        Ok(summary)
    };
    let run = thread::Builder::new()
        .name("trommel".to_owned())
        .spawn(run)
        .map_err(|error| TrommelError::new_err(format!("cannot start a thread: {error}")))?;
    Ok(DocumentBatches {
        reading: Mutex::new(Reading { receiver, waiting: Vec::new().into_iter(), run: Some(run), columns }),
        summary: Mutex::new(None),
        stop,
        batch_size: batch_size.map_or(usize::MAX, NonZeroUsize::get),
        strict,
        process: std::process::id(),
    })
}

/// An iterator of the documents of archives. At its end `summary` has the counts of the run.
#[pyclass(frozen, module = "trommel_text")]
pub(crate) struct ArchiveDocuments(DocumentBatches);

/// Reads archives and returns their documents one by one, in the order of the records:
/// `for document in read_documents("a.warc.gz", limit=10)`. Arguments and settings are those of `read_warc`; pyarrow is
/// not needed.
#[pyfunction]
#[pyo3(signature = (source, *, extractor=None, config=None, strict=false, select=None, shard=None, **choices))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn read_documents(
    py: Python<'_>,
    source: Named,
    extractor: Option<&Bound<'_, PyExtractor>>,
    config: Option<ConfigArgument>,
    strict: bool,
    select: Option<Paths>,
    shard: Option<&str>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArchiveDocuments> {
    let one = Some(NonZeroUsize::MIN);
    read_warc(py, source, extractor, config, one, strict, select, shard, choices).map(ArchiveDocuments)
}

#[pymethods]
impl ArchiveDocuments {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyDocument>> {
        // One that has come already needs no other thread, and so no change of threads of Python.
        let ready = self.0.reading.try_lock().ok().and_then(|mut reading| reading.waiting.next());
        match ready {
            Some(record) => Ok(Some(PyDocument(record))),
            None => Ok(self.0.take(py)?.pop().map(PyDocument)),
        }
    }

    /// Counts of the run as a dict, as `trommel run --summary` writes them; `None` before the end.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.summary(py)
    }

    /// Stops reading before the end of the archives.
    fn close(&self) {
        self.0.close();
    }
}

/// Returns an empty batch with the columns of `read_warc`, for `pyarrow.schema`. `choices` and `config` select the
/// optional columns (`blocks`, `spans`, `tables`, `posts`, `chunks`).
#[pyfunction]
#[pyo3(signature = (*, config=None, **choices))]
pub(crate) fn document_schema(
    config: Option<ConfigArgument>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyRecordBatch> {
    let given = RunChoices::read(None, config, choices, of_documents)?;
    let options = given.settings()?.document_options();
    ArrowColumns::of_documents(OptionalColumns::of(&options)).batch(&[]).map(PyRecordBatch)
}

#[pymethods]
impl DocumentBatches {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        let records = self.take(py)?;
        if records.is_empty() {
            return Ok(None);
        }
        py.detach(|| {
            let rows: Vec<Option<&Document>> = records.iter().map(Some).collect();
            let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            reading.columns.batch(&rows)
        })
        .map(|batch| Some(PyRecordBatch(batch)))
    }

    /// Counts of the run as a dict, as `trommel run --summary` writes them; `None` before the end.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        summary.as_ref().map(|summary| summary_dict(py, summary)).transpose()
    }

    /// Stops reading before the end of the archives.
    fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Reading {
    /// Returns at most `most` next documents; an empty list at the end of the run.
    ///
    /// # Errors
    /// Raises the exception of a signal that arrived.
    fn records(&mut self, most: usize) -> PyResult<Vec<Document>> {
        let mut records = Vec::new();
        let mut bytes = 0;
        while records.len() < most && bytes < BATCH_BYTES {
            if let Some(record) = self.waiting.next() {
                bytes += size(&record);
                records.push(record);
                continue;
            }
            match self.receiver.recv_timeout(PAUSE) {
                Ok(piece) => self.waiting = piece.into_iter(),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            }
        }
        Ok(records)
    }
}

impl DocumentBatches {
    /// Returns the next documents. At the end of the run returns an empty list and records the result of the run.
    ///
    /// # Errors
    /// Raises the exception of a signal that arrived, or of a run that failed.
    fn take(&self, py: Python<'_>) -> PyResult<Vec<Document>> {
        // Threads are not copied by a fork: waiting for them would never end.
        if self.process != std::process::id() {
            return Err(PyValueError::new_err(
                "this iterator was made before a fork: make it in the process that reads it",
            ));
        }
        let records = py.detach(|| {
            let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            reading.records(self.batch_size)
        });
        let records = records.inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
        if records.is_empty() {
            self.end(py)?;
        }
        Ok(records)
    }

    /// Waits for the end of the run and stores its counts; raises its error.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let ended = py.detach(|| {
            let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            reading.run.take().map(JoinHandle::join)
        });
        let summary = match ended {
            None => return Ok(()),
            Some(Err(_)) => return Err(TrommelError::new_err("a fault of the program")),
            Some(Ok(Err(error))) if error.kind() == ErrorKind::Stopped => return Ok(()),
            Some(Ok(Err(error))) => return Err(run_ended(error)),
            Some(Ok(Ok(summary))) => summary,
        };
        let wants_fault = self.strict || summary.outcome() == Outcome::Nothing;
        let fault = wants_fault.then(|| first_fault(py, &summary)).flatten();
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary);
        fault.map_or(Ok(()), Err)
    }
}
