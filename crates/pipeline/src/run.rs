//! A run: reader, workers and writer put together.

use std::{
    collections::BTreeMap,
    fs, io,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use trommel_archive::PayloadOptions;
use trommel_output::Disk;

use crate::clock::{Clock, Stage};
use crate::{
    Destination, Environment, Input, Plan, Progress, ProgressState, ResumeError, RunError, Summary,
    checkpoint::Checkpoint,
    gate::Gate,
    manifest,
    network::Network,
    outputs::Encoder,
    reader::{Feed, Start},
    task::{Made, Task},
    worker::{Extract, Worker},
    writer::Writer,
};

/// Records between the reader and the writer, for each worker.
const WINDOW: usize = 12;
/// Bytes of their blocks, in all.
const WINDOW_BYTES: u64 = 256 << 20;
/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(200);

/// Reads all inputs of `plan`, has `extract` take the text out of every page, and writes the documents
/// in the order of the records. The output is the same for any number of workers, and if the run was
/// interrupted and continued.
///
/// Inputs that cannot be opened, damage and failed records don't end the run; they are logged, one line
/// each, and counted in the summary. If the reader of standard output goes away the run ends without an
/// error.
///
/// # Errors
/// If an output cannot be written, if the system cannot read on in the middle of an archive (the second
/// time at the same place the archive is given up), if the run is stopped, or if it cannot continue
/// where another ended. Files finished before that stay.
pub fn run(plan: &Plan, extract: &Extract<'_>, host: Environment<'_>) -> Result<Summary, RunError> {
    let start = Instant::now();
    let encoders = Encoder::all(plan)?;
    if let Destination::Folder(folder) = &plan.output.destination {
        fs::create_dir_all(folder).map_err(|source| RunError::output(folder, source))?;
    }
    let Environment {
        stdout,
        progress,
        disk,
        stop,
        network,
        resume,
        clock,
    } = host;
    let flag = network.stop.clone();
    let is_stopped = || stop.load(Ordering::Relaxed) || flag.is_set();
    let state = state(plan, disk, resume)?;
    if let Destination::Folder(folder) = &plan.output.destination {
        manifest::begin(disk, folder).map_err(|source| RunError::output(folder, source))?;
    }
    let begin = Start {
        input: state.input,
        point: state.point,
    };
    let jobs = plan.jobs.get();
    let window = jobs.saturating_mul(WINDOW);
    let memory = plan.max_memory.unwrap_or(u64::MAX);
    // Of a record in work there are two copies.
    let gate = Gate::new(window, WINDOW_BYTES.min(memory / 8));
    let room = Gate::new(usize::MAX, memory / 2);
    let position = AtomicU64::new(0);
    let worker = Worker {
        extract,
        encoders: &encoders,
        payload: PayloadOptions {
            max_payload: plan.max_payload,
        },
        room: &room,
        filters: &plan.filters,
        quarantine: plan.quarantine.is_some(),
        clock,
    };
    let mut writer = Writer::new(plan, &encoders, stdout, disk, state)?;
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
        let (spare_sender, spares) = bounded(jobs);
        for index in 0..jobs {
            let (tasks, results, worker) = (tasks.clone(), result_sender.clone(), &worker);
            let spares = spare_sender.clone();
            thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn_scoped(scope, move || worker.run(&tasks, &results, &spares))
                .map_err(RunError::Thread)?;
        }
        drop((tasks, result_sender));
        let mut feed = Feed::new(plan, &gate, task_sender, spares, &position, disk);
        feed.clock = clock;
        feed.stop = network.stop.clone();
        feed.network = Network::new(network);
        thread::Builder::new()
            .name("reader".to_owned())
            .spawn_scoped(scope, move || {
                // Being stopped is no fault: the writer knows why.
                let _ = feed.run(begin);
            })
            .map_err(RunError::Thread)?;
        let written = write(
            &results,
            &gate,
            &mut writer,
            &mut ticker,
            (&is_stopped, clock),
        );
        gate.close();
        written
    });
    let closed = match written.and_then(|()| writer.finish()) {
        Ok(()) => false,
        Err(RunError::Output { source, .. })
            if source.kind() == io::ErrorKind::BrokenPipe
                && plan.output.destination == Destination::Stdout =>
        {
            writer.close();
            writer.finish()?;
            true
        }
        Err(error) => {
            writer.leave();
            return Err(error);
        }
    };
    let mut summary = writer.into_summary();
    summary.closed = closed;
    summary.seconds += start.elapsed().as_secs_f64();
    ticker.tell(&summary);
    Ok(summary)
}

/// The state to begin from: that of an interrupted run if there is one and it is wanted.
fn state(plan: &Plan, disk: &dyn Disk, resume: bool) -> Result<Checkpoint, RunError> {
    let facts = plan.facts();
    let path = match plan.state_file() {
        Some(path) => path,
        None if resume => return Err(ResumeError::Stream.into()),
        None => return Ok(Checkpoint::new(facts)),
    };
    if resume {
        if let Some(state) = Checkpoint::load(&path, &facts)? {
            tracing::info!(
                "going on after {} records of an interrupted run",
                state.summary.records
            );
            return Ok(state);
        }
        tracing::info!("{}: no such state; starting afresh", path.display());
    } else if path.exists() {
        tracing::warn!(
            "{}: state of an interrupted run removed; starting afresh",
            path.display()
        );
        // Before its files are written over.
        disk.remove(&path)
            .map_err(|source| RunError::output(&path, source))?;
    }
    Ok(Checkpoint::new(facts))
}

/// Puts the results in order and writes them until there are no more.
fn write(
    results: &Receiver<Task<Made>>,
    gate: &Gate,
    writer: &mut Writer<'_>,
    ticker: &mut Ticker<'_>,
    (is_stopped, clock): (&dyn Fn() -> bool, Option<&Clock>),
) -> Result<(), RunError> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    loop {
        if is_stopped() {
            return Err(RunError::Stopped);
        }
        match results.recv_timeout(TICK) {
            Ok(task) => {
                early.insert(task.number, task);
                while let Some(task) = early.remove(&next) {
                    next += 1;
                    let bytes = task.bytes;
                    let mut begin = Instant::now();
                    writer.step(task)?;
                    if let Some(clock) = clock {
                        clock.lap(Stage::Writing, &mut begin);
                    }
                    gate.leave(bytes);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // A reader that was stopped ends early, too.
            Err(RecvTimeoutError::Disconnected) if is_stopped() => return Err(RunError::Stopped),
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
        self.progress.update(&ProgressState {
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
            Input::Selection(selection) => Some(selection.bytes()),
            Input::Stdin | Input::Url(_) => None,
        })
        .sum()
}
