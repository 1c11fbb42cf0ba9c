//! A run: reader, workers and writer put together.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use trommel_archive::PayloadOptions;
use trommel_sinks::{SinkError, encoder};

use crate::{
    Destination, Input, Output, Progress, State, Summary,
    gate::Gate,
    reader::Feed,
    task::{Made, Task},
    worker::{Extract, Worker},
    writer::Writer,
};

/// Records between the reader and the writer, for each worker.
const WINDOW: usize = 32;
/// Bytes of their blocks, in all.
const WINDOW_BYTES: u64 = 256 << 20;
/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(200);

/// What a run is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The archives, in order.
    pub inputs: Vec<Input>,
    /// Where the documents go.
    pub output: Output,
    /// Number of worker threads. It has no influence on the output.
    pub jobs: NonZeroUsize,
    /// Most bytes kept of one record's block; the rest is skipped and the document notes it.
    pub max_record: u64,
    /// Most bytes kept of one decoded payload; the rest is skipped and the document notes it.
    pub max_payload: u64,
    /// Seconds since 1970 that stand for the time of the run in WET files (`SOURCE_DATE_EPOCH`).
    pub epoch: Option<i64>,
}

/// Why a run ended early. What was written of unfinished files is removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An output cannot be written.
    #[error("{path}: {source}", path = path.display())]
    Output {
        /// The output.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An output cannot be written in its format.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl RunError {
    pub(crate) fn output(path: &Path, source: io::Error) -> Self {
        Self::Output {
            path: path.to_owned(),
            source,
        }
    }
}

/// Reads all inputs of `plan`, has `extract` take the text out of every page, and writes the documents
/// in the order of the records. `stdout` is written to only if it is the plan's destination. The
/// output is the same for any number of workers.
///
/// Inputs that cannot be read, damage and failed records don't end the run; they are logged, one line
/// each, and counted in the summary. If the reader of `stdout` goes away the run ends without an error.
///
/// # Errors
/// If an output cannot be written. Files finished before that stay.
pub fn run(
    plan: &Plan,
    extract: &Extract<'_>,
    stdout: &mut dyn Write,
    progress: &mut dyn Progress,
) -> Result<Summary, RunError> {
    let start = Instant::now();
    let (encoder, compression) = encoder(plan.output.format, plan.output.compression)?;
    if let Destination::Folder(folder) = &plan.output.destination {
        fs::create_dir_all(folder).map_err(|source| RunError::output(folder, source))?;
    }
    let jobs = plan.jobs.get();
    let window = jobs.saturating_mul(WINDOW);
    let gate = Gate::new(window, WINDOW_BYTES);
    let position = AtomicU64::new(0);
    let worker = Worker {
        extract,
        encoder: &*encoder,
        payload: PayloadOptions {
            max_payload: plan.max_payload,
        },
    };
    let mut writer = Writer::new(plan, &*encoder, compression, stdout);
    let mut ticker = Ticker {
        progress,
        position: &position,
        total: total(&plan.inputs),
        last: None,
    };

    let written = thread::scope(|scope| {
        // The gate bounds what is inside, so that nobody ever waits at these channels.
        let (task_sender, tasks) = bounded(window);
        let (result_sender, results) = bounded(window);
        for index in 0..jobs {
            let (tasks, results, worker) = (tasks.clone(), result_sender.clone(), &worker);
            thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn_scoped(scope, move || worker.run(&tasks, &results))
                .map_err(RunError::Thread)?;
        }
        drop((tasks, result_sender));
        let feed = Feed::new(plan, &gate, task_sender, &position);
        thread::Builder::new()
            .name("reader".to_owned())
            .spawn_scoped(scope, move || {
                // Being stopped is no fault: the writer knows why.
                let _ = feed.run();
            })
            .map_err(RunError::Thread)?;
        let written = write(&results, &gate, &mut writer, &mut ticker);
        gate.close();
        written
    });
    let closed = match written.and_then(|()| writer.finish()) {
        Ok(()) => false,
        Err(RunError::Output { source, .. })
            if source.kind() == io::ErrorKind::BrokenPipe
                && plan.output.destination == Destination::Stdout =>
        {
            true
        }
        Err(error) => return Err(error),
    };
    let mut summary = writer.into_summary();
    summary.closed = closed;
    summary.seconds = start.elapsed().as_secs_f64();
    ticker.tell(&summary);
    Ok(summary)
}

/// Puts the results in order and writes them until there are no more.
fn write(
    results: &Receiver<Task<Made>>,
    gate: &Gate,
    writer: &mut Writer<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<(), RunError> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    loop {
        match results.recv_timeout(TICK) {
            Ok(task) => {
                early.insert(task.number, task);
                while let Some(task) = early.remove(&next) {
                    next += 1;
                    writer.step(task.step)?;
                    gate.leave(task.bytes);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        ticker.tick(writer.summary());
    }
}

/// Calls the progress now and then.
struct Ticker<'a> {
    progress: &'a mut dyn Progress,
    position: &'a AtomicU64,
    total: Option<u64>,
    last: Option<Instant>,
}

impl Ticker<'_> {
    fn tick(&mut self, summary: &Summary) {
        if self.last.is_none_or(|last| last.elapsed() >= TICK) {
            self.tell(summary);
        }
    }

    fn tell(&mut self, summary: &Summary) {
        self.last = Some(Instant::now());
        self.progress.update(&State {
            bytes: self.position.load(Ordering::Relaxed),
            total: self.total,
            records: summary.records,
            documents: summary.documents,
            failures: summary.failures.values().sum(),
        });
    }
}

/// Stored bytes of all inputs, if that can be known.
fn total(inputs: &[Input]) -> Option<u64> {
    inputs
        .iter()
        .map(|input| match input {
            Input::File(path) => Some(fs::metadata(path).map_or(0, |file| file.len())),
            Input::Nothing { .. } => Some(0),
            Input::Stdin => None,
        })
        .sum()
}
