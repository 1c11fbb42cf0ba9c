//! A run connects the reader, the workers and the writer.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use trommel_archive::PayloadOptions;
use trommel_filters::Filters;
use trommel_metrics::Metrics;
use trommel_output::{BULK_MAPPING, Disk, hidden};

use crate::counts::clock::{Clock, Stage};
use crate::counts::progress::{Progress, ProgressState};
use crate::counts::summary::Summary;
use crate::environment::Environment;
use crate::error::RunError;
use crate::inputs::Input;
use crate::inputs::network::Network;
use crate::plan::Plan;
use crate::plan::existing::{Existing, check_kinds, outputs, remove_leftovers, remove_sides};
use crate::plan::output::Destination;
use crate::read::follow::FollowState;
use crate::read::reader::{RecordFeed, Start};
use crate::state::checkpoint::{Checkpoint, ContinuedRun, ResumeError};
use crate::state::lock::OutputLock;
use crate::stream::{RunEvent, RunPosition};
use crate::work::gate::Gate;
use crate::work::record::{Extract, RecordExtractor};
use crate::work::task::{Task, WorkerResult};
use crate::work::worker::{MapDocument, RESULTS_PER_SEND, Worker};
use crate::write::manifest;
use crate::write::outputs::Encoder;
use crate::write::writer::{RunWriter, finished};

/// Records between the reader and the writer, for each worker.
// 6 and 8 were tried: speed and peak memory were the same within the noise.
const WINDOW_PER_WORKER: usize = 12;
/// Bytes of their blocks, in all.
// Bounds records of the largest size; many small ones never reach it.
const WINDOW_BYTES: u64 = 256 << 20;
/// Time between two reports of progress.
// Also how soon a run hears that it is stopped.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

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
pub fn run(plan: &Plan, extract: &Extract<'_>, environment: Environment<'_>) -> Result<Summary, RunError> {
    execute::<()>(plan, extract, environment, None)
}

/// The function that takes the events of a run for the caller.
pub(crate) type TakeStep<'a, T> = dyn FnMut(RunEvent<T>, Option<RunPosition>) -> Result<(), RunError> + 'a;

/// The caller of a run who takes its documents.
pub(crate) struct Caller<'a, T> {
    /// Makes of a document what the caller takes.
    pub(crate) map: &'a MapDocument<'a, T>,
    /// Takes the events.
    pub(crate) take: &'a mut TakeStep<'a, T>,
    /// Whether it takes dropped records, too.
    pub(crate) wants_drops: bool,
    /// The position at which the run begins; none: at its first input.
    pub(crate) start: Option<RunPosition>,
}

/// Reads all inputs of `plan`, as [`run`] does, and gives the events to `caller` if there is one.
///
/// # Errors
/// As for [`run`], and those of `caller`.
pub(crate) fn execute<T: Send>(
    plan: &Plan,
    extract: &Extract<'_>,
    environment: Environment<'_>,
    caller: Option<Caller<'_, T>>,
) -> Result<Summary, RunError> {
    let begun = Instant::now();
    if caller.as_ref().is_some_and(|caller| caller.start.is_some()) && !plan.has_positions() {
        return Err(RunError::Start);
    }
    let encoders = Encoder::all(plan)?;
    let Environment { stdout, progress, disk, stop, network, unfinished, existing, clock, metrics } = environment;
    let flag = network.stop.clone();
    let flag_set = || stop.load(Ordering::Relaxed) || flag.is_set();
    let is_stopped = || plan.follow.is_none() && flag_set();
    if let Destination::Folder(folder) = &plan.output.destination {
        fs::create_dir_all(folder).map_err(|source| RunError::output(folder, source))?;
    }
    // Before anything is looked at: another run could change it in between.
    let _lock = OutputLock::acquire(&plan.output.destination)?;
    let mut continued = begin(plan, disk, existing)?;
    let (map, mut take, wants_drops, first) = match caller {
        Some(Caller { map, take, wants_drops, start }) => (Some(map), Some(take), wants_drops, start),
        None => (None, None, false, None),
    };
    let mut tell = |event: RunEvent<T>, position: Option<RunPosition>| match &mut take {
        Some(take) => take(event, position),
        None => Ok(()),
    };
    if let Some(position) = first {
        continued.todo.retain(|input| *input >= position.input);
    }
    if continued.is_done(plan) {
        tracing::info!("nothing to do: this run is finished and no input is new");
        return finished(continued);
    }
    if let Destination::Folder(folder) = &plan.output.destination {
        // The mark of completeness goes first, so that it never stands beside unfinished outputs.
        manifest::begin(disk, folder).map_err(|source| RunError::output(folder, source))?;
    }
    if let Some(path) = plan.output.mapping_path()
        && (existing == Existing::Overwrite || !path.exists())
    {
        // Settings that somebody changed stay.
        write_mapping(disk, &path).map_err(|source| RunError::output(&path, source))?;
    }
    let start = Start {
        todo: continued.todo.clone(),
        point: match first {
            Some(position) => position.point,
            None => continued.state.current.as_ref().and_then(|current| current.point),
        },
    };
    let jobs = plan.jobs().get();
    let window = jobs.saturating_mul(WINDOW_PER_WORKER);
    let memory = plan.settings.limits.max_memory;
    let memory = memory.map_or(u64::MAX, |memory| memory.0);
    let filters = Filters::new(&plan.settings.filters);
    // Of a record in work there are two copies.
    let gate = Gate::new(window, WINDOW_BYTES.min(memory / 8));
    // Pages being judged need several times their bytes; the rest is for records, outputs and filters.
    let room = Gate::new(usize::MAX, memory / 2);
    let position = AtomicU64::new(0);
    let records = RecordExtractor {
        room: Some(&room),
        copies: plan.settings.archive.crawler_text,
        quarantine: plan.quarantine.is_some(),
        set_aside: &plan.set_aside,
        hard: plan.hard.as_ref(),
        clock,
        ..RecordExtractor::new(extract, &filters, PayloadOptions { max_payload: plan.max_payload() })
    };
    let worker = Worker { records, encoders: &encoders, map, labels: wants_drops || plan.dropped.is_some() };
    let followed = FollowState::new(
        &continued.contents.done,
        continued.state.current.as_ref().map(|current| (current.identity.name.clone(), current.point)),
    );
    let mut writer = RunWriter::new(plan, &encoders, stdout, disk, continued)?;
    writer.metrics = metrics;
    if map.is_some() {
        writer.take = Some(&mut tell);
    }
    let mut ticker = Ticker { progress, position: &position, total: total(&plan.inputs), last: None };

    let written = thread::scope(|scope| {
        // The gate bounds what is inside, so that nobody ever waits at these channels.
        let (task_sender, tasks) = bounded(window);
        let (result_sender, results) = bounded(window);
        // While the reader waits, as many blocks come back as results go together.
        let (spare_sender, spares) = bounded(jobs.max(RESULTS_PER_SEND));
        for index in 0..jobs {
            let (tasks, results, worker) = (tasks.clone(), result_sender.clone(), &worker);
            let spares = spare_sender.clone();
            thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn_scoped(scope, move || worker.run(&tasks, &results, &spares))
                .map_err(RunError::Thread)?;
        }
        // The channels end when the workers do, so the writer must hold no sender itself.
        drop((tasks, result_sender));
        let mut feed = RecordFeed::new(plan, &gate, task_sender, spares, &position, disk);
        feed.clock = clock;
        feed.metrics = metrics;
        feed.stop = network.stop.clone();
        feed.network = Network::new(network);
        thread::Builder::new()
            .name("reader".to_owned())
            .spawn_scoped(scope, move || {
                // Being stopped is no fault: the writer knows why.
                let _ = match &plan.follow {
                    Some(follow) => feed.follow(follow, followed),
                    None => feed.run(start),
                };
            })
            .map_err(RunError::Thread)?;
        let written = write(&results, &gate, &mut writer, &mut ticker, (&is_stopped, clock, metrics));
        // Wakes the reader, which may wait at the gate, so that the scope can end.
        gate.close();
        written
    });
    // What is followed is read up to a good end when it is stopped, and goes on from there.
    let left = plan.follow.is_some() && flag_set() && plan.state_file().is_some();
    let written = if left { written.and(Err(RunError::Stopped)) } else { written };
    let closed = match written.and_then(|()| writer.finish()) {
        Ok(()) => false,
        Err(error) if is_reader_gone(plan, &error) => {
            writer.close();
            writer.finish()?;
            true
        }
        Err(error) => {
            let mut summary = writer.remove_unfinished();
            summary.seconds += begun.elapsed().as_secs_f64();
            summary.ended_early = Some(error.to_string());
            if let Some(unfinished) = unfinished {
                *unfinished = summary;
            }
            return Err(error);
        }
    };
    let mut summary = writer.into_summary();
    summary.closed = closed;
    summary.seconds += begun.elapsed().as_secs_f64();
    ticker.report(&summary);
    Ok(summary)
}

/// Whether who takes the documents wants no more.
fn is_reader_gone(plan: &Plan, error: &RunError) -> bool {
    let source = match error {
        RunError::Output { source, .. } if plan.output.destination == Destination::Stdout => source,
        RunError::Caller(source) => source,
        _ => return false,
    };
    source.kind() == io::ErrorKind::BrokenPipe
}

fn write_mapping(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let new = hidden(path, "tmp")?;
    let mut file = disk.create(&new)?;
    file.write_all(BULK_MAPPING.as_bytes())?;
    file.sync()?;
    // Some systems refuse to rename an open file.
    drop(file);
    disk.rename(&new, path)
}

impl Plan {
    /// Whether a run of this plan can start in the middle of its inputs.
    // Duplicates and copies are those of documents before, which a position does not hold; followed inputs have no order.
    pub(crate) fn has_positions(&self) -> bool {
        let duplicates = &self.settings.filters.duplicates;
        self.follow.is_none() && !duplicates.exact && !duplicates.near && !self.settings.archive.crawler_text
    }

    /// Whether a run of this plan has anything to do, found out before the work of a first pass. Nothing is
    /// changed.
    ///
    /// # Errors
    /// If it would be refused.
    pub fn has_work(&self, existing: Existing) -> Result<bool, RunError> {
        let continued = find_continued(self, existing)?;
        Ok(!continued.is_some_and(|continued| continued.is_done(self)))
    }
}

/// The run to be continued; none if one begins. Refuses files that must not be there.
fn find_continued(plan: &Plan, existing: Existing) -> Result<Option<ContinuedRun>, RunError> {
    plan.check_names(None)?;
    let path = plan.state_file();
    if existing == Existing::Resume {
        let path = path.as_deref().ok_or(ResumeError::Stream)?;
        if let Some(continued) = ContinuedRun::load(plan, path)? {
            return Ok(Some(continued));
        }
    }
    let outputs = outputs(plan)?;
    check_kinds(plan, &outputs)?;
    if existing != Existing::Overwrite {
        if let Some(path) = &path
            && Checkpoint::read(path)?.is_some_and(|state| !state.finished)
        {
            return Err(RunError::Interrupted(path.clone()));
        }
        if let Some(output) = outputs.first().cloned() {
            return Err(match existing {
                Existing::Resume => RunError::NoState(output),
                _ => RunError::Exists(output),
            });
        }
    }
    Ok(None)
}

/// The state to begin with: that of an interrupted or finished run if it is to be continued, else an empty
/// one.
fn begin(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<ContinuedRun, RunError> {
    let path = plan.state_file();
    if let Some(continued) = find_continued(plan, existing)? {
        tracing::info!(
            "continuing; inputs finished: {}, records read: {}",
            continued.contents.done.len(),
            continued.state.summary.records
        );
        return Ok(continued);
    }
    if let (Existing::Resume, Some(path)) = (existing, &path) {
        tracing::info!("{}: no such state; starting afresh", path.display());
    }
    // Before its files are written over.
    if let Some(path) = path.filter(|path| path.exists()) {
        disk.remove(&path).map_err(|source| RunError::output(&path, source))?;
    }
    remove_leftovers(plan, disk)?;
    remove_sides(plan, disk)?;
    Ok(ContinuedRun::new_run(plan))
}

/// Puts the results in order and writes them until there are no more.
fn write<T>(
    results: &Receiver<Vec<Task<WorkerResult<T>>>>,
    gate: &Gate,
    writer: &mut RunWriter<'_, T>,
    ticker: &mut Ticker<'_>,
    (is_stopped, clock, metrics): (&dyn Fn() -> bool, Option<&Clock>, Option<&Metrics>),
) -> Result<(), RunError> {
    // Results that came before their turn. The gate bounds how many there can be.
    let mut early = BTreeMap::new();
    let mut next = 0;
    loop {
        if is_stopped() {
            return Err(RunError::Stopped);
        }
        match results.recv_timeout(PROGRESS_INTERVAL) {
            Ok(done) => {
                early.extend(done.into_iter().map(|task| (task.number, task)));
                let (mut tasks, mut bytes) = (0, 0u64);
                while let Some(task) = early.remove(&next) {
                    next += 1;
                    tasks += 1;
                    bytes = bytes.saturating_add(task.bytes);
                    let mut begin = Instant::now();
                    writer.step(task)?;
                    if let Some(clock) = clock {
                        clock.lap(Stage::Writing, &mut begin);
                    }
                }
                // Once for all that were written: each call may wake the reader.
                if tasks > 0 {
                    gate.leave(tasks, bytes);
                }
                if let Some(metrics) = metrics {
                    metrics.queue(gate.inside());
                }
            }
            Err(RecvTimeoutError::Timeout) => writer.idle()?,
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
        if self.last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            self.report(summary);
        }
    }

    fn report(&mut self, summary: &Summary) {
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
            Input::Packed(packed) => Some(packed.bytes()),
            Input::Selection(selection) => Some(selection.bytes()),
            Input::Stdin | Input::Url(_) => None,
        })
        .sum()
}
