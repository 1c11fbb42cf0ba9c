//! Writes the archives of one lane, one after the other, and counts their records.

mod record;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io::Write, mem::take};

use trommel_archive::ResumePoint;
use trommel_record::{Disk, filters::Duplicates};

use crate::run::counts::{Clock, Counters};
use crate::run::error::{RunError, RunEvent, RunPosition, TakeStep};
use crate::run::state::remaining::{ArchiveState, CompleteFile, InputStart, Message, OutputsState};
use crate::run::work::task::{ArchiveEnd, Opened, Step, Task, WorkerResult};
use crate::run::write::ledger::{Ledger, Shared, SharedState, listed};
use crate::run::write::outputs::{Outputs, Stdout};
use crate::{
    metrics::Metrics, run::counts::summary::DamageReport, run::inputs::pieces::Fate, run::plan::output::Destination,
    run::plan::prepared::WritePlan, run::write::side_output::SideOutputs,
};

/// Records after which the state is saved even if they gave few bytes.
// Archives of images give next to no bytes, and hours of reading must not be lost with them.
const MAX_UNSAVED_RECORDS: u64 = 1 << 16;
/// Bytes of blocks, in frames, after which the state is saved even if they gave little output: reading them again takes
/// a few seconds.
const BLOCKS_A_FRAME: u64 = 64;

/// Lines that are held back until it is known that a piece counts; further ones are told at once.
const MAX_HELD_MESSAGES: usize = 10_000;
/// Records of a selection that differ from their index, of which each has a line; further ones are counted only.
const MAX_NAMED_MISMATCHES: u64 = 100;

/// Settings and state that the writers of all lanes share.
pub(crate) struct Writing<'a> {
    pub(crate) plan: &'a WritePlan<'a>,
    pub(crate) disk: &'a dyn Disk,
    pub(crate) ledger: Mutex<Ledger<'a>>,
    /// Held by the reader that picks its next archive.
    pub(crate) picking: Mutex<()>,
    pub(crate) counters: Counters,
    /// Receives the counts.
    pub(crate) metrics: Option<&'a Metrics>,
    /// Measures the time of reading, encoding and writing.
    pub(crate) clock: Option<&'a Clock>,
}

impl<'a> Writing<'a> {
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives complete files their names. Without the ledger in hand: to assemble a large one takes long.
    fn publish(&self, files: Vec<CompleteFile>) -> Result<(), RunError> {
        for file in files {
            let listed = listed(self.plan, self.disk, &file)?;
            self.ledger().add_published(&file, listed)?;
        }
        Ok(())
    }
}

/// Writes the results of the workers for the archives of a lane. It must receive the steps in their order.
pub(crate) struct LaneWriter<'a, 'r, 'c, T> {
    writing: &'r Writing<'a>,
    /// Standard output, if documents go there.
    pub(crate) stdout: Option<Stdout<'r, 'c>>,
    /// Takes the events, if there is a caller who does.
    pub(crate) take: Option<&'c mut TakeStep<'c, T>>,
    archive: Option<OpenArchive<'a>>,
    /// True if the last document that was asked for is written.
    is_at_limit: bool,
}

/// The archive that is being written.
struct OpenArchive<'a> {
    state: ArchiveState,
    /// Index of the input.
    input: usize,
    /// The name of its outputs.
    stem: String,
    outputs: Outputs<'a>,
    sides: SideOutputs<'a>,
    duplicates: Duplicates,
    /// Tells if it counts, if it is a piece of an archive.
    fate: Option<Fate>,
    /// The one output of all, while the archive has outputs of its own and its turn has come.
    common: Option<Outputs<'a>>,
    unsaved: u64,
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
        plan: &'a WritePlan<'a>,
        disk: &'a dyn Disk,
        opened: Opened,
        state: ArchiveState,
        shared: Option<Shared<'a>>,
    ) -> Result<Self, RunError> {
        let Opened { input, identity, stem, fate, .. } = opened;
        let stem = stem.or_else(|| plan.stems.get(input).cloned()).unwrap_or_default();
        let has_own = plan.has_own_outputs(&state);
        let share = Some(state.number).filter(|_| !has_own);
        let own = |state: &ArchiveState| Outputs::new(plan, disk, share, &state.outputs);
        let (outputs, common, sides, duplicates, unsaved) = match shared {
            Some(Shared { outputs, sides, duplicates, unsaved }) => match has_own {
                true => (own(&state)?, Some(outputs), sides, duplicates, unsaved),
                false => (outputs, None, sides, duplicates, unsaved),
            },
            None => {
                let sides = SideOutputs::new(plan, disk, Some(state.number), &state.sides)?;
                (own(&state)?, None, sides, Duplicates::default(), 0)
            }
        };
        let state = ArchiveState { identity, ..state };
        Ok(Self {
            state,
            input,
            stem,
            outputs,
            sides,
            duplicates,
            fate,
            common,
            unsaved,
            frame: FrameCounts::default(),
            documents_before: 0,
        })
    }

    /// Returns whether enough was written or read since the frame began that it ends, and the state is saved.
    fn is_frame_full(&self, frame: u64) -> bool {
        let FrameCounts { encoded, records, blocks } = self.frame;
        let read_enough = blocks >= frame.saturating_mul(BLOCKS_A_FRAME);
        // Saving must not cost more than writing, however much there is to remember.
        encoded >= frame.max(self.duplicates.bytes()) || records >= MAX_UNSAVED_RECORDS || read_enough
    }

    /// Syncs its files; returns its state, and that of the shared outputs if it holds them.
    fn checkpoint(&mut self) -> Result<(ArchiveState, Option<SharedState>), RunError> {
        let (outputs, sides) = (self.outputs.checkpoint()?, self.sides.save(false)?);
        let mut state = self.state.clone();
        if !state.is_first {
            (state.outputs, state.sides) = (outputs, sides);
            return Ok((state, None));
        }
        let outputs = match self.common {
            Some(_) => {
                state.outputs = outputs;
                OutputsState::default()
            }
            None => outputs,
        };
        Ok((state, Some(SharedState { outputs, sides, duplicates: self.duplicates.state() })))
    }

    /// Ends its outputs, or syncs its shares; returns whether it had outputs of its own.
    fn close(&mut self, plan: &WritePlan<'_>) -> Result<bool, RunError> {
        let has_own = plan.has_own_outputs(&self.state);
        let is_any = has_own && self.outputs.are_open();
        self.state.outputs = match (has_own, self.state.is_first) {
            (true, _) => self.outputs.complete().map(|()| OutputsState::default())?,
            // A frame ends with its archive, so that it does not matter what was written where.
            (false, true) => self.outputs.end_frame().map(|()| OutputsState::default())?,
            (false, false) => self.outputs.checkpoint()?,
        };
        if !self.state.is_first {
            self.state.sides = self.sides.save(false)?;
        }
        Ok(is_any)
    }

    /// Tells something about it; of a piece once it counts.
    fn tell(&mut self, is_error: bool, text: String) {
        let message = Message { is_error, text };
        let counts = self.fate.as_ref().is_none_or(Fate::is_due);
        if counts || self.state.messages.len() >= MAX_HELD_MESSAGES {
            take(&mut self.state.messages).iter().for_each(Message::tell);
            return message.tell();
        }
        self.state.messages.push(message);
    }

    /// Returns the outputs that archives share, if this archive holds them.
    fn into_shared(self) -> (ArchiveState, Option<Shared<'a>>) {
        let Self { state, outputs, sides, duplicates, common, unsaved, .. } = self;
        let is_first = state.is_first;
        let shared = Shared { outputs: common.unwrap_or(outputs), sides, duplicates, unsaved };
        (state, is_first.then_some(shared))
    }
}

impl<'a, 'r, 'c, T> LaneWriter<'a, 'r, 'c, T> {
    /// A writer of a lane that writes to files.
    pub(crate) fn new(writing: &'r Writing<'a>) -> Self {
        Self { writing, stdout: None, take: None, archive: None, is_at_limit: false }
    }

    /// Directs the output to standard output if that is the destination.
    pub(crate) fn on_stdout(mut self, stdout: &'c mut dyn Write) -> Self {
        if self.writing.plan.output.destination == Destination::Stdout {
            self.stdout = Stdout::new(self.writing.plan, stdout);
        }
        self
    }

    /// Writes and counts one step, and saves the state after it if it is time.
    pub(crate) fn step(&mut self, task: Task<WorkerResult<T>>) -> Result<(), RunError> {
        let point = task.point;
        self.leave_if_void();
        let parts = self.archive.as_ref().map_or(0, |archive| archive.outputs.complete_parts());
        match task.step {
            Step::Open(opened) => self.open(opened)?,
            Step::Begin { info, date } => self.begin(info, date)?,
            Step::Record(result) => self.record(result, task.bytes, point)?,
            Step::Damage { offset, lost, what } => self.damage(offset, lost, what, point)?,
            Step::Mismatch { what } => self.mismatch(what),
            Step::End(end) => return self.end(end),
            Step::Over => return Ok(()),
        }
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let documents = archive.documents_before + archive.state.summary.documents;
        if self.writing.plan.limit.is_some_and(|limit| documents >= limit) {
            self.is_at_limit = true;
            self.writing.ledger().reach_limit();
            let bytes = point.map_or(0, |point| point.offset());
            return self.end(ArchiveEnd { bytes, ..ArchiveEnd::default() });
        }
        // In this step: whether outputs of earlier inputs wait depends on when the state was saved, which frames must not
        // show.
        let part_ended = archive.outputs.complete_parts() > parts;
        if archive.is_frame_full(self.writing.plan.frame) || part_ended && archive.unsaved >= archive.duplicates.bytes()
        {
            return self.end_frame(point);
        }
        if part_ended {
            // Without saving, the frame ends all the same.
            archive.frame = FrameCounts::default();
            return archive.outputs.end_frame();
        }
        Ok(())
    }

    /// Returns whether the last document that was asked for is written, and nothing more is to be.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.is_at_limit
    }

    fn open(&mut self, opened: Opened) -> Result<(), RunError> {
        let input = opened.identity.name.clone();
        let mut ledger = self.writing.ledger();
        let number = if self.writing.plan.follows { ledger.visit(&input) } else { opened.number };
        // A piece that does not count may be known for it by now.
        let Some((state, shared)) = ledger.start(number)? else { return Ok(()) };
        let documents_before = ledger.documents();
        drop(ledger);
        let archive = OpenArchive::new(self.writing.plan, self.writing.disk, opened, state, shared)?;
        self.archive = Some(OpenArchive { documents_before, ..archive });
        self.writing.counters.open();
        self.send_event(|| RunEvent::Opened { input }, None)
    }

    fn begin(&mut self, info: Option<Vec<u8>>, date: Option<String>) -> Result<(), RunError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let beginning =
            InputStart { input: archive.state.identity.name.clone(), stem: archive.stem.clone(), info, date };
        if let Some(stdout) = &mut self.stdout {
            return stdout.begin(&beginning);
        }
        archive.outputs.begin(beginning)?;
        archive.state.report.outputs.extend(archive.outputs.take_begun());
        Ok(())
    }

    fn damage(&mut self, offset: u64, lost: u64, what: String, point: Option<ResumePoint>) -> Result<(), RunError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        if let Some(metrics) = self.writing.metrics {
            metrics.damaged();
        }
        let state = &mut archive.state;
        state.report.damaged += 1;
        state.report.lost_bytes = state.report.lost_bytes.saturating_add(lost);
        let file = state.identity.name.clone();
        let message = format!("{file}: offset {offset}: {what}, {lost} bytes lost");
        state.summary.damage(DamageReport { file, offset, lost, what: what.clone() });
        archive.tell(false, message);
        self.send_event(|| RunEvent::Damaged { offset, lost, what }, point)
    }

    fn mismatch(&mut self, what: String) {
        let Some(archive) = &mut self.archive else { return };
        let mismatched = &mut archive.state.summary.mismatched;
        *mismatched += 1;
        if *mismatched <= MAX_NAMED_MISMATCHES {
            let index = archive.state.identity.name.clone();
            archive.tell(false, format!("{index}: {what}"));
        }
    }

    /// Gives an event to the caller, if there is one who takes them.
    fn send_event(&mut self, event: impl FnOnce() -> RunEvent<T>, point: Option<ResumePoint>) -> Result<(), RunError> {
        let Some(take) = &mut self.take else { return Ok(()) };
        let input = self.archive.as_ref().map(|archive| archive.input);
        let position = point.zip(input).map(|(point, input)| RunPosition { input, point: Some(point) });
        take(event(), position.filter(|_| self.writing.plan.has_positions))
    }

    /// Flushes plain standard output after a pause of the input. Compressed output is not flushed, because the ends of
    /// frames must not depend on time.
    pub(crate) fn idle(&mut self) -> Result<(), RunError> {
        match (&mut self.stdout, &mut self.archive) {
            (Some(stdout), Some(archive)) if self.writing.plan.is_plain() && archive.frame.encoded > 0 => {
                // A program that reads a live run wants each document when it is there.
                archive.frame = FrameCounts::default();
                stdout.end_frame()
            }
            _ => Ok(()),
        }
    }

    /// Ends the frame, and saves the state if it is known where reading goes on.
    fn end_frame(&mut self, point: Option<ResumePoint>) -> Result<(), RunError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        archive.frame = FrameCounts::default();
        if let Some(stdout) = &mut self.stdout {
            stdout.end_frame()?;
        }
        // In the middle of something that cannot be continued there is no state to save.
        if self.writing.plan.state_file.is_some() && point.is_none() {
            return archive.outputs.end_frame();
        }
        archive.unsaved = 0;
        archive.state.point = point;
        let (state, shared) = match self.writing.plan.state_file {
            Some(_) => archive.checkpoint()?,
            None => {
                archive.outputs.end_frame()?;
                (archive.state.clone(), None)
            }
        };
        let complete = archive.outputs.take_complete();
        let files = self.writing.ledger().note(state, shared, complete)?;
        self.writing.publish(files)
    }

    /// Ends the current archive.
    fn end(&mut self, end: ArchiveEnd) -> Result<(), RunError> {
        let ArchiveEnd { bytes, error, broken, point, next } = end;
        let plan = self.writing.plan;
        let Some(archive) = &mut self.archive else { return Ok(()) };
        if let (true, Some(error)) = (broken, &error) {
            self.writing.ledger().stop_unless_known(error)?;
        }
        if let Some(error) = &error {
            archive.tell(true, error.clone());
        }
        archive.state.point = point;
        if let Some(piece) = &mut archive.state.piece {
            piece.next = next;
        }
        archive.state.report.file.clone_from(&archive.state.identity.name);
        archive.state.report.stored_bytes = bytes;
        archive.state.report.error.clone_from(&error);
        archive.state.summary.stored_bytes = bytes;
        let ended = archive.close(plan)?;
        if let Some(stdout) = &mut self.stdout {
            stdout.end_frame()?;
        }
        let Some(mut archive) = self.archive.take() else { return Ok(()) };
        let complete = archive.outputs.take_complete();
        let is_saved = match plan.output.destination {
            Destination::Folder(_) => ended || archive.state.piece.is_some(),
            Destination::File(_) => plan.follows || !archive.state.is_first,
            Destination::Stdout | Destination::Caller => false,
        };
        let (state, shared) = archive.into_shared();
        let files = self.writing.ledger().end(state, shared, complete, is_saved)?;
        self.writing.publish(files)?;
        self.writing.counters.close();
        // After all counts: the caller may end the run here. The next input is read from its start.
        let Some(take) = &mut self.take else { return Ok(()) };
        let input = self.writing.ledger().next_input().unwrap_or(plan.stems.len());
        let next = (!broken && plan.has_positions).then_some(RunPosition { input, point: None });
        take(RunEvent::Ended { bytes, error }, next)
    }

    /// Leaves a piece that does not count.
    fn leave_if_void(&mut self) {
        let is_void = |archive: &mut OpenArchive<'_>| archive.fate.as_ref().is_some_and(Fate::is_void);
        let Some(mut archive) = self.archive.take_if(is_void) else { return };
        let mut files = archive.outputs.abandon();
        files.extend(archive.sides.abandon());
        self.writing.ledger().leave(files);
        self.writing.counters.close();
    }

    /// Leaves the archive in the middle, if there is one.
    pub(crate) fn give_up(&mut self) {
        self.leave_if_void();
        let Some(mut archive) = self.archive.take() else { return };
        let mut unfinished = Vec::new();
        if archive.common.is_some() || !archive.state.is_first {
            unfinished.extend(archive.outputs.abandon());
        }
        if !archive.state.is_first {
            unfinished.extend(archive.sides.abandon());
        }
        let (state, shared) = archive.into_shared();
        self.writing.ledger().give_up(state, shared, unfinished);
    }

    /// Lets go of standard output, whose reader is gone.
    pub(crate) fn close(&mut self) {
        if let Some(stdout) = &mut self.stdout {
            stdout.close();
        }
    }

    /// Ends standard output.
    pub(crate) fn finish(&mut self) -> Result<(), RunError> {
        self.stdout.as_mut().map_or(Ok(()), Stdout::finish)
    }
}
