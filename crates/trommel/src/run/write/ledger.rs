//! The order of the archives of a run: whose turn is next, what is done, and the state that says so on disk.
//!
//! Complete files get their names.

mod ending;
mod order;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::{mem::take, time::Instant};

use trommel_record::filters::Duplicates;
use trommel_record::{Compression, OutputError, discard, hidden, open_own, publish};

use crate::run::counts::summary::{FileReport, Summary, Times};
use crate::run::inputs::listing::Identity;
use crate::run::inputs::pieces::Piece;
use crate::run::state::checkpoint::{Checkpoint, ContinuedRun};
use crate::run::state::inputs::{ArchiveState, FileState, JournalEntry, Turn};
use crate::run::write::manifest::{ManifestFile, size_and_digest};
use crate::run::{plan::recipe_and_lanes::Prepared, write::outputs::OpenFile, write::outputs::Outputs};
use crate::{Error, ErrorKind, Result};

/// Archives that may be done before an earlier one is: the state names each of them.
const MAX_AHEAD: usize = 256;

/// An archive, or a piece of one, that is being read or waits for its turn, with its state.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) state: ArchiveState,
    /// The piece of the archive that is read, which also tells if it counts; none to read all of it.
    pub(crate) piece: Option<Piece>,
}

/// The next task of a reader, as the ledger assigns it.
pub(crate) enum Next {
    /// The reader reads an archive, or a piece of one.
    Read(Box<Work>),
    /// The reader finds the pieces into which the input of that index is cut.
    Cut(usize),
    /// No work is left.
    Over,
}

/// The list of a run's finished and remaining archives. It assigns archives to readers, joins their outputs in order,
/// and saves the state.
pub(crate) struct Ledger<'a> {
    plan: &'a Prepared<'a>,
    /// The state saved last, or the one at the beginning.
    saved: Checkpoint,
    /// The inputs that are done; none if the run cannot be continued.
    journal: Option<OpenFile>,
    /// True if it has entries that are not on disk.
    is_noted: bool,
    /// The output of all archives, or of the archive whose pieces are joined, and the files beside the outputs.
    pub(crate) outputs: Outputs<'a>,
    pub(crate) duplicates: Duplicates,
    /// Encoded bytes since the state was saved.
    // Apart from what came since a frame: a frame may end without a state being saved.
    pub(crate) unsaved: u64,
    todo: VecDeque<Turn>,
    works: VecDeque<Work>,
    /// The index of the input of which some pieces are done, and the number of the piece that is due.
    due: Option<(usize, usize)>,
    /// Visits of followed inputs that an earlier run left in the middle.
    visits: Vec<ArchiveState>,
    /// Complete files that have their names, which the journal on disk does not say yet.
    named: Vec<PathBuf>,
    /// Complete files that no saved state names yet.
    waiting: Vec<FileState>,
    /// Files to be removed after the next save: shares that have been joined, and files of archives that were given up.
    pub(crate) joined: Vec<PathBuf>,
    /// Number of read errors that earlier runs met. One of this run is no second failure: an input that is named twice
    /// meets it in two lanes.
    known_failures: usize,
    /// The error that ends the run early, if there is one; nothing is saved after it.
    pub(crate) error: Option<Error>,
    /// The outputs that have their names.
    files: Vec<ManifestFile>,
    /// Counts of the archives that are done, with the report on each.
    pub(crate) summary: Summary,
    times: Times,
    begin: Instant,
}

impl<'a> Ledger<'a> {
    /// Creates the ledger of a run that begins from `continued`. Files that were complete get their final names first.
    pub(crate) fn new(plan: &'a Prepared<'a>, mut duplicates: Duplicates, continued: ContinuedRun) -> Result<Self> {
        let ContinuedRun { mut state, finished: _, contents, journal, again, todo, due } = continued;
        // A continued run must drop the same documents as an unbroken one, so the filters remember the first part.
        duplicates.restore(state.duplicates.clone());
        if state.planned.is_empty() && plan.run.needs_all_inputs().is_some() {
            let inputs = plan.run.inputs.iter().zip(&plan.namings);
            state.planned = inputs.map(|(input, naming)| Identity::of(input, *naming)).collect();
        }
        let mut ledger = Self {
            plan,
            is_noted: !journal.is_empty(),
            journal: opened_journal(plan, &state, &journal)?,
            outputs: Outputs::new(plan, None, false, state.outputs.clone())?,
            duplicates,
            unsaved: 0,
            todo: todo.into(),
            works: VecDeque::new(),
            due,
            visits: state.archives.clone(),
            named: Vec::new(),
            waiting: Vec::new(),
            joined: Vec::new(),
            known_failures: state.failed.len(),
            error: None,
            files: contents.files,
            summary: state.summary.clone(),
            times: state.times.clone(),
            begin: Instant::now(),
            saved: state,
        };
        for input in again {
            ledger.note_entry(JournalEntry::Again(input.identity))?;
        }
        for done in contents.done {
            ledger.add_report(done.report, false);
        }
        // Before names are given: a damaged file must not take the name of a whole one.
        check_complete(plan, &ledger.saved)?;
        ledger.publish_left()?;
        Ok(ledger)
    }

    /// Gives the complete files of an interrupted run their names, and saves that it did. This comes before new
    /// data for a file beside the outputs: that goes to its hidden name again, and the old state would take it
    /// for the complete file.
    fn publish_left(&mut self) -> Result<()> {
        if self.saved.complete.is_empty() {
            return Ok(());
        }
        publish_all(self.plan, self.saved.complete.clone(), |file, listed| self.add_published(file, listed))?;
        self.sync_journal()?;
        self.saved.archives = self.begun();
        self.write_state()
    }

    /// The states of the archives that were begun and are not done.
    fn begun(&self) -> Vec<ArchiveState> {
        // An archive without a name has only been picked.
        let noted = self.works.iter().map(|work| &work.state).filter(|state| !state.identity.name.is_empty());
        let left = self.todo.iter().flat_map(|turn| &turn.begun);
        noted.chain(left).chain(&self.visits).cloned().collect()
    }

    /// Appends to the journal, where it counts once a state says so.
    fn note_entry(&mut self, entry: JournalEntry) -> Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        self.is_noted = true;
        let bytes = rmp_serde::to_vec_named(&entry);
        journal.write(&bytes.map_err(Error::at(ErrorKind::Output, journal.state.path.display()))?)
    }

    /// Puts the journal on disk. A state may count only entries that are there, so it comes first.
    fn sync_journal(&mut self) -> Result<()> {
        if let Some(journal) = self.journal.as_mut().filter(|_| take(&mut self.is_noted)) {
            self.saved.journal = journal.checkpoint()?.extent;
        }
        // What has its name stands in the journal now.
        let named = take(&mut self.named);
        self.saved.complete.retain(|complete| !named.contains(&complete.path));
        Ok(())
    }

    /// Ends the reading of inputs because the last document of the run's limit is written.
    pub(crate) fn reach_limit(&mut self) {
        self.summary.limit_reached = true;
        self.todo.clear();
    }

    /// Returns whether too many archives wait for an earlier one, so that readers should pause.
    pub(crate) fn is_ahead(&self) -> bool {
        self.works.len() >= MAX_AHEAD
    }

    /// Begins a visit of the followed input `name`, and returns the number of its archive state.
    pub(crate) fn visit(&mut self, name: &str) -> u64 {
        let at = self.visits.iter().position(|archive| archive.identity.name == name);
        let begun = at.map(|at| self.visits.remove(at));
        self.enter(0, begun, None).state.number
    }

    /// Saves the state of an archive and its complete files. Returns the files that are then to be published.
    pub(crate) fn note(&mut self, state: ArchiveState, complete: Vec<FileState>) -> Result<Vec<FileState>> {
        self.keep(state);
        self.waiting.extend(complete);
        self.save()
    }

    /// Returns whether saving the state costs no more than the output since the last save. The cost is the size of the
    /// duplicate filters' memory.
    pub(crate) fn is_worth_saving(&self) -> bool {
        // The memory of duplicates is saved as a whole, so a state can be hundreds of megabytes.
        self.unsaved >= self.duplicates.bytes()
    }

    /// Stores the present state of an archive, without saving it on disk.
    pub(crate) fn keep(&mut self, state: ArchiveState) {
        match self.works.iter_mut().find(|work| work.state.number == state.number) {
            Some(work) => work.state = state,
            // A piece that has turned out not to count meanwhile.
            None => self.joined.extend(state.paths()),
        }
    }

    /// Ends an archive that has been read completely, and saves the state if `is_saved`. Returns the files that are
    /// then to be published.
    pub(crate) fn end(
        &mut self,
        state: ArchiveState,
        complete: Vec<FileState>,
        is_saved: bool,
    ) -> Result<Vec<FileState>> {
        self.keep(ArchiveState { is_ended: true, ..state });
        self.waiting.extend(complete);
        let others = self.join()?;
        match is_saved && self.is_worth_saving() || others > 1 {
            true => self.save(),
            false => Ok(Vec::new()),
        }
    }

    /// Saves the state; returns the files that it names as complete and that have no name yet.
    fn save(&mut self) -> Result<Vec<FileState>> {
        // The files of archives that were given up are as the state says that was saved before.
        if self.error.is_some() {
            return Err(Error::stopped());
        }
        self.unsaved = 0;
        self.waiting.append(&mut self.outputs.complete);
        if self.plan.state_file.is_some() {
            self.saved.outputs = self.outputs.checkpoint()?;
            self.saved.duplicates = self.duplicates.state();
            self.note_counts()?;
            self.saved.archives = self.begun();
            self.saved.complete.extend(self.waiting.iter().cloned());
            self.write_state()?;
        }
        for share in take(&mut self.joined) {
            discard(self.plan.disk, &share);
        }
        Ok(take(&mut self.waiting))
    }

    fn note_counts(&mut self) -> Result<()> {
        self.sync_journal()?;
        // The reports stand in the journal.
        let reports = take(&mut self.summary.files);
        self.saved.summary = self.summary.clone();
        self.summary.files = reports;
        self.saved.summary.seconds += self.begin.elapsed().as_secs_f64();
        self.saved.times = self.times.clone();
        Ok(())
    }

    fn write_state(&self) -> Result<()> {
        match &self.plan.state_file {
            Some(path) => self.saved.save(self.plan.disk, path).map_err(Error::output(path)),
            None => Ok(()),
        }
    }

    /// Notes in the journal that a file has its final name now; `listed` is its entry in the manifest.
    pub(crate) fn add_published(&mut self, file: &FileState, listed: Option<ManifestFile>) -> Result<()> {
        self.named.push(file.path.clone());
        let Some(listed) = listed else { return Ok(()) };
        self.note_entry(JournalEntry::File(listed.clone()))?;
        self.files.push(listed);
        Ok(())
    }

    /// Ends the run at a read error in the middle of an archive, so that the output does not pass for complete. An
    /// error that an earlier run met, too, does not end it.
    pub(crate) fn stop_unless_known(&mut self, error: &str) -> Result<()> {
        let mut known = self.saved.failed.iter().take(self.known_failures);
        if self.plan.state_file.is_none() || known.any(|known| known == error) {
            return Ok(());
        }
        self.saved.failed.push(error.to_owned());
        match self.plan.has_lanes() {
            true => self.save().map(drop)?,
            // The outputs of all hold more than was saved of the archive that failed.
            false => self.write_state()?,
        }
        Err(Error::new(ErrorKind::Input, error))
    }

    /// Ends the run early with an error. Only the first error counts, because others follow from it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// Takes the report on an input that is done, or goes on with the last. Those of one that is followed count as one.
    fn add_report(&mut self, report: FileReport, goes_on: bool) {
        let files = &mut self.summary.files;
        let known = match self.plan.run.follow {
            Some(_) => files.iter_mut().find(|known| known.file == report.file),
            None => files.last_mut().filter(|_| goes_on),
        };
        match known {
            Some(known) => known.add(report),
            None => files.push(report),
        }
    }
}

/// The journal of a run that can be continued, which begins with `bytes` if it is new.
fn opened_journal(plan: &Prepared<'_>, state: &Checkpoint, bytes: &[u8]) -> Result<Option<OpenFile>> {
    let Some(path) = plan.run.journal_file().filter(|_| plan.state_file.is_some()) else { return Ok(None) };
    let file = FileState { path, extent: state.journal.clone(), ..FileState::default() };
    let mut journal = match file.extent.length {
        0 => OpenFile::create(plan.disk, file, Compression::None)?,
        _ => OpenFile::resume(plan.disk, file, Compression::None)?,
    };
    journal.write(bytes)?;
    Ok(Some(journal))
}

/// Checks the files that an interrupted run left complete, before they are given their names.
fn check_complete(plan: &Prepared<'_>, saved: &Checkpoint) -> Result<()> {
    for file in &saved.complete {
        let (path, is_assembled) = (&file.path, plan.assembler(file).is_some());
        let spool = hidden(path, "tmp").map_err(Error::output(path))?;
        let checked = match (spool.exists(), is_assembled) {
            (true, _) => open_own(&spool, false),
            // It has its name already.
            (false, false) => open_own(path, false),
            // What it was made of is gone, as it should be.
            (false, true) => continue,
        };
        checked.and_then(|stored| file.extent.check_all(stored)).map_err(Error::unfinished(path))?;
    }
    Ok(())
}

/// Publishes complete files under their final names, and calls `add` for each.
pub(crate) fn publish_all(
    plan: &Prepared<'_>,
    files: Vec<FileState>,
    mut add: impl FnMut(&FileState, Option<ManifestFile>) -> Result<()>,
) -> Result<()> {
    files.iter().try_for_each(|file| add(file, published(plan, file)?))
}

/// Gives a complete file its final name, after the last step of its format. Returns what the manifest says about it if
/// it has documents.
fn published(plan: &Prepared<'_>, file: &FileState) -> Result<Option<ManifestFile>> {
    let assemble = plan.assembler(file);
    publish(plan.disk, &file.path, assemble).map_err(|error| match error {
        OutputError::Io(source) => Error::output(&file.path)(source),
        error => error.into(),
    })?;
    let Some(encoding) = plan.run.output.encodings.get(file.slot) else { return Ok(None) };
    let (bytes, sha256) = match (plan.is_folder(), assemble) {
        (true, None) => (file.extent.length, Some(file.extent.hex())),
        // The spool has the extent, and the output is made of it.
        (true, Some(_)) => size_and_digest(&file.path).map_err(Error::output(&file.path))?,
        // A single file has no manifest.
        (false, _) => (0, None),
    };
    Ok(Some(ManifestFile {
        name: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        format: encoding.format.to_string(),
        inputs: vec![file.input.clone()],
        documents: file.documents,
        bytes,
        sha256,
    }))
}
