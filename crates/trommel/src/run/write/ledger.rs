//! Ledger of a run: which archives are next or done, and the state that records this on disk.
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

/// Maximum number of archives that are in progress or wait for an earlier one; readers pause if there are more.
const MAX_AHEAD: usize = 256;

/// Archive, or piece of an archive, that is being read or waits for its turn, with its state.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) state: ArchiveState,
    /// Piece of the archive to read, with the decision whether the piece is valid; none to read the whole archive.
    pub(crate) piece: Option<Piece>,
}

/// Next task of a reader thread: to read an archive, to find its pieces, or to end.
pub(crate) enum Next {
    /// The reader reads an archive, or a piece of an archive.
    Read(Box<Work>),
    /// The reader finds the pieces into which the input with the given index is cut, to read them in parallel.
    Cut(usize),
    /// No archive is left to read.
    Over,
}

/// List of a run's finished and remaining archives. It assigns archives to readers, joins their outputs in order, and
/// saves the state.
pub(crate) struct Ledger<'a> {
    plan: &'a Prepared<'a>,
    /// State that was saved last, or with which the run began.
    saved: Checkpoint,
    /// Journal (list of finished inputs and outputs) on disk; none if the run cannot be continued.
    journal: Option<OpenFile>,
    /// True if the journal (list of finished inputs) has entries that are not on disk.
    is_noted: bool,
    /// Outputs common to all archives (or to the pieces of one), and the files for failed, dropped and copied records.
    pub(crate) outputs: Outputs<'a>,
    pub(crate) duplicates: Duplicates,
    /// Number of encoded bytes written since the state was saved.
    // Apart from what came since a frame: a frame may end without a state being saved.
    pub(crate) unsaved: u64,
    todo: VecDeque<Turn>,
    works: VecDeque<Work>,
    /// Archive of which some pieces are done: its index, and the number of the piece that must be joined next.
    due: Option<(usize, usize)>,
    /// States of growing inputs whose reading an earlier run left in the middle.
    visits: Vec<ArchiveState>,
    /// Paths of complete files that have their final names, but are not yet listed as such on disk.
    named: Vec<PathBuf>,
    /// Complete output files that no saved state lists yet.
    waiting: Vec<FileState>,
    /// Files to remove after the next save: temporary files that were joined to outputs, and files of abandoned
    /// archives.
    pub(crate) joined: Vec<PathBuf>,
    /// Number of read errors that earlier runs met. Errors of the present run are not counted, because two readers meet
    /// the same error if an input is named twice.
    known_failures: usize,
    /// Error that ended the run early, if any. Nothing is saved after it.
    pub(crate) error: Option<Error>,
    /// Manifest entries of the outputs that have their final names.
    files: Vec<ManifestFile>,
    /// Counts of the archives that are done, with the report on each.
    pub(crate) summary: Summary,
    times: Times,
    begin: Instant,
}

impl<'a> Ledger<'a> {
    /// Creates the list of archives of a run that begins from `continued`, after naming an earlier run's complete
    /// files.
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

    /// Gives the complete files of an interrupted run their final names, and saves the state. Later, new data for a
    /// side file goes to its hidden name again, which the old state would take for the complete file.
    fn publish_left(&mut self) -> Result<()> {
        if self.saved.complete.is_empty() {
            return Ok(());
        }
        publish_all(self.plan, self.saved.complete.clone(), |file, listed| self.add_published(file, listed))?;
        self.sync_journal()?;
        self.saved.archives = self.begun();
        self.write_state()
    }

    /// Returns the states of the archives that have been begun and are not done.
    fn begun(&self) -> Vec<ArchiveState> {
        // An archive without a name has only been picked.
        let noted = self.works.iter().map(|work| &work.state).filter(|state| !state.identity.name.is_empty());
        let left = self.todo.iter().flat_map(|turn| &turn.begun);
        noted.chain(left).chain(&self.visits).cloned().collect()
    }

    /// Appends an entry to the list of finished inputs and outputs, which becomes valid once a saved state includes it.
    fn note_entry(&mut self, entry: JournalEntry) -> Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        self.is_noted = true;
        let bytes = rmp_serde::to_vec_named(&entry);
        journal.write(&bytes.map_err(Error::at(ErrorKind::Output, journal.state.path.display()))?)
    }

    /// Syncs the list of finished inputs to disk, which must precede saving a state that refers to its entries.
    fn sync_journal(&mut self) -> Result<()> {
        if let Some(journal) = self.journal.as_mut().filter(|_| take(&mut self.is_noted)) {
            self.saved.journal = journal.checkpoint()?.extent;
        }
        // What has its name stands in the journal now.
        let named = take(&mut self.named);
        self.saved.complete.retain(|complete| !named.contains(&complete.path));
        Ok(())
    }

    /// Ends the reading of inputs because the maximum number of documents has been written.
    pub(crate) fn reach_limit(&mut self) {
        self.summary.limit_reached = true;
        self.todo.clear();
    }

    /// Returns whether too many archives wait for an earlier one, so that readers should pause.
    pub(crate) fn is_ahead(&self) -> bool {
        self.works.len() >= MAX_AHEAD
    }

    /// Begins to read new data of the growing input `name`, and returns the number of its archive state.
    pub(crate) fn visit(&mut self, name: &str) -> u64 {
        let at = self.visits.iter().position(|archive| archive.identity.name == name);
        let begun = at.map(|at| self.visits.remove(at));
        self.enter(0, begun, None).state.number
    }

    /// Saves the state of an archive and its complete files. Returns the files that must get their final names next.
    pub(crate) fn note(&mut self, state: ArchiveState, complete: Vec<FileState>) -> Result<Vec<FileState>> {
        self.keep(state);
        self.waiting.extend(complete);
        self.save()
    }

    /// Returns whether the output since the last save is at least as large as the memory of the duplicate filters,
    /// which each save writes.
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

    /// Ends an archive that has been read completely. Saves the state if several archives were joined, or if `is_saved`
    /// is set and enough was written. Returns the files that must get their final names next.
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

    /// Saves the state, and returns the complete files in it that must get their final names next.
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

    /// Notes on disk that a file has its final name; `listed` is the file's entry in the list of outputs.
    pub(crate) fn add_published(&mut self, file: &FileState, listed: Option<ManifestFile>) -> Result<()> {
        self.named.push(file.path.clone());
        let Some(listed) = listed else { return Ok(()) };
        self.note_entry(JournalEntry::File(listed.clone()))?;
        self.files.push(listed);
        Ok(())
    }

    /// Ends the run at a read error in the middle of an archive, so that the output does not pass for complete. An
    /// error that an earlier run met as well does not end the run.
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

    /// Ends the run early with an error. Only the first error counts, because later errors follow from it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// Adds the report on a finished input to the summary, or joins it to the last report if `goes_on` is set. All
    /// reports on a followed input are joined.
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

/// Opens the list of finished inputs of a run, and appends `bytes`; none if the run cannot be continued.
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

/// Checks the complete files that an interrupted run left, before they get their final names.
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

/// Gives complete files their final names, and calls `add` with each file and its entry for the list of outputs.
pub(crate) fn publish_all(
    plan: &Prepared<'_>,
    files: Vec<FileState>,
    mut add: impl FnMut(&FileState, Option<ManifestFile>) -> Result<()>,
) -> Result<()> {
    files.iter().try_for_each(|file| add(file, published(plan, file)?))
}

/// Gives a complete file its final name, after it is assembled if its format needs that. Returns the entry for the list
/// of outputs; none for a side file (failed, dropped and copied records).
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
