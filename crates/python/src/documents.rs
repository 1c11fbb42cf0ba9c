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
use trommel::Hints;
use trommel_output::{Compression, Format, OptionalColumns, OutputRecord, RecordReader};
use trommel_pipeline::{
    Environment, FormatChoice, Outcome, Output, Plan, RunError as Ended, Summary, run,
};
use trommel_sources::NetworkOptions;

use crate::{
    arrow::{ArrowColumns, PyRecordBatch},
    chosen::{GivenConfig, chosen_extractor},
    errors::{RunError, TrommelError, first_fault},
    extractor::PyExtractor,
    inputs::{Archives, InputChoices, Named, plan},
    logging,
    run::summary_dict,
    signals::PAUSE,
    sites::Sites,
};

/// Pieces of output on their way, each of about [`Plan::frame`].
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
/// `trommel run` writes, with their places. `config` has its effect but for what is said of files (`format`,
/// `compress`, `split_size`); `choices` are the keywords of `Extractor` and win over it.
#[pyfunction]
#[pyo3(signature = (source, *, extractor=None, config=None, jobs=None, batch_size=NonZeroUsize::new(1024), strict=false, base_url=None, pages_only=false, resolve_revisits=false, **choices))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn read_warc(
    py: Python<'_>,
    source: Named,
    extractor: Option<&Bound<'_, PyExtractor>>,
    config: Option<GivenConfig>,
    jobs: Option<NonZeroUsize>,
    batch_size: Option<NonZeroUsize>,
    strict: bool,
    base_url: Option<&str>,
    pages_only: bool,
    resolve_revisits: bool,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<DocumentBatches> {
    logging::connect();
    let given = config.unwrap_or_default();
    let mut extractor = chosen_extractor(py, extractor, &given, choices)?;
    extractor.check_for_many()?;
    let config = given.config;
    let sites = Sites::take(&config, &mut extractor)?;
    let stop = Arc::new(AtomicBool::new(false));
    let network = NetworkOptions {
        stop: stop.clone().into(),
        ..NetworkOptions::default()
    };
    let read = InputChoices {
        base: base_url,
        pages_only,
        ..InputChoices::default()
    };
    let Archives {
        inputs,
        disk,
        is_object,
    } = source.archives(py, &read, &network)?;
    let chosen = FormatChoice {
        formats: vec![Format::Msgpack],
        compression: Some(Compression::None),
    };
    let output = Output::new("-", &chosen, &FormatChoice::default());
    let output = output.map_err(|error| TrommelError::new_err(error.to_string()))?;
    let columns = ArrowColumns::of_documents(extractor.settings.optional());
    let mut plan: Plan = plan(
        inputs, output, &extractor.settings, &config, jobs, &read, &sites,
    )?;
    plan.frame = PIECE;
    plan.resolve_revisits = resolve_revisits;
    sites.check(&plan, is_object, false)?;
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
        let counted = sites.counted(extractor.extractor.clone(), &plan, first_pass)?;
        let extractor = PyExtractor {
            extractor: counted,
            ..extractor
        };
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
/// only are as `config` says, if it is not said here.
#[pyfunction]
#[pyo3(signature = (blocks=None, spans=None, tables=None, *, config=None))]
pub(crate) fn document_schema(
    blocks: Option<bool>,
    spans: Option<bool>,
    tables: Option<bool>,
    config: Option<GivenConfig>,
) -> PyResult<PyRecordBatch> {
    let config = config.unwrap_or_default().config;
    let optional = OptionalColumns {
        blocks: blocks.unwrap_or(config.blocks),
        spans: spans.unwrap_or(config.spans),
        tables: tables.unwrap_or(config.tables),
    };
    ArrowColumns::of_documents(optional)
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
