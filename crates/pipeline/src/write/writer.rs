//! Takes results in order, writes and counts them, and saves the state of the run.

mod record;
mod saving;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use trommel_archive::ResumePoint;
use trommel_filters::Duplicates;
use trommel_metrics::Metrics;
use trommel_output::{Compression, Disk, Format, discard};

use crate::counts::summary::{DamageReport, FileReport, Outcome, Summary};
use crate::counts::times::Times;
use crate::error::RunError;
use crate::inputs::identity::Identity;
use crate::plan::Plan;
use crate::plan::output::Destination;
use crate::run::TakeStep;
use crate::state::checkpoint::{Checkpoint, ContinuedRun, journal_file};
use crate::state::journal::{DoneInput, Journal, JournalEntry};
use crate::stream::{RunEvent, RunPosition};
use crate::work::task::{Step, Task, WorkerResult};
use crate::write::manifest::ManifestFile;
use crate::write::outputs::{Encoder, InputStart, Outputs, OutputsState};
use crate::write::side_output::SideOutputs;

/// Writes what the workers made and keeps the counts. It must be given the steps in their order.
pub(crate) struct RunWriter<'a, T> {
    plan: &'a Plan,
    disk: &'a dyn Disk,
    outputs: Outputs<'a>,
    sides: SideOutputs<'a>,
    duplicates: Duplicates,
    /// The file of the state; none if the run cannot be continued.
    state_file: Option<PathBuf>,
    /// The state saved last, or the one at the beginning.
    saved: Checkpoint,
    /// The inputs that are done; none if the run cannot be continued.
    journal: Option<Journal<'a>>,
    /// The name of the outputs of each input.
    stems: Vec<String>,
    /// The name of the outputs of the current input, if it is not one of the plan's.
    stem: Option<String>,
    /// The inputs that are read, in that order, and how many of them are done.
    todo: Vec<usize>,
    ended: usize,
    /// The input that is being read.
    identity: Identity,
    /// Reports of the inputs that are done.
    reports: Vec<FileReport>,
    /// The numbers of the reports of followed inputs, by name.
    report_of: HashMap<String, usize>,
    /// The outputs that have their names.
    files: Vec<ManifestFile>,
    /// Encoded bytes since the state was saved.
    // Apart from what came since a frame: a frame may end without a state being saved.
    unsaved: u64,
    frame: FrameCounts,
    begin: Instant,
    /// Receives the counts.
    pub(crate) metrics: Option<&'a Metrics>,
    /// Takes the events, if there is a caller who does.
    pub(crate) take: Option<&'a mut TakeStep<'a, T>>,
    /// Report of the input that is being read.
    report: FileReport,
    summary: Summary,
    times: Times,
}

/// The progress since the end of the last frame.
#[derive(Default)]
struct FrameCounts {
    encoded: u64,
    records: u64,
    blocks: u64,
}

/// The counts of a run that is finished.
///
/// # Errors
/// If they do not add up.
pub(crate) fn finished(continued: ContinuedRun) -> Result<Summary, RunError> {
    let ContinuedRun { state, contents, .. } = continued;
    let mut summary = state.summary;
    summary.files = contents.done.into_iter().map(|done| done.report).collect();
    summary.time(&state.times);
    match summary.mismatch() {
        Some(mismatch) => Err(mismatch.into()),
        None => Ok(summary),
    }
}

impl<'a, T> RunWriter<'a, T> {
    /// A writer of what the encoders make; `stdout` is used if the plan's output is standard output. It
    /// begins from `state`, whose complete files get their names first.
    pub(crate) fn new(
        plan: &'a Plan,
        encoders: &'a [Encoder],
        stdout: &'a mut dyn Write,
        disk: &'a dyn Disk,
        continued: ContinuedRun,
    ) -> Result<Self, RunError> {
        let ContinuedRun { state, contents, again, todo } = continued;
        let outputs = Outputs::new(plan, encoders, stdout, disk, &state.outputs)?;
        let sides = SideOutputs::new(disk, plan, &state.sides)?;
        let mut duplicates = Duplicates::new(&plan.settings.filters.duplicates);
        if plan.settings.archive.crawler_text {
            duplicates = duplicates.with_copies();
        }
        // A continued run must drop the same documents as an unbroken one, so the filters remember the first part.
        duplicates.restore(state.duplicates.clone());
        let state_file = plan.state_file();
        let mut journal = state_file.as_deref().map(|path| Journal::new(disk, journal_file(path), contents.digest));
        if let Some(journal) = &mut journal {
            let again = again.into_iter().map(JournalEntry::Again);
            let is_first = contents.planned.is_empty() && plan.needs_all_inputs().is_some();
            let planned = plan.inputs.iter().filter(|_| is_first);
            let planned = planned.map(|input| JournalEntry::Planned(Identity::of(input)));
            for entry in again.chain(planned) {
                journal.add(&entry)?;
            }
        }
        let current = state.current.clone().unwrap_or_default();
        let mut writer = Self {
            plan,
            disk,
            outputs,
            sides,
            duplicates,
            state_file,
            journal,
            stems: plan.output.output_stems(&plan.inputs),
            stem: None,
            todo,
            ended: 0,
            identity: current.identity,
            reports: Vec::new(),
            report_of: HashMap::new(),
            files: contents.files,
            unsaved: 0,
            frame: FrameCounts::default(),
            begin: Instant::now(),
            metrics: None,
            take: None,
            report: current.report,
            summary: state.summary.clone(),
            times: state.times.clone(),
            saved: Checkpoint { finished: false, ..state },
        };
        for done in contents.done {
            writer.add_report(done.report);
        }
        // Before names are given: a damaged file must not take the name of a whole one.
        writer.check_complete()?;
        writer.publish_left_complete()?;
        Ok(writer)
    }

    /// The counts so far.
    pub(crate) fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Writes and counts one step, and saves the state after it if it is time.
    pub(crate) fn step(&mut self, task: Task<WorkerResult<T>>) -> Result<(), RunError> {
        let point = task.point;
        let parts = self.outputs.complete_parts();
        match task.step {
            Step::Open { identity, stem } => {
                self.identity = identity;
                self.stem = stem;
                if self.take.is_some() {
                    let input = self.input_name();
                    self.send_event(RunEvent::Opened { input }, None)?;
                }
            }
            Step::Begin { input, info, date } => self.begin(input, info, date)?,
            Step::Record(result) => {
                self.record(result, point)?;
                self.frame.records += 1;
                self.frame.blocks = self.frame.blocks.saturating_add(task.bytes);
            }
            Step::Damage { offset, lost, what } => {
                if let Some(metrics) = self.metrics {
                    metrics.damaged();
                }
                self.report.damaged += 1;
                self.report.lost_bytes = self.report.lost_bytes.saturating_add(lost);
                let file = self.input_name();
                tracing::warn!("{file}: offset {offset}: {what}, {lost} bytes lost");
                self.summary.damage(DamageReport { file, offset, lost, what: what.clone() });
                self.send_event(RunEvent::Damaged { offset, lost, what }, point)?;
            }
            Step::End { input, bytes, error, broken, point } => {
                if let (true, Some(error)) = (broken, &error) {
                    self.stop_unless_known(error)?;
                }
                debug_assert!(self.plan.follow.is_some() || self.todo.get(self.ended) == Some(&input));
                return self.end(bytes, error, broken, point);
            }
        }
        // In this step: whether outputs of earlier inputs wait depends on when the state was saved, which frames must not
        // show.
        let part_ended = self.outputs.complete_parts() > parts;
        if self.is_frame_full() {
            return self.end_frame(point);
        }
        match part_ended {
            true if self.is_worth_saving() => self.end_frame(point),
            // Without saving, the frame ends all the same.
            true => {
                self.frame = FrameCounts::default();
                self.outputs.end_frame()
            }
            false => Ok(()),
        }
    }

    /// Gives an event to the caller, if there is one who takes them.
    fn send_event(&mut self, event: RunEvent<T>, point: Option<ResumePoint>) -> Result<(), RunError> {
        let input = self.todo.get(self.ended).copied();
        self.send_event_at(event, point.zip(input).map(|(point, input)| RunPosition { input, point: Some(point) }))
    }

    fn send_event_at(&mut self, event: RunEvent<T>, position: Option<RunPosition>) -> Result<(), RunError> {
        match &mut self.take {
            Some(take) => take(event, position.filter(|_| self.plan.has_positions())),
            None => Ok(()),
        }
    }

    /// Nothing has come for a while: who reads plain standard output gets what there is. Where frames of a
    /// compressed one end must not depend on time.
    pub(crate) fn idle(&mut self) -> Result<(), RunError> {
        let is_plain = self
            .plan
            .output
            .encodings
            .iter()
            .all(|encoding| encoding.compression == Compression::None || encoding.format == Format::Wet);
        // A program that reads a live run wants each document when it is there.
        if self.frame.encoded > 0 && is_plain && self.plan.output.destination == Destination::Stdout {
            self.end_frame(None)?;
        }
        Ok(())
    }

    /// Ends all that is left to end and removes the state.
    pub(crate) fn finish(&mut self) -> Result<(), RunError> {
        // First of all: outputs whose counts do not add up must not get their names.
        self.check_sums()?;
        self.outputs.complete()?;
        self.save_complete(true)?;
        self.publish_complete()?;
        self.mark()?;
        let Some(path) = self.state_file.clone() else { return Ok(()) };
        if self.outcome() == Outcome::Nothing {
            // There is nothing to come back to.
            let journal = journal_file(&path);
            for path in [path, journal] {
                if path.exists() {
                    self.disk.remove(&path).map_err(|source| RunError::output(&path, source))?;
                }
            }
            return Ok(());
        }
        self.note(None, OutputsState::default())?;
        self.saved.sides = Vec::new();
        self.saved.finished = true;
        self.save()
    }

    /// Checks that every record is accounted for, those of an input left in the middle as well.
    fn check_sums(&mut self) -> Result<(), RunError> {
        self.summary.files = std::mem::take(&mut self.reports);
        self.summary.files.push(std::mem::take(&mut self.report));
        let mismatch = self.summary.mismatch();
        self.report = self.summary.files.pop().unwrap_or_default();
        self.reports = std::mem::take(&mut self.summary.files);
        match mismatch {
            Some(mismatch) => Err(mismatch.into()),
            None => Ok(()),
        }
    }

    /// The outcome of the run so far.
    fn outcome(&mut self) -> Outcome {
        self.summary.files = std::mem::take(&mut self.reports);
        let outcome = self.summary.outcome();
        self.reports = std::mem::take(&mut self.summary.files);
        outcome
    }

    /// Lets go of standard output, whose reader is gone.
    pub(crate) fn close(&mut self) {
        self.outputs.close();
    }

    /// Removes unfinished files if there is no state to continue from.
    /// Gives the counts up to here.
    pub(crate) fn remove_unfinished(mut self) -> Summary {
        // With a saved state the unfinished files are what `--resume` continues.
        if self.state_file.as_deref().is_some_and(Path::exists) {
            return self.into_summary();
        }
        self.outputs.discard();
        for path in self.sides.abandon() {
            discard(self.disk, &path);
        }
        if let Some(path) = &self.state_file {
            discard(self.disk, path);
            let journal = journal_file(path);
            if journal.exists() {
                // What it says is of no use without a state; if it stays, it does no harm.
                let _ = self.disk.remove(&journal);
            }
        }
        self.into_summary()
    }

    /// The counts, at the end; those of an input that was left in the middle included.
    pub(crate) fn into_summary(mut self) -> Summary {
        // An input left in the middle has counts that are in the sums already.
        if self.report != FileReport::default() {
            self.report.file = self.input_name();
            self.reports.push(self.report);
        }
        self.summary.files = self.reports;
        self.summary.time(&self.times);
        self.summary
    }

    /// Name of the input that is being read.
    fn input_name(&self) -> String {
        self.identity.name.clone()
    }

    fn begin(&mut self, input: usize, info: Option<Vec<u8>>, date: Option<String>) -> Result<(), RunError> {
        self.outputs.begin(InputStart {
            input: self.input_name(),
            stem: match &self.stem {
                Some(stem) => stem.clone(),
                None => self.stems.get(input).cloned().unwrap_or_default(),
            },
            info,
            date,
        })?;
        self.report.outputs.extend(self.outputs.take_begun());
        Ok(())
    }

    fn end(
        &mut self,
        bytes: u64,
        error: Option<String>,
        broken: bool,
        point: Option<ResumePoint>,
    ) -> Result<(), RunError> {
        if let Some(error) = &error {
            tracing::error!("{error}");
        }
        let mut report = std::mem::take(&mut self.report);
        report.file = self.input_name();
        report.stored_bytes = bytes;
        report.error.clone_from(&error);
        self.summary.stored_bytes = self.summary.stored_bytes.saturating_add(bytes);
        if let Some(journal) = &mut self.journal {
            let done = DoneInput { identity: std::mem::take(&mut self.identity), report: report.clone(), point };
            journal.add(&JournalEntry::Done(done))?;
        }
        self.add_report(report);
        self.ended += 1;
        // After all counts: the caller may end the run here. The next input is read from its start.
        let input = self.todo.get(self.ended).copied().unwrap_or(self.plan.inputs.len());
        let next = (!broken).then_some(RunPosition { input, point: None });
        self.send_event_at(RunEvent::Ended { bytes, error }, next)?;
        if let Destination::Folder(_) = self.plan.output.destination
            && self.outputs.are_open()
        {
            self.outputs.complete()?;
            self.frame = FrameCounts::default();
            if self.is_worth_saving() {
                self.save_complete(false)?;
                self.publish_complete()?;
            }
        }
        match (&self.plan.follow, &self.plan.output.destination) {
            (Some(_), Destination::File(_) | Destination::Stdout) => self.end_visit(),
            _ => Ok(()),
        }
    }

    /// Writes out everything of a followed input, and saves that it is done for now.
    fn end_visit(&mut self) -> Result<(), RunError> {
        self.frame = FrameCounts::default();
        let outputs = self.outputs.checkpoint()?;
        if self.state_file.is_some() {
            self.note(None, outputs)?;
            self.saved.complete = self.outputs.take_complete();
            self.save()?;
            return self.publish_complete();
        }
        Ok(())
    }

    /// Takes the report on an input that is done. Those of one that is followed count as one.
    fn add_report(&mut self, report: FileReport) {
        if self.plan.follow.is_some() {
            let known = self.report_of.get(&report.file).copied();
            // A growing input ends with every pause; a report for each visit would repeat its name without end.
            if let Some(known) = known.and_then(|at| self.reports.get_mut(at)) {
                known.add(report);
                return;
            }
            self.report_of.insert(report.file.clone(), self.reports.len());
        }
        self.reports.push(report);
    }
}
