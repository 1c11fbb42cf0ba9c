//! Inputs of a run in its saved state: those that remain, in order, those in progress, and those that are finished.
//!
//! The files of a run are unfinished or complete. Finished inputs are appended to a journal, so saving one costs
//! the same however many there are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{io, mem::take};

use serde::{Deserialize, Serialize};
use trommel_archive::ResumePoint;
use trommel_record::{Extent, read_own};

use crate::run::counts::summary::{FileReport, Summary, Times};
use crate::run::inputs::{Input, listing::Identity, listing::namings, pieces::Piece};
use crate::run::{plan::Plan, write::manifest::ManifestFile};
use crate::{Error, Result};

/// Input, or piece of an input, that the run still has to read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// Index of the input in the plan.
    pub(crate) input: usize,
    /// Saved states of the archive, or of its pieces, if an earlier run has begun it.
    pub(crate) begun: Vec<ArchiveState>,
    /// Piece of the input to read; none to read the whole input.
    pub(crate) piece: Option<Piece>,
    /// True if the input is known to be read as a whole, not in pieces.
    pub(crate) is_whole: bool,
}

/// Inputs of a run that is continued, each marked if the saved state of the earlier run names it.
struct Known<'a> {
    plan: &'a Plan,
    /// Index of each input in the plan, by its name and its number among the inputs of that name.
    all: HashMap<(String, usize), usize>,
    found: HashSet<usize>,
}

impl<'a> Known<'a> {
    fn new(plan: &'a Plan) -> Self {
        let names = plan.inputs.iter().map(Input::name).zip(namings(&plan.inputs));
        Self { plan, all: names.zip(0..).collect(), found: HashSet::new() }
    }

    /// Finds an input of the saved state in the plan by its name, and returns its index; fails if it is gone or
    /// changed.
    fn find(&mut self, identity: &Identity) -> Result<(usize, &'a Input)> {
        let name = &identity.name;
        let index = self.all.get(&(name.clone(), identity.naming)).copied();
        let Some((index, input)) = index.and_then(|index| Some((index, self.plan.inputs.get(index)?))) else {
            let what = "the run to continue read this input, which is not among those of this one";
            let what = format!("{what}; name it too, or start afresh with --overwrite");
            return Err(Error::resume(Path::new(name), what));
        };
        self.found.insert(index);
        match identity.change(input) {
            Some(change) => Err(Error::changed(name, &change)),
            None => Ok((index, input)),
        }
    }

    /// Returns the indexes in the plan of the inputs that the saved state does not name.
    fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.plan.inputs.len()).filter(|index| !self.found.contains(index))
    }
}

/// Refuses to continue a run whose inputs differ from those at the beginning. `why` is the setting that makes every
/// page depend on all inputs.
pub(super) fn check_planned(plan: &Plan, planned: &[Identity], why: &str) -> Result<()> {
    let mut inputs = Known::new(plan);
    let mut added = Vec::new();
    for identity in planned {
        let (index, input) = inputs.find(identity)?;
        let is_new = matches!(input, Input::File(_)) && identity.has_appeared(input);
        added.extend(is_new.then_some(index));
    }
    added.extend(inputs.left());
    match added.into_iter().min().and_then(|first| plan.inputs.get(first)) {
        Some(input) => {
            let what = format!("is new, and with {why} each page depends on all inputs");
            let what = format!("{what}: no run from the start would give what this one would");
            let remedy = "name the same inputs as before, or start afresh with --overwrite";
            Err(Error::resume(Path::new(&input.name()), format!("{what}; {remedy}")))
        }
        None => Ok(()),
    }
}

/// Inputs to read in a continued run: those that became readable, all that are left to read, and the input read piece
/// by piece. The last is its index in the plan, with the number of its next piece.
pub(super) type Remaining = (Vec<DoneInput>, Vec<Turn>, Option<(usize, usize)>);

/// Finds the inputs that remain of a continued run. Inputs that became readable are taken out of `done`.
pub(super) fn remaining(plan: &Plan, begun: Vec<ArchiveState>, done: &mut Vec<DoneInput>) -> Result<Remaining> {
    let mut inputs = Known::new(plan);
    let (mut again, mut due) = (Vec::new(), None);
    let mut todo: BTreeMap<usize, Vec<ArchiveState>> = BTreeMap::new();
    for input in take(done) {
        let (index, now) = inputs.find(&input.identity)?;
        due = input.next.map(|next| (index, next));
        let has_appeared = due.is_none() && input.report.is_nothing() && input.identity.has_appeared(now);
        if due.is_some() || has_appeared {
            todo.insert(index, Vec::new());
        }
        if has_appeared { again.push(input) } else { done.push(input) }
    }
    let mut first = due.map(|(index, _)| index);
    for archive in begun {
        let (index, input) = inputs.find(&archive.identity)?;
        let begun = todo.entry(index).or_default();
        let is_new = archive.report.is_nothing() && archive.identity.has_appeared(input);
        if archive.piece.is_some() || !is_new {
            first = first.or(archive.is_direct.then_some(index));
            begun.push(ArchiveState { input: index, ..archive });
        }
    }
    todo.extend(inputs.left().map(|input| (input, Vec::new())));
    let mut todo: Vec<Turn> = todo.into_iter().map(|(input, begun)| Turn { input, begun, ..Turn::default() }).collect();
    // In the order of the plan, as if nothing had been begun; but what the outputs of all end with goes on.
    todo.sort_by_key(|turn| Some(turn.input) != first);
    Ok((again, todo, due))
}

/// Saved state of an archive that is being read or waits for its turn: its position, files and counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ArchiveState {
    /// Index of the input in the plan of the continued run.
    #[serde(skip)]
    pub(crate) input: usize,
    /// Number of the archive in the order in which the run began archives. Its temporary output files have the number
    /// in their names.
    pub(crate) number: u64,
    /// Identity (name and file stamp) of the input when it was opened, to notice later changes.
    pub(crate) identity: Identity,
    /// Place where reading continues; none if it is not known yet, or the archive has ended.
    pub(crate) point: Option<ResumePoint>,
    /// True if the archive has been read to its end.
    pub(crate) is_ended: bool,
    /// True if documents are written directly into the common output, as for the first archive in order. Those of other
    /// archives are appended later.
    pub(crate) is_direct: bool,
    /// Counts of the archive so far, for the report on its input.
    pub(crate) report: FileReport,
    /// Counts of the archive so far, which are added to those of the run.
    pub(crate) summary: Summary,
    /// Times of the pages in the archive.
    pub(crate) times: Times,
    /// Piece of the archive that the state describes; none for the whole archive.
    pub(crate) piece: Option<PieceState>,
    /// Unfinished output files of the archive, and temporary files that will be joined to common outputs.
    pub(crate) outputs: OutputsState,
}

/// Saved position of a piece in its archive.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PieceState {
    /// Number of the piece in the order of the archive, from 0.
    pub(crate) number: usize,
    /// Byte offset in the stored archive at which the piece begins.
    pub(crate) start: u64,
    /// Number of the piece that begins where the present one has ended; none at the end of the archive.
    pub(crate) next: Option<usize>,
}

impl ArchiveState {
    /// Returns the unfinished files of the archive, by their final names.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.outputs.open.iter().map(|file| file.path.clone())
    }
}

/// Unfinished outputs in a saved state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OutputsState {
    /// States of the unfinished files.
    pub(crate) open: Vec<FileState>,
    /// Facts about the first input, written at the start of each further part of an output; none if no part can follow.
    // Each part begins with the same head, also those that are begun after a restart.
    pub(crate) beginning: Option<InputStart>,
}

/// Saved state of an unfinished output file. Its valid part is kept, and the rest is written again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    /// Final path of the file, or of the folder that is assembled from it.
    pub(crate) path: PathBuf,
    /// Index of the file's encoding among those of the output; files for failed, dropped, copied records come later.
    pub(crate) slot: usize,
    /// Name of the input whose documents the file holds; the first if there are several.
    pub(crate) input: String,
    /// Number of documents in the file.
    pub(crate) documents: u64,
    /// Number of the part of the output, from 0.
    pub(crate) part: u32,
    /// Number of encoded bytes of documents in the file, before its compression.
    pub(crate) encoded: u64,
    /// Length and checksum of the bytes in the file or, for an assembled output, in its temporary file of documents.
    pub(crate) extent: Extent,
}

/// Returns the path of an output file or, with `number`, of a temporary file with one archive's part of the output. The
/// number at the end of the name makes the hidden name unique.
pub(crate) fn share_of(path: &Path, number: Option<u64>) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    number.iter().for_each(|number| name.push(format!(".{number}")));
    name.into()
}

/// Facts about the first input of an output, for the start of the output file and the names of its parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct InputStart {
    /// Name of the input.
    pub(crate) input: String,
    /// Stem of the output's file names, which later parts keep even if other inputs follow.
    pub(crate) stem: String,
    /// Block of the first record if that is a warcinfo record; otherwise none.
    pub(crate) info: Option<Vec<u8>>,
    /// Date of the first record, as in its header.
    pub(crate) date: Option<String>,
}

/// Entry of the journal, the file that lists inputs and outputs that the run is done with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum JournalEntry {
    /// An input, or some pieces of it, has been read.
    Done(Box<DoneInput>),
    /// An output has its final name.
    File(ManifestFile),
    /// An input that could not be read before is readable now, and will be read again.
    Again(Identity),
}

/// Input, or some pieces of an input, that the run has finished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoneInput {
    /// Identity (name and file stamp) of the input when it was opened, to notice later changes.
    pub(crate) identity: Identity,
    /// Report on the input.
    pub(crate) report: FileReport,
    /// Place where reading continues if a followed input grows.
    pub(crate) point: Option<ResumePoint>,
    /// Number of the next piece to read of an archive cut into pieces; none if the input is done or was not cut.
    pub(crate) next: Option<usize>,
}

/// Inputs and outputs that the run is done with, as read from the saved list of them (journal).
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// Inputs that are done, in the order in which they were read.
    pub(crate) done: Vec<DoneInput>,
    /// Outputs that have their final names.
    pub(crate) files: Vec<ManifestFile>,
}

/// Reads the valid part of a list of finished inputs and outputs: MessagePack maps, one after the other. `extent` gives
/// length and checksum.
///
/// # Errors
/// Fails if the journal is shorter than the extent, or begins with other bytes.
pub(crate) fn read(path: &Path, extent: &Extent) -> io::Result<Vec<u8>> {
    if extent.length == 0 {
        return Ok(Vec::new());
    }
    let mut bytes = read_own(path)?;
    extent.check(&*bytes)?;
    bytes.truncate(usize::try_from(extent.length).unwrap_or(usize::MAX));
    Ok(bytes)
}

/// Decodes the entries of a journal (list of finished inputs and outputs) whose checksum has been verified.
///
/// # Errors
/// Fails if the bytes are not entries of a journal.
pub(crate) fn decoded(mut bytes: &[u8]) -> Result<Contents, rmp_serde::decode::Error> {
    let mut contents = Contents::default();
    while !bytes.is_empty() {
        match rmp_serde::decode::from_read(&mut bytes)? {
            JournalEntry::Done(more) => match contents.done.last_mut().filter(|last| last.next.is_some()) {
                Some(last) => {
                    last.report.add(more.report);
                    last.next = more.next;
                }
                None => contents.done.push(*more),
            },
            JournalEntry::File(file) => contents.files.push(file),
            JournalEntry::Again(identity) => contents.done.retain(|done| done.identity != identity),
        }
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_record::{Compression, LocalDisk, Shard, hidden};

    #[test]
    fn only_what_counts_is_read_and_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let done = |name: &str| DoneInput {
            identity: Identity { name: name.into(), ..Identity::default() },
            ..DoneInput::default()
        };
        let hidden = hidden(&path, "tmp").unwrap();
        let read = |extent: &Extent| read(&hidden, extent).map(|bytes| decoded(&bytes).unwrap().done);
        let note = |journal: &mut Shard, entry| {
            journal.write(&rmp_serde::to_vec_named(&entry).unwrap()).unwrap();
            journal.checkpoint().unwrap()
        };
        let mut journal = Shard::create(&LocalDisk, &path, Compression::None).unwrap();
        let first = note(&mut journal, JournalEntry::Done(done("a").into()));
        let second = note(&mut journal, JournalEntry::Done(done("b").into()));
        assert_eq!(read(&second).unwrap(), [done("a"), done("b")]);
        assert_eq!(read(&first).unwrap(), [done("a")]);
        let mut longer = second;
        longer.length += 1;
        assert!(read(&longer).is_err());
        // What does not count is written over.
        let mut journal = Shard::resume(&LocalDisk, &path, Compression::None, &first).unwrap();
        let third = note(&mut journal, JournalEntry::Done(done("c").into()));
        assert_eq!(read(&third).unwrap(), [done("a"), done("c")]);
        let fourth = note(&mut journal, JournalEntry::Again(done("a").identity));
        assert_eq!(read(&fourth).unwrap(), [done("c")]);
        // No other bytes pass for it.
        let bytes = std::fs::read(&hidden).unwrap();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            std::fs::write(&hidden, bytes).unwrap();
            assert!(read(&fourth).is_err(), "{at}");
        }
    }
}
