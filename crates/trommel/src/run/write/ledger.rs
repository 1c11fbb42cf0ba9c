//! The order of the archives of a run: whose turn is next, what is done, and the state that says so on disk.
//!
//! Complete files get their names.

mod ending;
mod order;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::{mem::take, time::Instant};

use trommel_archive::ResumePoint;
use trommel_record::filters::{Duplicates, DuplicatesState};
use trommel_record::{Assemble, Disk, OutputError, discard, hidden, open_own, publish};

use crate::run::counts::summary::{FileReport, Summary, Times};
use crate::run::inputs::pieces::{Fate, Piece};
use crate::run::state::checkpoint::{Checkpoint, ContinuedRun, journal_file};
use crate::run::state::remaining::{
    ArchiveState, CompleteFile, Journal, JournalEntry, OutputsState, Partial, SideState, Turn,
};
use crate::run::write::manifest::{ManifestFile, size_and_digest};
use crate::run::{
    error::RunError, plan::prepared::WritePlan, write::outputs::Outputs, write::side_output::SideOutputs,
};

/// Archives that may be done before an earlier one is: the state names each of them.
const MAX_AHEAD: usize = 256;

/// Outputs that archives share and write in their order. The archive whose turn it is holds them.
pub(crate) struct Shared<'a> {
    /// The one output of all archives; nothing if each has its own.
    pub(crate) outputs: Outputs<'a>,
    pub(crate) sides: SideOutputs<'a>,
    pub(crate) duplicates: Duplicates,
    /// Encoded bytes since the state was saved.
    // Apart from what came since a frame: a frame may end without a state being saved.
    pub(crate) unsaved: u64,
}

/// State of the shared outputs at one moment.
#[derive(Default)]
pub(crate) struct SharedState {
    pub(crate) outputs: OutputsState,
    pub(crate) sides: Vec<SideState>,
    pub(crate) duplicates: DuplicatesState,
}

impl Shared<'_> {
    /// Syncs it; returns its valid state.
    pub(crate) fn checkpoint(&mut self) -> Result<SharedState, RunError> {
        self.unsaved = 0;
        Ok(SharedState {
            outputs: self.outputs.checkpoint()?,
            sides: self.sides.save(false)?,
            duplicates: self.duplicates.state(),
        })
    }

    /// Returns whether saving costs no more than the output since the last save, whatever the size of the duplicate
    /// filters' memory.
    pub(crate) fn is_worth_saving(&self) -> bool {
        // The memory of duplicates is saved as a whole, so a state can be hundreds of megabytes.
        self.unsaved >= self.duplicates.bytes()
    }
}

/// An archive that has its turn or waits for it.
struct Work {
    state: ArchiveState,
    /// Index of the input.
    input: usize,
    /// True if anything of it is to be saved.
    is_noted: bool,
    /// Tells if it counts, if it is a piece of an archive.
    fate: Fate,
}

/// An archive for a reader to read.
pub(crate) struct Picked {
    pub(crate) number: u64,
    /// Index of the input.
    pub(crate) input: usize,
    /// The place where reading begins; none: its start.
    pub(crate) point: Option<ResumePoint>,
    /// The piece of the archive that is to be read; none: all of it.
    pub(crate) piece: Option<Piece>,
}

/// The next work of a reader.
pub(crate) enum Next {
    /// It reads an archive, or a piece of one.
    Read(Picked),
    /// It finds the pieces of the input of that index.
    Cut(usize),
    /// Nothing is left.
    Over,
}

/// The finished and the remaining archives of a run.
pub(crate) struct Ledger<'a> {
    plan: &'a WritePlan<'a>,
    disk: &'a dyn Disk,
    /// True if several archives are written at a time.
    has_lanes: bool,
    /// The state saved last, or the one at the beginning.
    saved: Checkpoint,
    /// The inputs that are done; none if the run cannot be continued.
    journal: Option<Journal<'a>>,
    /// The shared outputs; none while an archive holds them.
    shared: Option<Shared<'a>>,
    todo: VecDeque<Turn>,
    works: VecDeque<Work>,
    /// The archive of which some pieces are done.
    partial: Option<Partial>,
    /// Visits of followed inputs that an earlier run left in the middle.
    visits: Vec<ArchiveState>,
    /// Complete files that have their names, which the journal on disk does not say yet.
    named: Vec<PathBuf>,
    /// Complete files that no saved state names yet.
    waiting: Vec<CompleteFile>,
    /// Shares that have been joined, to be removed once that is saved.
    joined: Vec<PathBuf>,
    /// Files of archives that were given up.
    left: Vec<PathBuf>,
    /// Number of read errors that earlier runs met. One of this run is no second failure: an input that is named twice
    /// meets it in two lanes.
    known_failures: usize,
    /// Reason why the run ends early, if it does: nothing is saved any more.
    error: Option<RunError>,
    /// Reports of the inputs that are done.
    reports: Vec<FileReport>,
    /// The numbers of the reports of followed inputs, by name.
    report_of: HashMap<String, usize>,
    /// The outputs that have their names.
    files: Vec<ManifestFile>,
    summary: Summary,
    times: Times,
    begin: Instant,
}

impl<'a> Ledger<'a> {
    /// The ledger of a run that begins from `continued`, whose complete files get their names first.
    pub(crate) fn new(
        plan: &'a WritePlan<'a>,
        disk: &'a dyn Disk,
        (mut duplicates, has_lanes): (Duplicates, bool),
        continued: ContinuedRun,
    ) -> Result<Self, RunError> {
        let ContinuedRun { state, finished, contents, journal: counted, again, todo, partial } = continued;
        let outputs = Outputs::new(plan, disk, None, &state.outputs)?;
        let sides = SideOutputs::new(plan, disk, None, &state.sides)?;
        // A continued run must drop the same documents as an unbroken one, so the filters remember the first part.
        duplicates.restore(state.duplicates.clone());
        let journal = plan.state_file.as_deref();
        let mut journal = journal.map(|path| Journal::new(disk, journal_file(path), counted));
        if let Some(journal) = &mut journal {
            // A finished run has no journal any more; what is read again stands in its state no longer.
            let before = contents.entries().filter(|_| finished);
            let again = again.into_iter().filter(|_| !finished).map(JournalEntry::Again);
            let planned = plan.planned.iter().filter(|_| contents.planned.is_empty()).cloned();
            for entry in before.chain(again).chain(planned.map(JournalEntry::Planned)) {
                journal.add(&entry)?;
            }
        }
        let mut ledger = Self {
            plan,
            disk,
            has_lanes,
            journal,
            shared: Some(Shared { outputs, sides, duplicates, unsaved: 0 }),
            todo: todo.into(),
            works: VecDeque::new(),
            partial,
            visits: state.archives.clone(),
            named: Vec::new(),
            waiting: Vec::new(),
            joined: Vec::new(),
            left: Vec::new(),
            known_failures: state.failed.len(),
            error: None,
            reports: Vec::new(),
            report_of: HashMap::new(),
            files: contents.files,
            summary: state.summary.clone(),
            times: state.times.clone(),
            begin: Instant::now(),
            saved: state,
        };
        for done in contents.done {
            ledger.add_report(done.report);
        }
        // Before names are given: a damaged file must not take the name of a whole one.
        check_complete(plan, &ledger.saved)?;
        ledger.publish_left()?;
        Ok(ledger)
    }

    /// Gives the complete files of an interrupted run their names, and saves that it did. This comes before new
    /// data for a file beside the outputs: that goes to its hidden name again, and the old state would take it
    /// for the complete file.
    fn publish_left(&mut self) -> Result<(), RunError> {
        if !self.saved.has_complete() {
            return Ok(());
        }
        for file in self.saved.complete.clone() {
            let listed = listed(self.plan, self.disk, &file)?;
            self.add_published(&file, listed)?;
        }
        for side in take(&mut self.saved.complete_sides) {
            published(self.disk, &side.path, None)?;
        }
        self.sync_journal()?;
        self.saved.archives = self.begun();
        self.saved.partial = self.partial.as_ref().map(|partial| partial.state.clone());
        self.write_state()
    }

    /// The states of the archives that were begun and are not done.
    fn begun(&self) -> Vec<ArchiveState> {
        let noted = self.works.iter().filter(|work| work.is_noted).map(|work| &work.state);
        let left = self.todo.iter().flat_map(|turn| &turn.begun);
        noted.chain(left).chain(&self.visits).cloned().collect()
    }

    /// Puts the journal on disk. A state may count only entries that are there, so it comes first.
    fn sync_journal(&mut self) -> Result<(), RunError> {
        if let Some(journal) = &mut self.journal {
            self.saved.journal = journal.sync()?;
        }
        // What has its name stands in the journal now.
        let named = take(&mut self.named);
        self.saved.complete.retain(|complete| !named.contains(&complete.file.path));
        Ok(())
    }

    /// Documents of the archives that are done.
    pub(crate) fn documents(&self) -> u64 {
        self.summary.documents
    }

    /// Takes note that the last document that was asked for is written: no more inputs are read.
    pub(crate) fn reach_limit(&mut self) {
        self.summary.limit_reached = true;
        self.todo.clear();
    }

    /// Returns whether too many archives wait for an earlier one, so that no more should be read.
    pub(crate) fn is_ahead(&self) -> bool {
        self.works.len() >= MAX_AHEAD
    }

    /// Enters a visit of an input that is followed.
    pub(crate) fn visit(&mut self, name: &str) -> u64 {
        let at = self.visits.iter().position(|archive| archive.identity.name == name);
        let begun = at.map(|at| self.visits.remove(at));
        self.enter(0, begun, None).0
    }

    /// Saves where an archive is, and that files are complete, which then are to be published.
    pub(crate) fn note(
        &mut self,
        state: ArchiveState,
        shared: Option<SharedState>,
        complete: Vec<CompleteFile>,
    ) -> Result<Vec<CompleteFile>, RunError> {
        self.keep(state);
        if let Some(shared) = shared {
            self.set_shared(shared);
        }
        self.waiting.extend(complete);
        self.save()
    }

    fn keep(&mut self, state: ArchiveState) {
        match self.works.iter_mut().find(|work| work.state.number == state.number) {
            Some(work) => {
                work.state = state;
                work.is_noted = true;
            }
            // A piece that has turned out not to count meanwhile.
            None => self.joined.extend(state.paths().map(Path::to_owned)),
        }
    }

    fn set_shared(&mut self, shared: SharedState) {
        self.saved.outputs = shared.outputs;
        self.saved.sides = shared.sides;
        // The one before goes first, so that there are never three of them.
        self.saved.duplicates = DuplicatesState::default();
        self.saved.duplicates = shared.duplicates;
    }

    /// Takes an archive that has been read to its end. Saves that if it `is_saved`; returns the files that are then to
    /// be published.
    pub(crate) fn end(
        &mut self,
        state: ArchiveState,
        shared: Option<Shared<'a>>,
        complete: Vec<CompleteFile>,
        is_saved: bool,
    ) -> Result<Vec<CompleteFile>, RunError> {
        self.keep(ArchiveState { is_ended: true, ..state });
        self.waiting.extend(complete);
        let is_worth = match shared {
            Some(shared) => {
                let is_worth = shared.is_worth_saving();
                self.shared = Some(shared);
                is_worth
            }
            None => true,
        };
        let others = self.join()?;
        match is_saved && is_worth || others > 1 {
            true => self.save(),
            false => Ok(Vec::new()),
        }
    }

    /// Saves the state; returns the files that it names as complete and that have no name yet.
    fn save(&mut self) -> Result<Vec<CompleteFile>, RunError> {
        // The files of archives that were given up are as the state says that was saved before.
        if self.is_over() {
            return Err(RunError::Stopped);
        }
        if self.plan.state_file.is_some() {
            if let Some(shared) = &mut self.shared {
                let shared = shared.checkpoint()?;
                self.set_shared(shared);
            }
            self.note_counts()?;
            self.saved.archives = self.begun();
            self.saved.partial = self.partial.as_ref().map(|partial| partial.state.clone());
            self.saved.complete.extend(self.waiting.iter().cloned());
            self.write_state()?;
        }
        for share in take(&mut self.joined) {
            discard(self.disk, &share);
        }
        Ok(take(&mut self.waiting))
    }

    fn note_counts(&mut self) -> Result<(), RunError> {
        self.sync_journal()?;
        self.saved.summary = self.summary.clone();
        self.saved.summary.seconds += self.begin.elapsed().as_secs_f64();
        self.saved.times = self.times.clone();
        Ok(())
    }

    fn write_state(&self) -> Result<(), RunError> {
        match &self.plan.state_file {
            Some(path) => self.saved.save(self.disk, path).map_err(|source| RunError::output(path, source)),
            None => Ok(()),
        }
    }

    /// Takes note that a complete file has its name.
    pub(crate) fn add_published(&mut self, file: &CompleteFile, listed: ManifestFile) -> Result<(), RunError> {
        self.named.push(file.file.path.clone());
        if let Some(journal) = &mut self.journal {
            journal.add(&JournalEntry::File(listed.clone()))?;
        }
        self.files.push(listed);
        Ok(())
    }

    /// Ends the run at a read error in the middle of an archive, so that its shard does not pass for complete. One that
    /// an earlier run met, too, does not end it.
    pub(crate) fn stop_unless_known(&mut self, error: &str) -> Result<(), RunError> {
        let mut known = self.saved.failed.iter().take(self.known_failures);
        if self.plan.state_file.is_none() || known.any(|known| known == error) {
            return Ok(());
        }
        self.saved.failed.push(error.to_owned());
        match self.has_lanes {
            true => self.save().map(drop)?,
            // What archives have in common may hold more than was saved, as it is in the hands of the one that failed.
            false => self.write_state()?,
        }
        Err(RunError::Input(error.to_owned()))
    }

    /// The index of the next input that is not done.
    pub(crate) fn next_input(&self) -> Option<usize> {
        self.works.front().map(|work| work.input).or_else(|| self.todo.front().map(|turn| turn.input))
    }

    /// Ends the run early. Only the first error counts: others follow from it.
    pub(crate) fn fail(&mut self, error: RunError) {
        self.error.get_or_insert(error);
    }

    /// Returns whether the run ends early.
    pub(crate) fn is_over(&self) -> bool {
        self.error.is_some()
    }

    /// Reason why it does.
    pub(crate) fn take_error(&mut self) -> Option<RunError> {
        self.error.take()
    }

    /// Takes the report on an input that is done. Those of one that is followed count as one.
    fn add_report(&mut self, report: FileReport) {
        if self.plan.follows {
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

/// Checks the files that an interrupted run left complete, before they are given their names.
pub(crate) fn check_complete(plan: &WritePlan<'_>, saved: &Checkpoint) -> Result<(), RunError> {
    let files = saved.complete.iter();
    let files =
        files.map(|CompleteFile { file, extent }| (&file.path, extent, plan.assembler(file.encoding).is_some()));
    let sides = saved.complete_sides.iter().map(|side| (&side.path, &side.extent, false));
    for (path, extent, is_assembled) in files.chain(sides) {
        let spool = hidden(path, "tmp").map_err(|source| RunError::output(path, source))?;
        let checked = match (spool.exists(), is_assembled) {
            (true, _) => open_own(&spool, false),
            // It has its name already.
            (false, false) => open_own(path, false),
            // What it was made of is gone, as it should be.
            (false, true) => continue,
        };
        checked.and_then(|file| extent.check_all(file)).map_err(|source| RunError::unfinished(path, source))?;
    }
    Ok(())
}

/// Gives a complete file of documents its name; says how a manifest lists it.
pub(crate) fn listed(plan: &WritePlan<'_>, disk: &dyn Disk, complete: &CompleteFile) -> Result<ManifestFile, RunError> {
    let CompleteFile { file, extent } = complete;
    let assemble = plan.assembler(file.encoding);
    published(disk, &file.path, assemble)?;
    let (bytes, sha256) = match (plan.is_folder(), assemble) {
        (true, None) => (extent.length, Some(extent.hex())),
        (true, Some(_)) => size_and_digest(&file.path).map_err(|source| RunError::output(&file.path, source))?,
        // Nobody lists it.
        (false, _) => (0, None),
    };
    let encoding = plan.output.encodings.get(file.encoding);
    Ok(ManifestFile {
        name: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        format: encoding.map_or_else(String::new, |encoding| encoding.format.to_string()),
        inputs: vec![file.input.clone()],
        documents: file.documents,
        bytes,
        sha256,
    })
}

/// Gives a complete file its name.
pub(crate) fn published(disk: &dyn Disk, path: &Path, assemble: Option<&dyn Assemble>) -> Result<(), RunError> {
    publish(disk, path, assemble).map_err(|error| match error {
        OutputError::Io(source) => RunError::output(path, source),
        error => RunError::Encode(error),
    })
}
