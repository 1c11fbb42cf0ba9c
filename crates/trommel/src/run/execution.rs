//! A run: readers, workers and writers of archives side by side.

pub(crate) mod begin;
pub(crate) mod lanes;

use std::io;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Instant;

use trommel_record::filters::{Duplicates, Filters};

use crate::run::counts::progress::Counters;
use crate::run::counts::summary::Summary;
use crate::run::environment::Environment;
use crate::run::error::RunError;
use crate::run::execution::begin::{begin, make_folder, mark_begun};
use crate::run::execution::lanes::{Caller, Lanes, Ticker};
use crate::run::plan::Plan;
use crate::run::plan::output::Destination;
use crate::run::read::follow::FollowState;
use crate::run::read::reader::size;
use crate::run::state::checkpoint::ContinuedRun;
use crate::run::state::lock::OutputLock;
use crate::run::work::encoder::Encoder;
use crate::run::work::record::Extract;
use crate::run::write::lane::Writing;
use crate::run::write::ledger::Ledger;

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
pub fn run(plan: &Plan, extract: &Extract<'_>, environment: Environment<'_>) -> Result<Summary, RunError> {
    execute::<()>(plan, extract, environment, None)
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
    let number = plan.lanes(&continued.todo);
    let done_before = bytes_before(plan, &continued);
    let duplicates = Duplicates::new(&plan.settings.filters.duplicates);
    let duplicates = if plan.settings.archive.crawler_text { duplicates.with_copies() } else { duplicates };
    let ledger = Ledger::new(&write_plan, environment.disk, (duplicates, number > 1), continued)?;
    let writing = Writing {
        plan: &write_plan,
        disk: environment.disk,
        counters: Counters::of(&ledger.counts_so_far()),
        ledger: Mutex::new(ledger),
        metrics: environment.metrics,
        clock: environment.clock,
    };
    writing.counters.read(done_before);
    let (network, stop) = (environment.network, environment.stop);
    let flag = network.stop.clone();
    let is_set = || stop.load(Ordering::Relaxed) || flag.is_set();
    let filters = Filters::new(&plan.settings.filters);
    let is_stopped = || plan.follow.is_none() && is_set();
    let lanes = Lanes { plan, writing: &writing, filters: &filters, extract, network, is_stopped: &is_stopped, number };
    let mut ticker = Ticker::new(environment.progress, &writing.counters, &plan.inputs);
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
