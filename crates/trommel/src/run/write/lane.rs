//! Writes the archives of one lane, one after the other, and counts their records.

mod record;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io::Write, mem::take};

use trommel_archive::ResumePoint;
use trommel_sources::StopFlag;

use crate::run::counts::{Clock, ProgressState};
use crate::run::state::checkpoint::FrameCounts;
use crate::run::state::inputs::{ArchiveState, FileState, InputStart};
use crate::run::work::task::{ArchiveEnd, Opened, Step, Task};
use crate::run::work::worker::TakeDocument;
use crate::run::write::ledger::{Ledger, Work, publish_all};
use crate::run::write::outputs::{Outputs, Stdout};
use crate::{
    Result, metrics::Metrics, run::counts::summary::DamageReport, run::inputs::pieces::Fate,
    run::plan::output::Destination, run::plan::recipe_and_lanes::Prepared,
};

/// Maximum number of log lines about records of an input that differ from their index; further ones are only counted.
const MAX_NAMED_MISMATCHES: u64 = 100;

/// State that the readers, the workers and the writers of all archives in progress share.
pub(crate) struct Common<'a> {
    pub(crate) plan: &'a Prepared<'a>,
    pub(crate) ledger: Mutex<Ledger<'a>>,
    /// Lock that a reader holds while it picks its next archive.
    pub(crate) picking: Mutex<()>,
    pub(crate) counts: Mutex<ProgressState>,
    /// Receiver of the counts of records, documents and bytes for monitoring.
    pub(crate) metrics: &'a Metrics,
    /// Clock for the time of reading, encoding and writing.
    pub(crate) clock: &'a Clock,
    /// Flag that stops the run, also reads that wait.
    pub(crate) stop: StopFlag,
}

impl<'a> Common<'a> {
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks and returns the ledger (list of archives) of a run that writes one archive at a time; none otherwise.
    fn direct(&self) -> Option<MutexGuard<'_, Ledger<'a>>> {
        (!self.plan.has_lanes()).then(|| self.ledger())
    }

    /// Locks and returns the progress of the run.
    pub(crate) fn counts(&self) -> MutexGuard<'_, ProgressState> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives complete files their final names. The list of archives stays unlocked, as assembling a file takes long.
    fn publish(&self, files: Vec<FileState>) -> Result<()> {
        publish_all(self.plan, files, |file, listed| self.ledger().add_published(file, listed))
    }
}

/// Writer of one archive at a time, which writes and counts the results of the workers. It must receive them in order.
pub(crate) struct LaneWriter<'a, 'r, 'c> {
    common: &'r Common<'a>,
    /// Writer of documents to standard output.
    pub(crate) stdout: Stdout<'r, 'c>,
    /// Function that takes the documents for the caller of the run; none if the documents are written.
    pub(crate) take: Option<&'c mut TakeDocument<'c>>,
    archive: Option<OpenArchive<'a>>,
    /// True once the maximum number of documents of the run (`limit`) has been written.
    pub(crate) is_at_limit: bool,
}

/// Archive that is being written, with its state and outputs.
struct OpenArchive<'a> {
    state: ArchiveState,
    /// Stem of the archive's output names.
    stem: String,
    /// Output files of the archive, and temporary files that are joined to common outputs later. None if the archive is
    /// written directly into the common outputs.
    outputs: Option<Outputs<'a>>,
    /// Decision whether the archive is a valid piece of a large one, or must be discarded.
    fate: Fate,
    frame: FrameCounts,
}

impl<'a> OpenArchive<'a> {
    fn new(plan: &'a Prepared<'a>, Opened { identity, stem, .. }: Opened, Work { state, piece }: Work) -> Result<Self> {
        let is_own = plan.has_own_outputs(&state);
        let share = plan.has_lanes().then_some(state.number);
        let outputs = || Outputs::new(plan, share, share.is_some() && !is_own, state.outputs.clone());
        let outputs = (is_own || share.is_some()).then(outputs).transpose()?;
        let state = ArchiveState { identity, ..state };
        let fate = piece.map(|piece| piece.fate).unwrap_or_default();
        Ok(Self { state, stem, outputs, fate, frame: FrameCounts::default() })
    }

    /// Calls `act` with the outputs for the archive's documents, and adds names of new files to the archive's report.
    fn write<T>(&mut self, common: &Common<'a>, act: impl FnOnce(&mut Outputs<'a>) -> Result<T>) -> Result<T> {
        let mut ledger = None;
        let outputs = match &mut self.outputs {
            Some(outputs) => outputs,
            None => &mut ledger.insert(common.ledger()).outputs,
        };
        let result = act(outputs);
        self.state.report.outputs.append(&mut outputs.begun);
        result
    }

    /// Takes the files of the archive that are complete but do not have their final names yet.
    fn take_complete(&mut self) -> Vec<FileState> {
        self.outputs.as_mut().map(|outputs| take(&mut outputs.complete)).unwrap_or_default()
    }
}

impl<'a, 'r, 'c> LaneWriter<'a, 'r, 'c> {
    /// Creates a writer of one archive at a time; `stdout` is standard output, if the writer may use it.
    pub(crate) fn new(common: &'r Common<'a>, stdout: Option<&'c mut dyn Write>) -> Self {
        let stdout = Stdout::new(common.plan, stdout);
        Self { common, stdout, take: None, archive: None, is_at_limit: false }
    }

    /// Writes and counts one step of an archive, then saves the state if enough has been written or read since.
    pub(crate) fn step(&mut self, task: Task) -> Result<()> {
        let point = task.point;
        self.leave_if_void();
        match task.step {
            Step::Open(opened) => self.open(opened)?,
            Step::Begin { info, date } => self.begin(info, date)?,
            Step::Result(result) => self.record(result, task.bytes)?,
            Step::Damage { offset, lost, what } => self.damage(offset, lost, what),
            Step::Mismatch { what } => self.mismatch(what),
            Step::End(end) => return self.end(end),
            Step::Record(_) | Step::Over => return Ok(()),
        }
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let settings = &self.common.plan.run.settings;
        if let Some(limit) = settings.limits.limit {
            let mut ledger = self.common.ledger();
            if ledger.summary.documents + archive.state.summary.documents >= limit.get() {
                self.is_at_limit = true;
                ledger.reach_limit();
                drop(ledger);
                return self.end(ArchiveEnd::at(point.map_or(0, |point| point.offset())));
            }
        }
        let direct = self.common.direct();
        let (memory, is_worth) =
            direct.map_or((0, true), |ledger| (ledger.duplicates.bytes(), ledger.is_worth_saving()));
        // In this step: whether outputs of earlier inputs wait depends on when the state was saved, which frames must not
        // show.
        let part_ended = archive.frame.part_ended;
        if archive.frame.is_full(settings.output.checkpoint.0, memory) || part_ended && is_worth {
            return self.end_frame(point);
        }
        if part_ended {
            // Without saving, the frame ends all the same.
            archive.frame = FrameCounts::default();
            return archive.write(self.common, Outputs::end_frame);
        }
        Ok(())
    }

    fn open(&mut self, opened: Opened) -> Result<()> {
        let mut ledger = self.common.ledger();
        let is_visit = self.common.plan.run.follow.is_some();
        let number = if is_visit { ledger.visit(&opened.identity.name) } else { opened.number };
        // A piece that does not count may be known for it by now.
        let Some(work) = ledger.start(number)? else { return Ok(()) };
        drop(ledger);
        self.archive = Some(OpenArchive::new(self.common.plan, opened, work)?);
        self.common.counts().archives += 1;
        Ok(())
    }

    fn begin(&mut self, info: Option<Vec<u8>>, date: Option<String>) -> Result<()> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let input = archive.state.identity.name.clone();
        let beginning = InputStart { input, stem: archive.stem.clone(), info, date };
        self.stdout.begin(&beginning)?;
        archive.write(self.common, |outputs| outputs.begin(beginning))
    }

    fn damage(&mut self, offset: u64, lost: u64, what: String) {
        let Some(archive) = &mut self.archive else { return };
        self.common.metrics.damaged();
        let state = &mut archive.state;
        state.report.damaged += 1;
        state.report.lost_bytes = state.report.lost_bytes.saturating_add(lost);
        let file = state.identity.name.clone();
        tracing::warn!("{file}: offset {offset}: {what}, {lost} bytes lost");
        state.summary.damage(DamageReport { file, offset, lost, what });
    }

    fn mismatch(&mut self, what: String) {
        let Some(archive) = &mut self.archive else { return };
        let mismatched = &mut archive.state.summary.mismatched;
        *mismatched += 1;
        if *mismatched <= MAX_NAMED_MISMATCHES {
            tracing::warn!("{}: {what}", archive.state.identity.name);
        }
    }

    /// Flushes uncompressed standard output when the input pauses. Compressed bytes must not depend on time.
    pub(crate) fn idle(&mut self) -> Result<()> {
        let is_live = self.stdout.frames.is_some() && self.common.plan.is_plain();
        match &mut self.archive {
            Some(archive) if is_live && archive.frame.encoded > 0 => {
                // A program that reads a live run wants each document when it is there.
                archive.frame = FrameCounts::default();
                self.stdout.end_frame()
            }
            _ => Ok(()),
        }
    }

    /// Ends the compressed frame, and saves the state if the place where reading continues is known.
    fn end_frame(&mut self, point: Option<ResumePoint>) -> Result<()> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        archive.frame = FrameCounts::default();
        self.stdout.end_frame()?;
        archive.write(self.common, Outputs::end_frame)?;
        let has_state = self.common.plan.state_file.is_some();
        // In the middle of something that cannot be continued there is no state to save.
        if has_state && point.is_none() {
            return Ok(());
        }
        archive.state.point = point;
        if let Some(outputs) = archive.outputs.as_mut().filter(|_| has_state) {
            archive.state.outputs = outputs.checkpoint()?;
        }
        let complete = archive.take_complete();
        let files = self.common.ledger().note(archive.state.clone(), complete)?;
        self.common.publish(files)
    }

    /// Ends the current archive: completes its outputs, and adds its counts to those of the run.
    fn end(&mut self, end: ArchiveEnd) -> Result<()> {
        let ArchiveEnd { bytes, error, broken, point, next } = end;
        let plan = self.common.plan;
        let Some(archive) = &mut self.archive else { return Ok(()) };
        if let (true, Some(error)) = (broken, &error) {
            self.common.ledger().stop_unless_known(error)?;
        }
        if let Some(error) = &error {
            tracing::error!("{error}");
        }
        archive.state.point = point;
        if let Some(piece) = &mut archive.state.piece {
            piece.next = next;
        }
        archive.state.report.file.clone_from(&archive.state.identity.name);
        archive.state.report.stored_bytes = bytes;
        archive.state.report.error.clone_from(&error);
        archive.state.summary.stored_bytes = bytes;
        let is_own = plan.has_own_outputs(&archive.state);
        match &mut archive.outputs {
            Some(outputs) => {
                if is_own {
                    outputs.complete(false)?;
                }
                archive.state.outputs = outputs.checkpoint()?;
            }
            // A frame ends with its archive, so that it does not matter what was written where.
            None => self.common.ledger().outputs.end_frame()?,
        }
        self.stdout.end_frame()?;
        let Some(mut archive) = self.archive.take() else { return Ok(()) };
        let complete = archive.take_complete();
        let is_saved = match plan.run.output.destination {
            Destination::Folder(_) => !complete.is_empty() || archive.state.piece.is_some(),
            Destination::File(_) => plan.run.follow.is_some() || plan.has_lanes(),
            Destination::Stdout | Destination::Caller => false,
        };
        let files = self.common.ledger().end(archive.state, complete, is_saved)?;
        self.common.publish(files)?;
        self.common.counts().archives -= 1;
        // After all counts: the caller may end the run here. The next input is read from its start.
        Ok(())
    }

    /// Stops writing the current archive if it is a piece of a larger one that has been discarded.
    fn leave_if_void(&mut self) {
        if self.archive.as_ref().is_some_and(|archive| archive.fate.is_void()) {
            self.give_up();
            self.common.counts().archives -= 1;
        }
    }

    /// Stops writing the current archive in the middle, if there is one, and keeps its state for the end of the run.
    pub(crate) fn give_up(&mut self) {
        let Some(mut archive) = self.archive.take() else { return };
        let mut ledger = self.common.ledger();
        ledger.joined.extend(archive.outputs.as_mut().map(Outputs::abandon).unwrap_or_default());
        ledger.keep(archive.state);
    }
}
