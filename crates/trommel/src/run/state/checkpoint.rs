//! The saved state of a run. The run can continue from it after an interruption, or with new inputs.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::{io, mem::take};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use trommel_record::{Disk, Extent, discard, filters::DuplicatesState, read_own, replace, replaceable};

use crate::run::counts::summary::{Summary, Times};
use crate::run::error::{ResumeError, RunError, RunPosition, VERSION};
use crate::run::state::remaining::{
    ArchiveState, CompleteFile, Contents, CountedBytes, OutputsState, Partial, Remaining, SideState, Turn,
};
use crate::run::{inputs::Input, inputs::found::Identity, plan::Plan, plan::output::Destination, state::remaining};

/// Characters shown of a setting that differs.
// Values may be lists of hundreds of names.
const MAX_SHOWN_CHARS: usize = 80;

/// State of a run at one moment: all records up to that moment are in the outputs and in the counts, and
/// none after it. Stored as a MessagePack map and its SHA-256; the inputs that are done stand in the journal
/// beside it, and in the state itself once the run is finished.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Version of the format.
    pub(crate) version: u32,
    /// Everything that the outputs depend on except the inputs.
    pub(crate) settings: Vec<(String, String)>,
    /// The valid part of the journal.
    pub(crate) journal: Extent,
    /// The contents of the journal, if the run came to its end.
    pub(crate) contents: Option<Contents>,
    /// Archives that the run has begun.
    pub(crate) begun: u64,
    /// The archives in work, and those that wait for their turn.
    pub(crate) archives: Vec<ArchiveState>,
    /// The archive of which some pieces are done: their report, and the piece that is due.
    pub(crate) partial: Option<ArchiveState>,
    /// The shared output of all archives, and its valid state.
    pub(crate) outputs: OutputsState,
    /// The files beside them, likewise.
    pub(crate) sides: Vec<SideState>,
    /// Outputs that are complete but may not have their final names yet.
    pub(crate) complete: Vec<CompleteFile>,
    /// Files beside them that are complete but may not have their final names yet.
    pub(crate) complete_sides: Vec<SideState>,
    /// Counts of the archives that are done, without those of single inputs.
    pub(crate) summary: Summary,
    /// Times of the pages.
    pub(crate) times: Times,
    /// The memory of the duplicate filters.
    pub(crate) duplicates: DuplicatesState,
    /// The read errors that ended the run. Met again, they do not end it again.
    pub(crate) failed: Vec<String>,
}

/// A run to be continued, set beside the inputs it has now.
#[derive(Debug)]
pub(crate) struct ContinuedRun {
    pub(crate) state: Checkpoint,
    /// True if it came to its end.
    pub(crate) finished: bool,
    /// The inputs that are done, and the outputs that have their names.
    pub(crate) contents: Contents,
    /// The bytes of its journal, to which more are appended.
    pub(crate) journal: CountedBytes,
    /// Names of inputs that could not be read and are read again.
    pub(crate) again: Vec<String>,
    /// The inputs that are left, in their order; first the one that writes the outputs of all itself.
    pub(crate) todo: Vec<Turn>,
    /// The input of which some pieces are done.
    pub(crate) partial: Option<Partial>,
}

/// The part that is read first, to know whether the rest is readable.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Checkpoint {
    /// The state before anything was done.
    pub(crate) fn new(settings: Vec<(String, String)>) -> Self {
        Self { version: VERSION, settings, ..Self::default() }
    }

    /// Returns whether there are complete files that may not have their final names yet.
    pub(crate) fn has_complete(&self) -> bool {
        !self.complete.is_empty() || !self.complete_sides.is_empty()
    }

    /// The state at `path`, if there is one.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, ResumeError> {
        let bytes = match read_own(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(ResumeError::Io { path: path.to_owned(), source });
            }
        };
        let damaged =
            |error: rmp_serde::decode::Error| ResumeError::Damaged { path: path.to_owned(), what: error.to_string() };
        let state = unsealed(&bytes);
        // The version before the checksum: a state of another version should be named so, and not as damaged.
        let Versioned { version } = rmp_serde::from_slice(state.unwrap_or(&bytes)).map_err(damaged)?;
        if version != VERSION {
            return Err(ResumeError::Version { path: path.to_owned(), version });
        }
        let state = state.ok_or_else(|| ResumeError::Damaged {
            path: path.to_owned(),
            what: "its checksum is another".to_owned(),
        })?;
        rmp_serde::from_slice(state).map(Some).map_err(damaged)
    }

    /// The state at `path` if it is that of a run with these `settings`.
    fn load_matching(path: &Path, settings: &[(String, String)]) -> Result<Option<Self>, ResumeError> {
        let Some(state) = Self::read(path)? else { return Ok(None) };
        let value = |settings: &[(String, String)], name: &str| {
            let found = settings.iter().find(|(key, _)| key == name);
            found.map_or_else(|| "none".to_owned(), |(_, value)| value.clone())
        };
        // Both lists: a setting that only one of the builds knows differs as well.
        for (name, _) in settings.iter().chain(&state.settings) {
            let (then, now) = (value(&state.settings, name), value(settings, name));
            if then != now {
                return Err(ResumeError::OtherPlan {
                    path: path.to_owned(),
                    name: name.clone(),
                    then: shortened(&then),
                    now: shortened(&now),
                });
            }
        }
        Ok(Some(state))
    }

    /// Checks that the state names no files but those of a run of this plan: somebody else may have put it
    /// there.
    // Files that a state names are renamed and removed, so a forged state must not name others.
    fn check_paths(&self, plan: &Plan) -> Result<(), String> {
        let folder = plan.output.destination.folder();
        let complete = self.complete.iter().map(|file| file.file.path.as_path());
        let own = self.archives.iter().flat_map(|archive| archive.outputs.paths());
        let mut files = self.outputs.paths().chain(own).chain(complete);
        if let Some(path) = files.find(|path| path.parent() != folder) {
            return Err(format!("{} is not in the folder of the outputs", path.display()));
        }
        let named = plan.side_files().into_iter();
        let named: Vec<PathBuf> = named.filter_map(|(path, _)| replaceable(&path).ok().flatten()).collect();
        let shares = self.archives.iter().flat_map(|archive| {
            archive.sides.iter().map(|side| {
                let number = format!(".{}", archive.number);
                let path = side.path.to_str().and_then(|path| path.strip_suffix(number.as_str()));
                (&side.path, path.map(PathBuf::from))
            })
        });
        let sides = self.sides.iter().chain(&self.complete_sides).map(|side| (&side.path, Some(side.path.clone())));
        match sides.chain(shares).find(|(_, of)| of.as_ref().is_none_or(|of| !named.contains(of))) {
            Some((path, _)) => Err(format!("{} is no file of this run", path.display())),
            None => Ok(()),
        }
    }

    /// Puts the state on disk at `path`, in the place of the one before.
    pub(crate) fn save(&self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        let mut bytes = rmp_serde::to_vec_named(self).map_err(io::Error::other)?;
        // The checksum shows bit rot and half-written states; it is no protection, which `check_paths` is for.
        bytes.extend_from_slice(&Sha256::digest(&bytes));
        replace(disk, path, &bytes)
    }
}

/// The bytes before a checksum, if it is theirs.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (state, digest) = bytes.split_last_chunk::<32>()?;
    (Sha256::digest(state) == *digest).then_some(state)
}

impl ContinuedRun {
    /// A run that begins.
    pub(crate) fn new_run(plan: &Plan) -> Self {
        Self {
            state: Checkpoint::new(plan.recipe()),
            finished: false,
            contents: Contents::default(),
            journal: CountedBytes::default(),
            again: Vec::new(),
            todo: (0..plan.inputs.len()).map(|input| Turn { input, ..Turn::default() }).collect(),
            partial: None,
        }
    }

    /// The run whose state is saved at one of `paths`: of one that was interrupted, or else of one that is finished. None
    /// if there is no such state.
    ///
    /// # Errors
    /// If it is not a run of this plan, or its inputs or outputs are not what they were.
    pub(crate) fn load(plan: &Plan, paths: [&Path; 2]) -> Result<Option<Self>, ResumeError> {
        // A run that was continued after its end has both, until it ends again.
        let Some(path) = paths.into_iter().find(|path| is_there(path)) else { return Ok(None) };
        let Some(mut state) = Checkpoint::load_matching(path, &plan.recipe())? else { return Ok(None) };
        let finished = state.contents.is_some();
        let (mut contents, counted) = match state.contents.take() {
            Some(contents) => (contents, CountedBytes::default()),
            None => {
                let journal = journal_file(path);
                remaining::read(&journal, &state.journal)
                    .map_err(|error| ResumeError::Damaged { path: journal, what: error.to_string() })?
            }
        };
        // After the checksums and before anything is renamed or removed.
        state.check_paths(plan).map_err(|what| ResumeError::Damaged { path: path.to_owned(), what })?;
        if let Some(why) = plan.needs_all_inputs() {
            check_planned(plan, &contents.planned, why)?;
        }
        let Remaining { again, todo, partial } = match plan.follow {
            // What is followed grows, and is looked for anew.
            Some(_) => Remaining::default(),
            None => {
                let begun = (take(&mut state.archives), take(&mut state.partial));
                Remaining::of(plan, begun, &mut contents.done)?
            }
        };
        // They are counted when they are read again.
        for report in &again {
            state.summary.forget(report);
        }
        let again = again.into_iter().map(|report| report.file).collect();
        let continued = Self { state, finished, contents, journal: counted, again, todo, partial };
        if continued.finished {
            continued.check_finished(plan)?;
        }
        Ok(Some(continued))
    }

    /// Begins at a position that an earlier run gave.
    pub(crate) fn start_at(&mut self, position: Option<RunPosition>) {
        let Some(position) = position else { return };
        self.todo.retain(|turn| turn.input >= position.input);
        if let (Some(turn), Some(_)) = (self.todo.first_mut(), position.point) {
            turn.begun = vec![ArchiveState { point: position.point, ..ArchiveState::default() }];
        }
    }

    /// Leaves nothing to do if the last document that was asked for is written.
    pub(crate) fn end_at_limit(&mut self, plan: &Plan) {
        let documents = self.state.summary.documents;
        if plan.settings.limits.limit.is_some_and(|limit| documents >= limit.get()) {
            self.state.summary.limit_reached = true;
            self.todo.clear();
        }
    }

    /// The counts of a run that is finished.
    ///
    /// # Errors
    /// If they do not add up.
    pub(crate) fn into_summary(self) -> Result<Summary, RunError> {
        let Self { state, contents, .. } = self;
        let mut summary = state.summary;
        summary.files = contents.done.into_iter().map(|done| done.report).collect();
        summary.time(&state.times);
        match summary.mismatch() {
            Some(mismatch) => Err(mismatch.into()),
            None => Ok(summary),
        }
    }

    /// Returns whether nothing is left to do.
    pub(crate) fn is_done(&self, plan: &Plan) -> bool {
        // A followed run has no end of its own: its inputs may have grown since.
        self.finished && self.todo.is_empty() && plan.follow.is_none()
    }

    fn check_finished(&self, plan: &Plan) -> Result<(), ResumeError> {
        let folder = plan.output.destination.folder().unwrap_or(Path::new(""));
        for file in &self.contents.files {
            let output = folder.join(&file.name);
            if !output.exists() {
                return Err(ResumeError::Gone { output });
            }
        }
        let first = match plan.follow {
            Some(_) => Some(0),
            None => self.todo.first().map(|turn| turn.input),
        };
        if let (Destination::File(path), Some(first)) = (&plan.output.destination, first)
            && !self.state.summary.limit_reached
        {
            let input = plan.inputs.get(first);
            return Err(ResumeError::Whole {
                output: path.clone(),
                input: input.map_or_else(String::new, Input::name),
            });
        }
        Ok(())
    }
}

/// Refuses other inputs than those that were there at the beginning.
fn check_planned(plan: &Plan, planned: &[Identity], why: &'static str) -> Result<(), ResumeError> {
    let mut left: HashMap<&str, VecDeque<&Identity>> = HashMap::new();
    for identity in planned {
        let name = identity.name.as_str();
        // A queue for each name: the same input may be named twice, and each naming is one input.
        left.entry(name).or_default().push_back(identity);
    }
    for input in &plan.inputs {
        let name = input.name();
        let then = left.get_mut(name.as_str()).and_then(VecDeque::pop_front);
        let Some(then) = then.filter(|then| !then.was_missing(input)) else {
            return Err(ResumeError::Added { input: name, why });
        };
        if let Some(change) = then.change(input) {
            let input = name;
            return Err(ResumeError::Changed { input, change });
        }
    }
    match left.into_values().flatten().next() {
        Some(missing) => Err(ResumeError::Missing { input: missing.name.clone() }),
        None => Ok(()),
    }
}

/// Returns whether anything has this name, be it a link to nothing.
pub(crate) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The journal beside a state.
pub(crate) fn journal_file(state: &Path) -> PathBuf {
    state.with_extension("journal")
}

/// Removes what stays of a state that is gone: its journal, and a state that was to take its place.
pub(crate) fn discard_rest(disk: &dyn Disk, state: &Path) {
    discard(disk, state);
    let journal = journal_file(state);
    if is_there(&journal) {
        // What it says is of no use without a state; if it stays, it does no harm.
        let _ = disk.remove(&journal);
    }
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
        let load = |format: &str| Checkpoint::load_matching(&path, &settings(format));
        assert!(load("wet").unwrap().is_none());
        let mut state = Checkpoint::new(settings("wet"));
        state.journal = Extent::new(3, Sha256::new());
        state.summary.records = 7;
        state.summary.drop(crate::run::counts::reasons::DropReason::NotHtml);
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
        let mut state = Checkpoint::new(settings("wet"));
        state.version = 99;
        state.save(&LocalDisk, &path).unwrap();
        assert!(matches!(Checkpoint::read(&path), Err(ResumeError::Version { version: 99, .. })));
        state.version = VERSION;
        state.save(&LocalDisk, &path).unwrap();
        let whole = fs::read(&path).unwrap();
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            bytes
        };
        let mut others = vec![Vec::new(), b"junk".to_vec(), whole[..whole.len() / 2].to_vec()];
        // The version itself stands at the beginning.
        others.extend((12..whole.len()).map(flipped));
        for bytes in others {
            fs::write(&path, bytes).unwrap();
            let error = Checkpoint::read(&path).unwrap_err().to_string();
            let named = format!("{}: the state of the run is empty or damaged", path.display());
            assert!(error.starts_with(&named) && error.contains("remove this file"), "{error}");
        }
    }
}
