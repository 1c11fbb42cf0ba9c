//! Executes a run: starts readers, workers and writers of archives side by side, and ends them.
//!
//! At the beginning it is found out what is there already, and what is left of an earlier run. The surroundings of
//! a run are standard output, progress, disk, network and the flag that stops it. Programs that take the documents
//! themselves get a run as a stream of them.

pub(crate) mod threads;

use std::path::PathBuf;
use std::{collections::HashSet, fs, io, io::Write, sync::Mutex, time::Instant};

use trommel_record::filters::{Duplicates, Filters};
use trommel_record::{Disk, Document, LocalDisk, bulk_mapping, replace};
use trommel_sources::{NetworkOptions, Remote};

use crate::run::counts::{Clock, Progress, ProgressState};
use crate::run::execution::threads::{Lanes, PROGRESS_INTERVAL};
use crate::run::plan::existing::{Existing, check_kinds, outputs, remove_files, remove_hidden, side_paths};
use crate::run::plan::output::{Destination, Output};
use crate::run::plan::recipe_and_lanes::Prepared;
use crate::run::state::checkpoint::{ContinuedRun, is_there};
use crate::run::work::worker::{Encoder, TakeDocument};
use crate::run::{
    counts::summary::Summary, inputs::Input, plan::Plan, read::follow::visits, state, state::inputs::ArchiveState,
    work::extract_record::Extract, write::lane::Common, write::ledger::Ledger, write::manifest,
};
use crate::{Error, ErrorKind, Result, Settings, metrics::Metrics};

/// Runs a plan: reads all its inputs, extracts each page with `extract`, and writes the documents in the order of the
/// records. The output is the same for any number of workers, and for a run that was interrupted and continued.
///
/// Inputs that cannot be opened, damage and failed records do not end the run. Each is logged in one line and counted
/// in the summary. If the reader of standard output goes away, the run ends without an error.
///
/// # Errors
/// Fails if an output cannot be written, if the run is stopped, or if it cannot continue an earlier one. Also fails if
/// the system cannot read on in the middle of an archive; at the second failure in the same place the archive is given
/// up. Files that were finished before stay.
pub fn run(plan: &Plan, extract: &Extract<'_>, environment: Environment<'_>) -> Result<Summary> {
    execute(plan, extract, environment, None)
}

/// Runs a plan as [`run`] does, and also passes the documents to `caller` if one is given.
///
/// # Errors
/// Fails with the errors of [`run`] and those of `caller`.
pub(crate) fn execute(
    plan: &Plan,
    extract: &Extract<'_>,
    environment: Environment<'_>,
    caller: Option<&mut TakeDocument<'_>>,
) -> Result<Summary> {
    let begun = Instant::now();
    let encoders = Encoder::all(&plan.output.encodings)?;
    if let Destination::Folder(folder) = &plan.output.destination {
        fs::create_dir_all(folder).map_err(Error::output(folder))?;
    }
    // Before anything is looked at: another run could change it in between.
    let _lock = state::lock(&plan.output.destination)?;
    let mut continued = begin(plan, environment.disk, environment.existing)?;
    continued.end_at_limit(plan);
    if continued.is_done(plan) {
        tracing::info!("nothing to do: this run is finished and no input is new");
        return continued.into_summary();
    }
    mark_begun(plan, environment.disk, environment.existing)?;
    let remote = Remote::new(environment.network.clone());
    let prepared = Prepared::new(plan, (&remote, environment.disk), encoders, environment.existing, &continued.todo)?;
    let visits = visits(&continued);
    let done_before = bytes_before(plan, &continued);
    let duplicates = Duplicates::new(&plan.settings.filters.duplicates);
    // Compared among the filters, which know what was written before.
    let duplicates = if plan.settings.archive.crawler_text { duplicates.with_copies() } else { duplicates };
    let ledger = Ledger::new(&prepared, duplicates, continued)?;
    let stop = environment.network.stop;
    // Counted in any case, also where nobody reads it.
    let unread = (Clock::default(), Metrics::new());
    let common = Common {
        plan: &prepared,
        counts: Mutex::new(ProgressState {
            bytes: done_before,
            // Inputs that are followed grow, so that it is not known.
            total: plan.follow.is_none().then(|| plan.inputs.iter().map(Input::size).sum()).flatten(),
            ..ProgressState::of(&ledger.counts_so_far())
        }),
        ledger: Mutex::new(ledger),
        picking: Mutex::default(),
        metrics: environment.metrics.unwrap_or(&unread.1),
        clock: environment.clock.unwrap_or(&unread.0),
        stop,
    };
    let filters = Filters::new(&plan.settings.filters);
    let lanes = Lanes::new(&common, &filters, extract);
    let mut report = || {
        let counts = *common.counts();
        environment.progress.update(&counts);
    };
    let mut last: Option<Instant> = None;
    let mut tick = || {
        if last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            last = Some(Instant::now());
            report();
        }
    };
    let written = lanes.run(environment.stdout, caller, visits, &mut tick);
    // What is followed is read up to a good end when it is stopped, and goes on from there.
    let is_left = plan.follow.is_some() && common.stop.is_set() && prepared.state_file.is_some();
    let written = if is_left { written.and(Err(Error::stopped())) } else { written };
    let (mut summary, error) = finished(plan, &mut common.ledger(), written);
    summary.seconds += begun.elapsed().as_secs_f64();
    let Some(error) = error else {
        report();
        return Ok(summary);
    };
    summary.ended_early = Some(error.to_string());
    if let Some(unfinished) = environment.unfinished {
        *unfinished = summary;
    }
    Err(error)
}

/// Completes the outputs of a run; after an error, keeps them to be continued. Returns the counts and the error.
fn finished(plan: &Plan, ledger: &mut Ledger<'_>, written: Result<()>) -> (Summary, Option<Error>) {
    let closed = written.as_ref().is_err_and(|error| is_reader_gone(plan, error));
    let written = if closed { Ok(()) } else { written };
    let ended = written.and_then(|()| ledger.finish());
    if ended.is_err() {
        ledger.abandon();
    }
    let summary = Summary { closed, ..ledger.take_summary() };
    (summary, ended.err())
}

/// Returns the number of stored bytes of the inputs that an earlier run has read already.
fn bytes_before(plan: &Plan, continued: &ContinuedRun) -> u64 {
    let left: HashSet<usize> = continued.todo.iter().map(|turn| turn.input).collect();
    let done = plan.inputs.iter().enumerate().filter(|(at, _)| plan.follow.is_none() && !left.contains(at));
    let done: u64 = done.filter_map(|(_, input)| input.size()).sum();
    let partial = continued.contents.done.iter().filter(|done| done.next.is_some());
    done + partial.map(|partial| partial.report.stored_bytes).sum::<u64>()
}

/// Returns whether an error means that the reader of standard output, or the caller, wants no more documents.
fn is_reader_gone(plan: &Plan, error: &Error) -> bool {
    let is_taker = match error.kind() {
        ErrorKind::Output => plan.output.destination == Destination::Stdout,
        kind => kind == ErrorKind::Caller,
    };
    is_taker && error.system_kind() == Some(io::ErrorKind::BrokenPipe)
}

impl Plan {
    /// Returns whether a run of this plan would have anything to do, without changing any file. If not, a first pass
    /// over the inputs can be spared.
    ///
    /// # Errors
    /// Fails if the run would be refused.
    pub fn has_work(&self, existing: Existing) -> Result<bool> {
        let continued = find_continued(self, existing)?;
        Ok(!continued.is_some_and(|continued| continued.is_done(self)))
    }
}

/// Finds the earlier run to continue; none for a new run. Refuses existing outputs that `existing` does not allow.
fn find_continued(plan: &Plan, existing: Existing) -> Result<Option<ContinuedRun>> {
    plan.check_names(None)?;
    let path = plan.state_file();
    if existing == Existing::Resume {
        let paths = path.as_deref().zip(plan.finished_file());
        let (path, finished) = paths.ok_or_else(|| {
            let what = "a run that reads standard input or writes standard output cannot be resumed";
            Error::new(ErrorKind::Resume, what)
        })?;
        if let Some(continued) = ContinuedRun::load(plan, [path, &finished])? {
            return Ok(Some(continued));
        }
    }
    let outputs = outputs(plan)?;
    check_kinds(plan, &outputs)?;
    if existing != Existing::Overwrite {
        if let Some(path) = &path
            && is_there(path)
        {
            let what = "a run was interrupted here; --resume continues it, --overwrite starts afresh";
            return Err(Error::exists(path, what));
        }
        if let Some(output) = outputs.first() {
            let remedy = match existing {
                Existing::Resume => "is there already, without the state of a run to resume; --overwrite replaces it",
                _ => "is there already; --overwrite replaces it, --resume continues the run that wrote it",
            };
            return Err(Error::exists(output, remedy));
        }
    }
    Ok(None)
}

/// Removes files of earlier runs that are no longer valid, and returns the state with which the run begins: that of the
/// earlier run to continue, otherwise an empty one.
pub(crate) fn begin(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<ContinuedRun> {
    let path = plan.state_file();
    if let Some(continued) = find_continued(plan, existing)? {
        tracing::info!(
            "continuing; inputs finished: {}, records read: {}",
            continued.contents.done.len(),
            continued.state.summary.records
        );
        let archives = continued.todo.iter().flat_map(|turn| &turn.begun);
        let kept: Vec<PathBuf> = archives.flat_map(ArchiveState::paths).collect();
        remove_hidden(plan, disk, Some(&kept))?;
        if continued.finished {
            plan.discard_state(disk);
        }
        return Ok(continued);
    }
    if let (Existing::Resume, Some(path)) = (existing, &path) {
        tracing::info!("{}: no such state; starting afresh", path.display());
    }
    // Before its files are written over.
    remove_files(disk, path.into_iter().chain(plan.finished_file()))?;
    remove_hidden(plan, disk, None)?;
    // Nobody should take files beside the outputs that an earlier run left for those of this one, which makes them only if
    // there is something to write.
    remove_files(disk, side_paths(plan)?)?;
    Ok(ContinuedRun::new_run(plan))
}

/// Removes the `_SUCCESS` mark from the folder of outputs; writes the search index settings for the `bulk` format.
pub(crate) fn mark_begun(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<()> {
    if let Destination::Folder(folder) = &plan.output.destination {
        // The mark of completeness goes first, so that it never stands beside unfinished outputs.
        manifest::begin(disk, folder).map_err(Error::output(folder))?;
    }
    if let Some(path) = plan.output.mapping_path()
        && (existing == Existing::Overwrite || !path.exists())
    {
        // Settings that somebody changed stay.
        replace(disk, &path, bulk_mapping().as_bytes()).map_err(Error::output(&path))?;
    }
    Ok(())
}

/// Surroundings of a run: standard output, file system, network and the receivers of its counts.
pub struct Environment<'a> {
    /// Standard output, which is written only if it is the destination of the plan.
    pub stdout: &'a mut dyn Write,
    /// Receiver of the run's progress.
    pub progress: &'a mut dyn Progress,
    /// File system of inputs and outputs.
    pub disk: &'a dyn Disk,
    /// Options for reading from the network. Setting their stop flag ends the run early with an error of the kind
    /// [`Stopped`](crate::ErrorKind::Stopped), also while it waits for the network, standard input or named pipes.
    pub network: NetworkOptions,
    /// Receiver of the counts if the run ends early; none to discard them.
    pub unfinished: Option<&'a mut Summary>,
    /// Treatment of outputs that exist before the run.
    pub existing: Existing,
    /// Clock for the time of reading, encoding and writing; none to discard the times.
    pub clock: Option<&'a Clock>,
    /// Receiver of the counts of records, documents and bytes for monitoring; none to discard them.
    pub metrics: Option<&'a Metrics>,
}

impl<'a> Environment<'a> {
    /// Creates the surroundings of a new run, with local files, without monitoring, and refusing existing outputs.
    pub fn new(stdout: &'a mut dyn Write, progress: &'a mut dyn Progress) -> Self {
        Self {
            stdout,
            progress,
            disk: &LocalDisk,
            network: NetworkOptions::default(),
            unfinished: None,
            existing: Existing::Refuse,
            clock: None,
            metrics: None,
        }
    }
}

/// Run that passes its documents to the caller instead of writing them.
pub struct Run<'a> {
    plan: Plan,
    extract: &'a Extract<'a>,
}

impl<'a> Run<'a> {
    /// Creates a run that reads `inputs` under `settings` and extracts pages with `extract`.
    pub fn new(settings: Settings, inputs: Vec<Input>, extract: &'a Extract<'a>) -> Self {
        Self::of_plan(&Plan::new(inputs, Output::caller()).with_settings(settings), extract)
    }

    /// Creates a run with the inputs and settings of a plan; the plan's output is ignored.
    pub fn of_plan(plan: &Plan, extract: &'a Extract<'a>) -> Self {
        Self { plan: Plan { output: Output::caller(), ..plan.clone() }, extract }
    }

    /// Reads all inputs, passes the documents to `take` in order, and returns the counts. If `take` returns
    /// [`ErrorKind::BrokenPipe`](io::ErrorKind::BrokenPipe), the run stops early without an error.
    ///
    /// # Errors
    /// Fails with the errors of [`run`], or with any other error of `take`, which stops the run.
    pub fn documents(
        self,
        environment: Environment<'_>,
        mut take: impl FnMut(Document) -> io::Result<()>,
    ) -> Result<Summary> {
        let mut take = |document| take(document).map_err(|error| Error::new(ErrorKind::Caller, error));
        execute(&self.plan, self.extract, environment, Some(&mut take))
    }
}
