//! `read_warc`: the documents of archives as record batches, in the order of the records.
//!
//! A run (the same that `trommel run` is) writes MessagePack into a channel on threads of its own; whoever
//! iterates takes records out of it.

use std::{
    io::{self, BufRead, Read, Write},
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use serde_json::Value;
use trommel::Hints;
use trommel_output::{OptionalColumns, OutputRecord, RecordReader};
use trommel_pipeline::{
    Environment, Outcome, PreparedRun, RunError as Ended, RunRequest, Summary, run,
};
use trommel_sources::NetworkOptions;

use crate::{
    arrow::{ArrowColumns, PyRecordBatch},
    errors::{RunError, TrommelError, first_fault},
    extractor::PyExtractor,
    inputs::{Named, refused},
    logging,
    names::Paths,
    run::{last_step, summary_dict},
    settings::{GivenConfig, RunChoices, of_documents, refusal},
    signals::PAUSE,
};

/// Pieces of output on their way, each of about [`PIECE`].
const AHEAD: usize = 2;
/// Bytes of documents after which a piece is sent.
const PIECE: u64 = 1 << 20;
/// Bytes of text after which a batch ends early.
const BATCH_BYTES: usize = 64 << 20;

/// Takes what a run writes to its standard output.
struct Pieces {
    sender: SyncSender<Vec<u8>>,
    piece: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        // Nobody iterates any more.
        self.sender
            .send(std::mem::take(&mut self.piece))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Reads what a run wrote. Waiting ends if a signal comes.
struct Stream {
    receiver: Receiver<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
    /// The exception that a signal raised.
    signal: Arc<Mutex<Option<PyErr>>>,
}

impl BufRead for Stream {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.piece.position() == self.piece.get_ref().len() as u64 {
            match self.receiver.recv_timeout(PAUSE) {
                Ok(piece) => self.piece = io::Cursor::new(piece),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(signal) = Python::attach(|py| py.check_signals()) {
                        *self.signal.lock().unwrap_or_else(PoisonError::into_inner) = Some(signal);
                        return Err(io::Error::other("interrupted"));
                    }
                }
            }
        }
        self.piece.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.piece.consume(bytes);
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

/// The run and what is read of it.
struct Reading {
    stream: Option<Stream>,
    records: Option<RecordReader<Stream>>,
    run: Option<JoinHandle<Result<Summary, Ended>>>,
    columns: ArrowColumns,
}

/// An iterator of record batches. After its end `summary` holds the counts of the run.
#[pyclass(frozen, module = "trommel_text")]
pub(crate) struct DocumentBatches {
    reading: Mutex<Reading>,
    summary: Mutex<Option<Summary>>,
    signal: Arc<Mutex<Option<PyErr>>>,
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

/// The documents of archives as record batches, in the order of the records: the documents that
/// `trommel run` writes, with their places. `choices` are all settings by their names but those of files (`format`,
/// `compress`, `split_size`, `checkpoint`), and win over `config`, of which those of files have no effect here.
#[pyfunction]
#[pyo3(signature = (source, *, extractor=None, config=None, batch_size=NonZeroUsize::new(1024), strict=false, select=None, shard=None, **choices))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn read_warc(
    py: Python<'_>,
    source: Named,
    extractor: Option<&Bound<'_, PyExtractor>>,
    config: Option<GivenConfig>,
    batch_size: Option<NonZeroUsize>,
    strict: bool,
    select: Option<Paths>,
    shard: Option<&str>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<DocumentBatches> {
    logging::connect();
    let given = RunChoices::read(extractor, config, choices, of_documents)?;
    let stop = Arc::new(AtomicBool::new(false));
    let network = NetworkOptions {
        stop: stop.clone().into(),
        ..NetworkOptions::default()
    };
    let mut request = RunRequest {
        output: "-".to_owned(),
        select: select.unwrap_or_default().0,
        shard: shard
            .map(|text| text.parse())
            .transpose()
            .map_err(|error: String| PyValueError::new_err(format!("shard: {error}")))?,
        ..RunRequest::default()
    };
    let (disk, is_object) = source.into_request(&mut request)?;
    // What a batch is made of.
    let mut pieces_of = given.chosen.clone();
    for (name, value) in [
        ("format", Value::from("msgpack")),
        ("compress", "none".into()),
        ("checkpoint", PIECE.into()),
    ] {
        pieces_of
            .set(name, value)
            .map_err(|error| refusal(&error))?;
    }
    let prepared = py.detach(|| {
        let model = Some(given.model.model.clone());
        request.prepare(&pieces_of, &given.file, model, &last_step, &network)
    });
    let PreparedRun {
        plan,
        sites,
        extractor,
    } = prepared.map_err(|error| refused(&error))?;
    if is_object && sites.reads_twice() {
        return Err(PyValueError::new_err(
            "site_memory two-pass: a file object can be read once only",
        ));
    }
    sites
        .check(&plan, false)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let columns = ArrowColumns::of_documents(OptionalColumns::of(extractor.options()));
    let (sender, receiver) = sync_channel(AHEAD);
    let stopped = stop.clone();
    let run = move || {
        let mut pieces = Pieces {
            sender,
            piece: Vec::new(),
        };
        let mut no_progress = ();
        let mut sink = io::sink();
        let first_pass = Environment {
            stop: &stopped,
            network: network.clone(),
            ..Environment::new(&mut sink, &mut no_progress)
        };
        let extractor = sites.apply(extractor, &plan, first_pass)?;
        let environment = Environment {
            disk: &*disk,
            stop: &stopped,
            network,
            ..Environment::new(&mut pieces, &mut no_progress)
        };
        let extract = |bytes: &[u8], hints: &Hints<'_>| extractor.document(bytes, hints);
        let summary = run(&plan, &extract, environment)?;
        // What came after the last frame; that nobody wants it is no fault.
        let _ = pieces.flush();
        Ok(summary)
    };
    let run = thread::Builder::new()
        .name("trommel".to_owned())
        .spawn(run)
        .map_err(|error| TrommelError::new_err(format!("cannot start a thread: {error}")))?;
    let signal = Arc::new(Mutex::new(None));
    Ok(DocumentBatches {
        reading: Mutex::new(Reading {
            stream: Some(Stream {
                receiver,
                piece: io::Cursor::default(),
                signal: signal.clone(),
            }),
            records: None,
            run: Some(run),
            columns,
        }),
        summary: Mutex::new(None),
        signal,
        stop,
        batch_size: batch_size.map_or(usize::MAX, NonZeroUsize::get),
        strict,
        process: std::process::id(),
    })
}

/// A batch without rows, with the columns of `read_warc`: `pyarrow.schema` takes it. Columns that are there on request
/// only (`blocks`, `spans`, `tables`, `posts`) are as `choices` say, or `config`.
#[pyfunction]
#[pyo3(signature = (*, config=None, **choices))]
pub(crate) fn document_schema(
    config: Option<GivenConfig>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyRecordBatch> {
    let given = RunChoices::read(None, config, choices, of_documents)?;
    let options = given.settings()?.document_options();
    ArrowColumns::of_documents(OptionalColumns::of(&options))
        .batch(&[])
        .map(PyRecordBatch::new)
}

#[pymethods]
impl DocumentBatches {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
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
        let records = match records {
            Ok(records) => records,
            Err(error) => {
                self.stop.store(true, Ordering::Relaxed);
                let signal = self
                    .signal
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take();
                return Err(signal.unwrap_or_else(|| TrommelError::new_err(error)));
            }
        };
        if records.is_empty() {
            return self.end(py).map(|()| None);
        }
        py.detach(|| {
            let rows: Vec<Option<&OutputRecord>> = records.iter().map(Some).collect();
            let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            reading.columns.batch(&rows)
        })
        .map(|batch| Some(PyRecordBatch::new(batch)))
    }

    /// The counts of the run as a dict, as `trommel run --summary` writes them; `None` before the end.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        summary
            .as_ref()
            .map(|summary| summary_dict(py, summary))
            .transpose()
    }

    /// Ends reading before the end of the archives.
    fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Reading {
    /// The next documents, none at the end.
    fn records(&mut self, most: usize) -> Result<Vec<OutputRecord>, String> {
        let mut records = Vec::new();
        let reader = match (&mut self.records, self.stream.take()) {
            (Some(reader), _) => reader,
            (empty, Some(stream)) => {
                empty.insert(RecordReader::new(stream).map_err(|error| error.to_string())?)
            }
            (None, None) => return Ok(records),
        };
        let mut bytes = 0;
        for record in reader {
            let record = record.map_err(|error| error.to_string())?;
            bytes += record.text.len()
                + record
                    .blocks
                    .iter()
                    .map(|block| block.text.len())
                    .sum::<usize>();
            records.push(record);
            if records.len() >= most || bytes >= BATCH_BYTES {
                break;
            }
        }
        Ok(records)
    }
}

impl DocumentBatches {
    /// Takes note of how the run ended.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let ended = py.detach(|| {
            let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            reading.run.take().map(JoinHandle::join)
        });
        let summary = match ended {
            None => return Ok(()),
            Some(Err(_)) => return Err(TrommelError::new_err("a fault of the program")),
            Some(Ok(Err(Ended::Stopped))) => return Ok(()),
            Some(Ok(Err(error))) => return Err(RunError::new_err(error.to_string())),
            Some(Ok(Ok(summary))) => summary,
        };
        let wants_fault = self.strict || summary.outcome() == Outcome::Nothing;
        let fault = wants_fault.then(|| first_fault(py, &summary)).flatten();
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary);
        fault.map_or(Ok(()), Err)
    }
}
