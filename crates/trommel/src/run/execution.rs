//! A run: readers, workers and writers of archives side by side, from its beginning on.
//!
//! At the beginning it is found out what is there already, and what is left of an earlier run. The surroundings of
//! a run are standard output, progress, disk, network and the flag that stops it. Programs that take the documents
//! themselves get a run as a stream of typed events.

pub(crate) mod lanes;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io, io::Write, sync::Mutex, time::Instant};

use trommel_record::filters::{Duplicates, Filters};
use trommel_record::{BULK_MAPPING, Disk, LocalDisk, OutputRecord, replace};
use trommel_sources::{NetworkOptions, Remote};

use crate::run::counts::{Clock, Counters, Progress};
use crate::run::error::{ResumeError, RunError, RunEvent, RunPosition, TakeEvent};
use crate::run::execution::lanes::{Caller, Lanes, Ticker};
use crate::run::plan::existing::{Existing, check_kinds, outputs, remove_hidden, remove_sides};
use crate::run::plan::output::{Destination, Output};
use crate::run::state::checkpoint::{Checkpoint, ContinuedRun, discard_rest, is_there};
use crate::run::work::worker::{Encoder, MapDocument};
use crate::run::{
    counts::summary::Summary, inputs::Input, plan::Plan, read::follow::FollowState, read::reader::size,
    state::OutputLock, state::remaining::ArchiveState, work::record::Extract, write::lane::Writing,
    write::ledger::Ledger, write::manifest,
};
use crate::{Result, Settings, metrics::Metrics};

/// Reads all inputs of `plan`, has `extract` take the text out of every page, and writes the documents
/// in the order of the records. The output is the same for any number of workers, and if the run was
/// interrupted and continued.
///
/// Inputs that cannot be opened, damage and failed records don't end the run; they are logged, one line
/// each, and counted in the summary. If the reader of standard output goes away the run ends without an
/// error.
///
/// # Errors
/// If an output cannot be written, if the run is stopped, or if it cannot continue where another ended. Also if the
/// system cannot read on in the middle of an archive; the second time at the same place the archive is given up. Files
/// finished before that stay.
pub fn run(plan: &Plan, extract: &Extract<'_>, environment: Environment<'_>) -> Result<Summary> {
    Ok(execute::<()>(plan, extract, environment, None)?)
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
    let start = caller.as_ref().and_then(|caller| caller.start);
    if start.is_some() && !plan.has_positions() {
        return Err(RunError::Start);
    }
    let encoders = Encoder::all(&plan.output.encodings)?;
    make_folder(plan)?;
    // Before anything is looked at: another run could change it in between.
    let _lock = OutputLock::acquire(&plan.output.destination)?;
    let mut continued = begin(plan, environment.disk, environment.existing)?;
    continued.start_at(start);
    continued.end_at_limit(plan);
    if continued.is_done(plan) {
        tracing::info!("nothing to do: this run is finished and no input is new");
        return continued.into_summary();
    }
    mark_begun(plan, environment.disk, environment.existing)?;
    let write_plan = plan.writing(encoders, environment.existing);
    let followed = FollowState::new(&continued);
    let remote = Remote::new(environment.network.clone());
    let reading = plan.reading(&remote);
    let number = plan.lanes(&continued.todo, reading);
    let done_before = bytes_before(plan, &continued);
    let duplicates = Duplicates::new(&plan.settings.filters.duplicates);
    let duplicates = if plan.settings.archive.crawler_text { duplicates.with_copies() } else { duplicates };
    let ledger = Ledger::new(&write_plan, environment.disk, (duplicates, number > 1), continued)?;
    let writing = Writing {
        plan: &write_plan,
        disk: environment.disk,
        counters: Counters::of(&ledger.counts_so_far()),
        ledger: Mutex::new(ledger),
        picking: Mutex::default(),
        metrics: environment.metrics,
        clock: environment.clock,
    };
    writing.counters.read(done_before);
    let (stop, flag) = (environment.stop, environment.network.stop);
    let is_set = || stop.load(Ordering::Relaxed) || flag.is_set();
    let filters = Filters::new(&plan.settings.filters);
    let is_stopped = || plan.follow.is_none() && is_set();
    let lanes = Lanes {
        plan,
        reading,
        writing: &writing,
        filters: &filters,
        extract,
        stop: flag.clone(),
        is_stopped: &is_stopped,
        number,
    };
    let mut ticker = Ticker::new(environment.progress, &writing.counters, plan);
    let written = lanes.run(environment.stdout, caller, followed, &mut ticker);
    // What is followed is read up to a good end when it is stopped, and goes on from there.
    let is_left = plan.follow.is_some() && is_set() && write_plan.state_file.is_some();
    let written = if is_left { written.and(Err(RunError::Stopped)) } else { written };
    let (mut summary, error) = finished(plan, &mut writing.ledger(), written);
    summary.seconds += begun.elapsed().as_secs_f64();
    let Some(error) = error else {
        ticker.report();
        return Ok(summary);
    };
    summary.ended_early = Some(error.to_string());
    if let Some(unfinished) = environment.unfinished {
        *unfinished = summary;
    }
    Err(error)
}

/// Ends the outputs of a run, or leaves them to be continued; returns the counts, and the error that ended it early.
fn finished(plan: &Plan, ledger: &mut Ledger<'_>, written: Result<(), RunError>) -> (Summary, Option<RunError>) {
    let closed = written.as_ref().is_err_and(|error| is_reader_gone(plan, error));
    let written = if closed { Ok(()) } else { written };
    let ended = written.and_then(|()| ledger.finish());
    if ended.is_err() {
        ledger.abandon();
    }
    let summary = Summary { closed, ..ledger.take_summary() };
    (summary, ended.err())
}

/// Stored bytes of the inputs that are done.
fn bytes_before(plan: &Plan, continued: &ContinuedRun) -> u64 {
    let mut left = vec![false; plan.inputs.len()];
    for turn in &continued.todo {
        if let Some(left) = left.get_mut(turn.input) {
            *left = true;
        }
    }
    let done = plan.inputs.iter().zip(left).filter(|(_, left)| !left && plan.follow.is_none());
    let done: u64 = done.filter_map(|(input, _)| size(input)).sum();
    done + continued.partial.as_ref().map_or(0, |partial| partial.state.report.stored_bytes)
}

/// Returns whether who takes the documents wants no more.
fn is_reader_gone(plan: &Plan, error: &RunError) -> bool {
    let source = match error {
        RunError::Output { source, .. } if plan.output.destination == Destination::Stdout => source,
        RunError::Caller(source) => source,
        _ => return false,
    };
    source.kind() == io::ErrorKind::BrokenPipe
}

impl Plan {
    /// Returns whether a run of this plan has anything to do, found out before the work of a first pass. Nothing is
    /// changed.
    ///
    /// # Errors
    /// If it would be refused.
    pub fn has_work(&self, existing: Existing) -> Result<bool> {
        let continued = find_continued(self, existing)?;
        Ok(!continued.is_some_and(|continued| continued.is_done(self)))
    }
}

/// The run to be continued; none if one begins. Refuses files that must not be there.
fn find_continued(plan: &Plan, existing: Existing) -> Result<Option<ContinuedRun>, RunError> {
    plan.names_are_free(None)?;
    let path = plan.state_file();
    if existing == Existing::Resume {
        let paths = path.as_deref().zip(plan.finished_file());
        let (path, finished) = paths.ok_or(ResumeError::Stream)?;
        if let Some(continued) = ContinuedRun::load(plan, [path, &finished])? {
            return Ok(Some(continued));
        }
    }
    let outputs = outputs(plan)?;
    check_kinds(plan, &outputs)?;
    if existing != Existing::Overwrite {
        if let Some(path) = &path
            && Checkpoint::read(path)?.is_some()
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
pub(crate) fn begin(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<ContinuedRun, RunError> {
    let path = plan.state_file();
    if let Some(continued) = find_continued(plan, existing)? {
        tracing::info!(
            "continuing; inputs finished: {}, records read: {}",
            continued.contents.done.len(),
            continued.state.summary.records
        );
        let archives = continued.todo.iter().flat_map(|turn| &turn.begun);
        let kept: Vec<PathBuf> = archives.flat_map(ArchiveState::paths).map(Path::to_owned).collect();
        remove_hidden(plan, disk, Some(&kept))?;
        if let Some(path) = path.filter(|_| continued.finished) {
            discard_rest(disk, &path);
        }
        return Ok(continued);
    }
    if let (Existing::Resume, Some(path)) = (existing, &path) {
        tracing::info!("{}: no such state; starting afresh", path.display());
    }
    // Before its files are written over.
    for path in path.into_iter().chain(plan.finished_file()).filter(|path| is_there(path)) {
        disk.remove(&path).map_err(|source| RunError::output(&path, source))?;
    }
    remove_hidden(plan, disk, None)?;
    remove_sides(plan, disk)?;
    Ok(ContinuedRun::new_run(plan))
}

/// Makes the folder of the outputs.
pub(crate) fn make_folder(plan: &Plan) -> Result<(), RunError> {
    match &plan.output.destination {
        Destination::Folder(folder) => fs::create_dir_all(folder).map_err(|source| RunError::output(folder, source)),
        _ => Ok(()),
    }
}

/// Removes the mark of completeness, and writes the files that do not depend on the inputs.
pub(crate) fn mark_begun(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<(), RunError> {
    if let Destination::Folder(folder) = &plan.output.destination {
        // The mark of completeness goes first, so that it never stands beside unfinished outputs.
        manifest::begin(disk, folder).map_err(|source| RunError::output(folder, source))?;
    }
    if let Some(path) = plan.output.mapping_path()
        && (existing == Existing::Overwrite || !path.exists())
    {
        // Settings that somebody changed stay.
        replace(disk, &path, BULK_MAPPING.as_bytes()).map_err(|source| RunError::output(&path, source))?;
    }
    Ok(())
}

/// A run that nobody stops.
// Static, so that an environment can borrow it for as long as it lives.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The surroundings of a run.
pub struct Environment<'a> {
    /// Standard output; written to only if it is the plan's destination.
    pub stdout: &'a mut dyn Write,
    /// Receives the progress of the run.
    pub progress: &'a mut dyn Progress,
    /// The file system of inputs and outputs.
    pub disk: &'a dyn Disk,
    /// Set from outside, ends the run early with an error of the kind [`Stopped`](crate::ErrorKind::Stopped).
    pub stop: &'a AtomicBool,
    /// Options of waiting for the network. Their flag ends waiting reads of the network, of standard input and
    /// of named pipes. It should be the flag of [`Environment::stop`].
    pub network: NetworkOptions,
    /// Takes the counts of a run that ends early.
    pub unfinished: Option<&'a mut Summary>,
    /// The treatment of existing outputs.
    pub existing: Existing,
    /// Measures the time of reading, encoding and writing.
    pub clock: Option<&'a Clock>,
    /// Receives the counts.
    pub metrics: Option<&'a Metrics>,
}

impl<'a> Environment<'a> {
    /// The local file system, nobody who stops the run, and a new run.
    pub fn new(stdout: &'a mut dyn Write, progress: &'a mut dyn Progress) -> Self {
        Self {
            stdout,
            progress,
            disk: &LocalDisk,
            stop: &NEVER,
            network: NetworkOptions::default(),
            unfinished: None,
            existing: Existing::Refuse,
            clock: None,
            metrics: None,
        }
    }
}

/// A run whose documents go to the caller. `T` is a document as the caller takes it.
pub struct Run<'a, T = OutputRecord> {
    plan: Plan,
    extract: &'a Extract<'a>,
    map: Box<MapDocument<'a, T>>,
    start: Option<RunPosition>,
}

impl<'a> Run<'a> {
    /// Reads `inputs` under `settings` and extracts pages with `extract`.
    pub fn new(settings: Settings, inputs: Vec<Input>, extract: &'a Extract<'a>) -> Self {
        Self::of_plan(&Plan::new(inputs, Output::caller()).with_settings(settings), extract)
    }

    /// The run of a plan, whose output is ignored.
    pub fn of_plan(plan: &Plan, extract: &'a Extract<'a>) -> Self {
        let plan = Plan { output: Output::caller(), ..plan.clone() };
        Self { plan, extract, map: Box::new(|record| record), start: None }
    }
}

impl<'a, T: Send> Run<'a, T> {
    /// Sets the function by which workers turn each document into the caller's form, in any order. Encoding belongs
    /// here, because [`Run::each`] calls its function on one thread.
    #[must_use]
    pub fn map<U: Send>(self, map: impl Fn(T) -> U + Sync + 'a) -> Run<'a, U>
    where
        T: 'a,
    {
        let before = self.map;
        let map = Box::new(move |record| map(before(record)));
        Run { plan: self.plan, extract: self.extract, map, start: self.start }
    }

    /// Starts at a position that an earlier run with the same settings and inputs gave. A run that gives no positions
    /// ends with an error.
    #[must_use]
    pub fn starting_at(mut self, position: RunPosition) -> Self {
        self.start = Some(position);
        self
    }

    /// Reads all inputs, and gives `take` each event in order.
    ///
    /// # Errors
    /// As for a whole run; an error of `take` ends it.
    pub fn each(self, environment: Environment<'_>, take: &mut TakeEvent<'_, T>) -> Result<Summary> {
        Ok(self.execute(environment, true, take)?)
    }

    /// Reads all inputs, and gives `take` the documents in order.
    ///
    /// # Errors
    /// As for [`Run::each`].
    pub fn documents(self, environment: Environment<'_>, mut take: impl FnMut(T) -> io::Result<()>) -> Result<Summary> {
        let done = self.execute(environment, false, &mut |event, _| match event {
            RunEvent::Document(document) => take(document),
            _ => Ok(()),
        });
        Ok(done?)
    }

    fn execute(
        self,
        environment: Environment<'_>,
        wants_drops: bool,
        take: &mut TakeEvent<'_, T>,
    ) -> Result<Summary, RunError> {
        let mut take = |event, position| take(event, position).map_err(RunError::Caller);
        let caller = Caller { map: &*self.map, take: &mut take, wants_drops, start: self.start };
        execute(&self.plan, self.extract, environment, Some(caller))
    }
}
