//! Writes the archives of one lane, one after the other, and counts their records.

mod record;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io::Write, mem::take, path::PathBuf};

use trommel_archive::ResumePoint;
use trommel_record::filters::Duplicates;
use trommel_sources::StopFlag;

use crate::run::counts::{Clock, ProgressState};
use crate::run::state::remaining::{ArchiveState, FileState, InputStart, OutputsState, SharedState};
use crate::run::work::task::{ArchiveEnd, Opened, Step, Task, WorkerResult};
use crate::run::work::worker::TakeDocument;
use crate::run::write::ledger::{Ledger, Shared, Started, published};
use crate::run::write::outputs::{Outputs, Stdout};
use crate::{
    Result, metrics::Metrics, run::counts::summary::DamageReport, run::inputs::pieces::Fate,
    run::plan::output::Destination, run::plan::prepared::Prepared,
};

/// Records after which the state is saved even if they gave few bytes.
// Archives of images give next to no bytes, and hours of reading must not be lost with them.
const MAX_UNSAVED_RECORDS: u64 = 1 << 16;
/// Bytes of blocks, in frames, after which the state is saved even if they gave little output: reading them again takes
/// a few seconds.
const BLOCKS_A_FRAME: u64 = 64;

/// Records of a selection that differ from their index, of which each has a line; further ones are counted only.
const MAX_NAMED_MISMATCHES: u64 = 100;

/// State that the readers, workers and writers of all lanes share.
pub(crate) struct Common<'a> {
    pub(crate) plan: &'a Prepared<'a>,
    pub(crate) ledger: Mutex<Ledger<'a>>,
    /// Held by the reader that picks its next archive.
    pub(crate) picking: Mutex<()>,
    pub(crate) counts: Mutex<ProgressState>,
    /// Receives the counts.
    pub(crate) metrics: &'a Metrics,
    /// Measures the time of reading, encoding and writing.
    pub(crate) clock: &'a Clock,
    /// Ends reads that wait.
    pub(crate) stop: StopFlag,
}

impl<'a> Common<'a> {
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> MutexGuard<'_, ProgressState> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives complete files their names. Without the ledger in hand: to assemble a large one takes long.
    fn publish(&self, files: Vec<FileState>) -> Result<()> {
        for file in files {
            let listed = published(self.plan, &file)?;
            self.ledger().add_published(&file, listed)?;
        }
        Ok(())
    }
}

/// Writes the results of the workers for the archives of a lane. It must receive the steps in their order.
pub(crate) struct LaneWriter<'a, 'r, 'c> {
    common: &'r Common<'a>,
    /// Standard output, for documents that go there.
    pub(crate) stdout: Stdout<'r, 'c>,
    /// Takes the documents, if there is a caller who does.
    pub(crate) take: Option<&'c mut TakeDocument<'c>>,
    archive: Option<OpenArchive<'a>>,
    /// True if the last document that was asked for is written.
    pub(crate) is_at_limit: bool,
}

/// The archive that is being written.
struct OpenArchive<'a> {
    state: ArchiveState,
    /// The name of its outputs.
    stem: String,
    /// The outputs that archives share if its turn has come, else its shares of them.
    shared: Shared<'a>,
    /// The outputs of its own, if it has any.
    own: Option<Outputs<'a>>,
    /// Tells if it counts.
    fate: Fate,
    frame: FrameCounts,
    /// Documents of the archives before it.
    documents_before: u64,
}

/// The progress since the end of the last frame.
#[derive(Default)]
struct FrameCounts {
    encoded: u64,
    records: u64,
    blocks: u64,
}

impl<'a> OpenArchive<'a> {
    fn new(
        plan: &'a Prepared<'a>,
        Opened { identity, stem, .. }: Opened,
        Started { state, fate, shared, documents_before }: Started<'a>,
    ) -> Result<Self> {
        let own = plan.has_own_outputs(&state).then(|| Outputs::new(plan, None, &state.outputs)).transpose()?;
        let shared = match shared {
            Some(shared) => shared,
            None => {
                let shares = if own.is_some() { &OutputsState::default() } else { &state.outputs };
                Shared::new(plan, Some(state.number), shares, &state.sides, Duplicates::default())?
            }
        };
        let state = ArchiveState { identity, ..state };
        Ok(Self { state, stem, shared, own, fate, frame: FrameCounts::default(), documents_before })
    }

    /// Reports the names of the files that were begun.
    fn report_begun(&mut self) {
        let begun = take(&mut self.outputs().begun);
        self.state.report.outputs.extend(begun);
    }

    fn outputs(&mut self) -> &mut Outputs<'a> {
        self.own.as_mut().unwrap_or(&mut self.shared.outputs)
    }

    /// Returns whether enough was written or read since the frame began that it ends, and the state is saved.
    fn is_frame_full(&self, frame: u64) -> bool {
        let FrameCounts { encoded, records, blocks } = self.frame;
        let read_enough = blocks >= frame.saturating_mul(BLOCKS_A_FRAME);
        // Saving must not cost more than writing, however much there is to remember.
        encoded >= frame.max(self.shared.duplicates.bytes()) || records >= MAX_UNSAVED_RECORDS || read_enough
    }

    /// Syncs its files; returns its state, and that of the shared outputs if it holds them.
    fn checkpoint(&mut self) -> Result<(ArchiveState, Option<SharedState>)> {
        let own = self.own.as_mut().map(Outputs::checkpoint).transpose()?;
        let (shared, state) = (self.shared.checkpoint()?, self.state.clone());
        Ok(match state.is_first {
            true => (ArchiveState { outputs: own.unwrap_or_default(), ..state }, Some(shared)),
            false => (ArchiveState { outputs: own.unwrap_or(shared.outputs), sides: shared.sides, ..state }, None),
        })
    }

    /// Ends its outputs, or syncs its shares; returns whether it had outputs of its own.
    fn close(&mut self) -> Result<bool> {
        let has_own = self.own.as_ref().is_some_and(Outputs::are_open);
        self.state.outputs = OutputsState::default();
        match &mut self.own {
            Some(own) => own.complete()?,
            // A frame ends with its archive, so that it does not matter what was written where.
            None if self.state.is_first => self.shared.outputs.end_frame()?,
            None => self.state.outputs = self.shared.outputs.checkpoint()?,
        }
        if !self.state.is_first {
            self.state.sides = self.shared.sides.save(false)?;
        }
        Ok(has_own)
    }

    /// Ends its files for good, unfinished; returns their names.
    fn abandon(&mut self) -> Vec<PathBuf> {
        let mut unfinished = self.own.as_mut().map(Outputs::abandon).unwrap_or_default();
        if !self.state.is_first {
            unfinished.extend(self.shared.abandon());
        }
        unfinished
    }
}

impl<'a, 'r, 'c> LaneWriter<'a, 'r, 'c> {
    /// A writer of a lane that writes to files, or to standard output if that is the destination.
    pub(crate) fn new(common: &'r Common<'a>, stdout: Option<&'c mut dyn Write>) -> Self {
        let stdout = Stdout::new(common.plan, stdout);
        Self { common, stdout, take: None, archive: None, is_at_limit: false }
    }

    /// Writes and counts one step, and saves the state after it if it is time.
    pub(crate) fn step(&mut self, task: Task<WorkerResult>) -> Result<()> {
        let point = task.point;
        self.leave_if_void();
        let parts = self.archive.as_mut().map_or(0, |archive| archive.outputs().complete.len());
        match task.step {
            Step::Open(opened) => self.open(opened)?,
            Step::Begin { info, date } => self.begin(info, date)?,
            Step::Record(result) => self.record(result, task.bytes)?,
            Step::Damage { offset, lost, what } => self.damage(offset, lost, what),
            Step::Mismatch { what } => self.mismatch(what),
            Step::End(end) => return self.end(end),
            Step::Over => return Ok(()),
        }
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let settings = &self.common.plan.run.settings;
        let documents = archive.documents_before + archive.state.summary.documents;
        if settings.limits.limit.is_some_and(|limit| documents >= limit.get()) {
            self.is_at_limit = true;
            self.common.ledger().reach_limit();
            let bytes = point.map_or(0, |point| point.offset());
            return self.end(ArchiveEnd { bytes, ..ArchiveEnd::default() });
        }
        // In this step: whether outputs of earlier inputs wait depends on when the state was saved, which frames must not
        // show.
        let part_ended = archive.outputs().complete.len() > parts;
        if archive.is_frame_full(settings.output.checkpoint.0) || part_ended && archive.shared.is_worth_saving() {
            return self.end_frame(point);
        }
        if part_ended {
            // Without saving, the frame ends all the same.
            archive.frame = FrameCounts::default();
            return archive.outputs().end_frame();
        }
        Ok(())
    }

    fn open(&mut self, opened: Opened) -> Result<()> {
        let mut ledger = self.common.ledger();
        let is_visit = self.common.plan.run.follow.is_some();
        let number = if is_visit { ledger.visit(&opened.identity.name) } else { opened.number };
        // A piece that does not count may be known for it by now.
        let Some(started) = ledger.start(number)? else { return Ok(()) };
        drop(ledger);
        self.archive = Some(OpenArchive::new(self.common.plan, opened, started)?);
        self.common.counts().archives += 1;
        Ok(())
    }

    fn begin(&mut self, info: Option<Vec<u8>>, date: Option<String>) -> Result<()> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let input = archive.state.identity.name.clone();
        let beginning = InputStart { input, stem: archive.stem.clone(), info, date };
        self.stdout.begin(&beginning)?;
        archive.outputs().begin(beginning)?;
        archive.report_begun();
        Ok(())
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

    /// Flushes plain standard output after a pause of the input. Compressed output is not flushed, because the ends of
    /// frames must not depend on time.
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

    /// Ends the frame, and saves the state if it is known where reading goes on.
    fn end_frame(&mut self, point: Option<ResumePoint>) -> Result<()> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        archive.frame = FrameCounts::default();
        self.stdout.end_frame()?;
        // In the middle of something that cannot be continued there is no state to save.
        if self.common.plan.state_file.is_some() && point.is_none() {
            return archive.outputs().end_frame();
        }
        archive.shared.unsaved = 0;
        archive.state.point = point;
        let (state, shared) = match self.common.plan.state_file {
            Some(_) => archive.checkpoint()?,
            None => {
                archive.outputs().end_frame()?;
                (archive.state.clone(), None)
            }
        };
        let complete = take(&mut archive.outputs().complete);
        let files = self.common.ledger().note(state, shared, complete)?;
        self.common.publish(files)
    }

    /// Ends the current archive.
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
        let ended = archive.close()?;
        self.stdout.end_frame()?;
        let Some(mut archive) = self.archive.take() else { return Ok(()) };
        let complete = take(&mut archive.outputs().complete);
        let OpenArchive { state, shared, .. } = archive;
        let is_saved = match plan.run.output.destination {
            Destination::Folder(_) => ended || state.piece.is_some(),
            Destination::File(_) => plan.run.follow.is_some() || !state.is_first,
            Destination::Stdout | Destination::Caller => false,
        };
        let shared = state.is_first.then_some(shared);
        let files = self.common.ledger().end(state, shared, complete, is_saved)?;
        self.common.publish(files)?;
        self.common.counts().archives -= 1;
        // After all counts: the caller may end the run here. The next input is read from its start.
        Ok(())
    }

    /// Leaves a piece that does not count.
    fn leave_if_void(&mut self) {
        let Some(mut archive) = self.archive.take_if(|archive| archive.fate.is_void()) else { return };
        self.common.ledger().joined.extend(archive.abandon());
        self.common.counts().archives -= 1;
    }

    /// Leaves the archive in the middle, if there is one.
    pub(crate) fn give_up(&mut self) {
        self.leave_if_void();
        let Some(mut archive) = self.archive.take() else { return };
        let unfinished = archive.abandon();
        let OpenArchive { state, shared, .. } = archive;
        let shared = state.is_first.then_some(shared);
        self.common.ledger().give_up(state, shared, unfinished);
    }
}
