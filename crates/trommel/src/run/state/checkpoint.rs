//! Saved state of a run, from which it continues after an interruption or with new inputs, and the times of saving.

use std::path::Path;
use std::{fmt, io, mem::take};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use trommel_record::filters::DuplicatesState;
use trommel_record::{Disk, Extent, hidden, read_own, replace};

use crate::run::counts::summary::{Summary, Times};
use crate::run::state::inputs::{ArchiveState, Contents, DoneInput, FileState, OutputsState, Turn};
use crate::run::{
    inputs::listing::Identity, plan::Plan, plan::existing::check_finished, plan::existing::sides,
    plan::recipe_and_lanes::NONE, plan::recipe_and_lanes::Values, state::inputs, state::inputs::share_of,
};
use crate::{Error, ErrorKind, Result};

/// Maximum number of characters of a setting's value in messages about a difference.
// Values may be lists of hundreds of names.
const MAX_SHOWN_CHARS: usize = 80;

/// Maximum number of records that are read before the state is saved, however few bytes they give.
// Archives of images give next to no bytes, and hours of reading must not be lost with them.
const MAX_UNSAVED_RECORDS: u64 = 1 << 16;
/// Maximum bytes of records that are read before the state is saved, as a multiple of the size of a compressed frame.
/// Reading them again takes a few seconds.
const BLOCKS_A_FRAME: u64 = 64;

/// Counts of what was read and written since the last compressed frame ended, to decide when the next frame ends.
#[derive(Default)]
pub(crate) struct FrameCounts {
    pub(crate) encoded: u64,
    pub(crate) records: u64,
    pub(crate) blocks: u64,
    /// True if a part of the output (a file of limited size) has ended.
    pub(crate) part_ended: bool,
}

impl FrameCounts {
    /// Returns whether the compressed frame should end and the state be saved, because enough was written or read.
    /// `frame` is the size of a frame in bytes, `memory` that of the duplicate filters, which are saved as well.
    pub(crate) fn is_full(&self, frame: u64, memory: u64) -> bool {
        let read_enough = self.blocks >= frame.saturating_mul(BLOCKS_A_FRAME);
        // Saving must not cost more than writing, however much there is to remember.
        self.encoded >= frame.max(memory) || self.records >= MAX_UNSAVED_RECORDS || read_enough
    }
}

/// Saved state of an unfinished run, from which the run can be continued. All records up to one moment are in its
/// outputs and counts, and no later ones. It is stored as a MessagePack map and its SHA-256. Inputs that are done are
/// in the journal beside it, and in the state itself once the run is finished.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Names and values of everything that the outputs depend on except the inputs.
    // A run goes on under the same build only, which is one of them, so that the format needs no version.
    pub(crate) settings: Values,
    /// Length and checksum of the valid part of the journal (file that lists finished inputs and outputs).
    pub(crate) journal: Extent,
    /// Bytes of the journal (list of finished inputs and outputs) of a finished run; none if the run is not finished.
    pub(crate) contents: Option<Vec<u8>>,
    /// Names and file stamps of all inputs at the beginning; empty unless every page depends on all inputs.
    pub(crate) planned: Vec<Identity>,
    /// Number of archives, and of pieces of large archives, that the run has begun.
    pub(crate) begun: u64,
    /// Archives that are being read or written, and those that wait for their turn.
    pub(crate) archives: Vec<ArchiveState>,
    /// Unfinished outputs that all archives share, and unfinished side files (failed, dropped, copied records).
    pub(crate) outputs: OutputsState,
    /// Memory of the duplicate filters.
    pub(crate) duplicates: DuplicatesState,
    /// Files that are complete but may not have their final names yet.
    pub(crate) complete: Vec<FileState>,
    /// Counts of the archives that are done, without the reports on single inputs.
    pub(crate) summary: Summary,
    /// Times of the pages in archives that are done.
    pub(crate) times: Times,
    /// Read errors that ended earlier parts of the run; they do not end a continued run again.
    pub(crate) failed: Vec<String>,
}

/// Earlier run to be continued, or a new run with an empty state, with the inputs that remain.
#[derive(Debug, Default)]
pub(crate) struct ContinuedRun {
    pub(crate) state: Checkpoint,
    /// True if the earlier run was finished.
    pub(crate) finished: bool,
    /// Contents of the saved list (journal) of inputs that are done, and of outputs that have their final names.
    pub(crate) contents: Contents,
    /// Bytes of a finished run's list of inputs, with which the new list begins; empty if the old list continues.
    pub(crate) journal: Vec<u8>,
    /// Inputs that could not be read before and are read again.
    pub(crate) again: Vec<DoneInput>,
    /// Inputs that remain, in order. An input that was being written into the output of all inputs comes first.
    pub(crate) todo: Vec<Turn>,
    /// Input of which some pieces have been read: its index, and the number of its next piece.
    pub(crate) due: Option<(usize, usize)>,
}

/// Settings that change the outputs, as in a saved state; read first to know if the rest of the state is readable.
#[derive(Deserialize)]
struct MadeWith {
    settings: Values,
}

impl Checkpoint {
    /// Creates the state of a run in which no input has been read; `settings` are those that change its outputs.
    pub(crate) fn new(settings: Values) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Loads the state at `path`; none if the file is missing. Fails if it is damaged or of a run with other settings.
    pub(crate) fn load(path: &Path, settings: &[(String, String)]) -> Result<Option<Self>> {
        let bytes = match read_own(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(Error::at(ErrorKind::Resume, path.display()))?,
        };
        let undecoded = |error: rmp_serde::decode::Error| damaged(path, &error.to_string());
        let state = unsealed(&bytes).ok_or_else(|| damaged(path, "its checksum is another"))?;
        // Before the rest: that of another build, which they name, may not be readable.
        let then: MadeWith = rmp_serde::from_slice(state).map_err(undecoded)?;
        let value = |settings: &[(String, String)], name: &str| {
            let found = settings.iter().find(|(key, _)| key == name);
            found.map_or_else(|| NONE.to_owned(), |(_, value)| value.clone())
        };
        // Both lists: a setting that only one of the builds knows differs as well.
        for (name, _) in settings.iter().chain(&then.settings) {
            let (then, now) = (value(&then.settings, name), value(settings, name));
            if then != now {
                let had = format!("the run to continue had {name} {}", shortened(&then));
                let has = format!("this one has {}; use the same, or start afresh with --overwrite", shortened(&now));
                return Err(Error::resume(path, format!("{had}, {has}")));
            }
        }
        rmp_serde::from_slice(state).map(Some).map_err(undecoded)
    }

    /// Checks that the state names only files of a run of `plan`, because somebody else may have written the state.
    // Files that a state names are renamed and removed, so a forged state must not name others.
    fn check_paths(&self, plan: &Plan) -> Result<(), String> {
        let (folder, sides) = (plan.output.destination.folder(), sides(plan).unwrap_or_default());
        let archives = self.archives.iter();
        let shares = archives.flat_map(|archive| archive.outputs.open.iter().map(|file| (file, Some(archive.number))));
        let whole = self.outputs.open.iter().chain(&self.complete);
        for (file, share) in whole.map(|file| (file, None)).chain(shares) {
            let is_own = match file.slot.checked_sub(plan.output.encodings.len()).map(|number| sides.get(number)) {
                None => file.path.parent() == folder,
                Some(Some(Some((_, Some(side))))) => share_of(side, share) == file.path,
                Some(_) => false,
            };
            if !is_own {
                return Err(format!("{} is no file of this run", file.path.display()));
            }
        }
        Ok(())
    }

    /// Saves the state at `path`, where it replaces the previous state.
    pub(crate) fn save(&self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        let mut bytes = rmp_serde::to_vec_named(self).map_err(io::Error::other)?;
        // The checksum shows bit rot and half-written states; it is no protection, which `check_paths` is for.
        bytes.extend_from_slice(&Sha256::digest(&bytes));
        replace(disk, path, &bytes)
    }
}

/// Returns the bytes before the SHA-256 at their end; none if the checksum does not match.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (state, digest) = bytes.split_last_chunk::<32>()?;
    (Sha256::digest(state) == *digest).then_some(state)
}

impl ContinuedRun {
    /// Creates the state of a new run of a plan.
    pub(crate) fn new_run(plan: &Plan) -> Self {
        Self {
            state: Checkpoint::new(plan.recipe()),
            todo: (0..plan.inputs.len()).map(|input| Turn { input, ..Turn::default() }).collect(),
            ..Self::default()
        }
    }

    /// Loads the run whose state is saved at one of `paths`: an interrupted run, or else a finished one. None if there
    /// is no state.
    ///
    /// # Errors
    /// Fails if the state is of a run of another plan, or if inputs or outputs have changed since.
    pub(crate) fn load(plan: &Plan, paths: [&Path; 2]) -> Result<Option<Self>> {
        // A run that was continued after its end has both, until it ends again.
        let Some(path) = paths.into_iter().find(|path| is_there(path)) else { return Ok(None) };
        let Some(mut state) = Checkpoint::load(path, &plan.recipe())? else { return Ok(None) };
        let contents = state.contents.take();
        let finished = contents.is_some();
        let file = plan.journal_file().and_then(|file| hidden(&file, "tmp").ok()).unwrap_or_default();
        let damage = |error: &dyn fmt::Display| damaged(&file, &error.to_string());
        let bytes = contents.map_or_else(|| inputs::read(&file, &state.journal), Ok).map_err(|error| damage(&error))?;
        let mut contents = inputs::decoded(&bytes).map_err(|error| damage(&error))?;
        let mut journal = Vec::new();
        if finished {
            (journal, state.journal) = (bytes, Extent::default());
        }
        // After the checksums and before anything is renamed or removed.
        state.check_paths(plan).map_err(|what| damaged(path, &what))?;
        if let Some(why) = plan.needs_all_inputs() {
            inputs::check_planned(plan, &state.planned, why)?;
        }
        let (again, todo, due) = match plan.follow {
            // What is followed grows, and is looked for anew.
            Some(_) => Default::default(),
            None => inputs::remaining(plan, take(&mut state.archives), &mut contents.done)?,
        };
        // They are counted when they are read again.
        again.iter().for_each(|input| state.summary.forget(&input.report));
        let continued = Self { state, finished, contents, journal, again, todo, due };
        if continued.finished {
            let first = match plan.follow {
                Some(_) => Some(0),
                None => continued.todo.first().map(|turn| turn.input),
            };
            let new = first.filter(|_| !continued.state.summary.limit_reached);
            check_finished(plan, continued.contents.files.iter().map(|file| &*file.name), new)?;
        }
        Ok(Some(continued))
    }

    /// Marks all inputs as done if the run has already written the maximum number of documents (`limit`).
    pub(crate) fn end_at_limit(&mut self, plan: &Plan) {
        let documents = self.state.summary.documents;
        if plan.settings.limits.limit.is_some_and(|limit| documents >= limit.get()) {
            self.state.summary.limit_reached = true;
            self.todo.clear();
        }
    }

    /// Returns the counts of a finished run.
    ///
    /// # Errors
    /// Fails if the counts contradict one another.
    pub(crate) fn into_summary(self) -> Result<Summary> {
        let Self { state, contents, .. } = self;
        let mut summary = state.summary;
        summary.files = contents.done.into_iter().map(|done| done.report).collect();
        summary.time(&state.times);
        match summary.mismatch() {
            Some(mismatch) => Err(mismatch.into()),
            None => Ok(summary),
        }
    }

    /// Returns whether the run is finished and no input is left; always false if inputs are followed.
    pub(crate) fn is_done(&self, plan: &Plan) -> bool {
        // A followed run has no end of its own: its inputs may have grown since.
        self.finished && self.todo.is_empty() && plan.follow.is_none()
    }
}

/// Makes the error that a saved state or its list of finished inputs is damaged.
fn damaged(path: &Path, what: &str) -> Error {
    let remedy = "remove this file and start afresh with --overwrite";
    Error::resume(path, format!("the state of the run is empty or damaged ({what}); {remedy}"))
}

/// Returns whether a path exists in the file system, even as a link to a missing file.
pub(crate) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", value.get(..end).unwrap_or(value)),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use trommel_record::LocalDisk;

    fn settings(format: &str) -> Vec<(String, String)> {
        vec![("format".to_owned(), format.to_owned())]
    }

    #[test]
    fn goes_there_and_back_and_knows_its_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".a.checkpoint");
        let load = |format: &str| Checkpoint::load(&path, &settings(format));
        assert!(load("wet").unwrap().is_none());
        let mut state = Checkpoint::new(settings("wet"));
        state.journal = Extent::new(3, Sha256::new());
        state.summary.records = 7;
        state.summary.drops = [(crate::run::counts::reasons::DropReason::NotHtml, 1)].into();
        state.summary.truncate("length");
        state.save(&LocalDisk, &path).unwrap();
        let read = load("wet").unwrap().unwrap();
        assert_eq!((&read.journal, &read.summary), (&state.journal, &state.summary));
        let error = load("jsonl").unwrap_err().to_string();
        assert!(error.contains("the run to continue had format wet, this one has jsonl"), "{error}");
    }

    #[test]
    fn what_is_no_state_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".a.checkpoint");
        let state = Checkpoint::new(settings("wet"));
        state.save(&LocalDisk, &path).unwrap();
        let whole = fs::read(&path).unwrap();
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            bytes
        };
        let mut others = vec![Vec::new(), b"junk".to_vec(), whole[..whole.len() / 2].to_vec()];
        others.extend((0..whole.len()).map(flipped));
        for bytes in others {
            fs::write(&path, bytes).unwrap();
            let error = Checkpoint::load(&path, &settings("wet")).unwrap_err().to_string();
            let named = format!("{}: the state of the run is empty or damaged", path.display());
            assert!(error.starts_with(&named) && error.contains("remove this file"), "{error}");
        }
    }
}
