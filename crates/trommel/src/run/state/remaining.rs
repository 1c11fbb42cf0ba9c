//! The inputs of a run in its saved state: those that are left, in their order, the one in work, the finished ones.
//!
//! The files of a run are unfinished or complete. Finished inputs are appended to a journal, so saving one costs
//! the same however many there are.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::{io, mem::take};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use trommel_archive::ResumePoint;
use trommel_record::{Disk, DiskFile, Extent, filters::DuplicatesState, read_own};

use crate::run::counts::summary::{FileReport, Summary, Times};
use crate::run::inputs::{Input, found::Identity, pieces::Piece};
use crate::run::{plan::Plan, write::manifest::ManifestFile};
use crate::{Error, ErrorKind, Result};

/// An input that is left to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// Its index.
    pub(crate) input: usize,
    /// State of the archive if it was begun before, or of its pieces.
    pub(crate) begun: Vec<ArchiveState>,
    /// The piece of it that is read; none: all of it.
    pub(crate) piece: Option<Piece>,
    /// True if it is known that it is not read in pieces.
    pub(crate) is_whole: bool,
}

/// The inputs of a plan that are not found in the state yet.
struct Unfound<'a> {
    plan: &'a Plan,
    /// Indexes of the inputs of each name.
    all: HashMap<String, VecDeque<usize>>,
    left: HashMap<String, VecDeque<usize>>,
}

impl<'a> Unfound<'a> {
    fn new(plan: &'a Plan) -> Self {
        let mut all: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (index, input) in plan.inputs.iter().enumerate() {
            all.entry(input.name()).or_default().push_back(index);
        }
        Self { plan, left: all.clone(), all }
    }

    /// An input of the state, and its index.
    // Inputs that are done were so in their order; those in work may be any of one name.
    fn find(&mut self, identity: &Identity, naming: Option<usize>) -> Result<(usize, &'a Input)> {
        let name = &identity.name;
        let index = match (naming, self.left.get_mut(name)) {
            (None, left) => left.and_then(VecDeque::pop_front),
            (Some(naming), left) => {
                let index = self.all.get(name).and_then(|all| all.get(naming)).copied();
                left.into_iter().for_each(|left| left.retain(|left| Some(*left) != index));
                index
            }
        };
        let Some((index, input)) = index.and_then(|index| Some((index, self.plan.inputs.get(index)?))) else {
            let what = "the run to continue read this input, which is not among those of this one";
            let what = format!("{what}; name it too, or start afresh with --overwrite");
            return Err(Error::resume(Path::new(name), what));
        };
        match identity.change(input) {
            Some(change) => Err(Error::changed(name, &change)),
            None => Ok((index, input)),
        }
    }
}

/// Refuses other inputs than those that were there at the beginning.
pub(super) fn check_planned(plan: &Plan, planned: &[Identity], why: &str) -> Result<()> {
    let mut inputs = Unfound::new(plan);
    let mut added = Vec::new();
    for identity in planned {
        let (index, input) = inputs.find(identity, None)?;
        let is_new = matches!(input, Input::File(_)) && identity.has_appeared(input);
        added.extend(is_new.then_some(index));
    }
    added.extend(inputs.left.into_values().flatten());
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

/// Reports of inputs that can be read now and could not before. Then the remaining inputs, some of which are begun, and
/// the one of which some pieces are done.
pub(super) type Remaining = (Vec<FileReport>, Vec<Turn>, Option<ArchiveState>);

/// Finds the inputs that remain. Those that can be read now are taken out of `done`.
pub(super) fn remaining(
    plan: &Plan,
    (begun, partial): (Vec<ArchiveState>, Option<ArchiveState>),
    done: &mut Vec<DoneInput>,
) -> Result<Remaining> {
    let mut inputs = Unfound::new(plan);
    let (mut again, mut appeared) = (Vec::new(), Vec::new());
    for done_before in take(done) {
        let (index, input) = inputs.find(&done_before.identity, None)?;
        if done_before.report.is_nothing() && done_before.identity.has_appeared(input) {
            again.push(done_before.report);
            appeared.push(index);
        } else {
            done.push(done_before);
        }
    }
    let find = |state: ArchiveState| {
        Ok::<_, Error>(ArchiveState { input: inputs.find(&state.identity, Some(state.naming))?.0, ..state })
    };
    let partial = partial.map(find).transpose()?;
    let mut first = partial.as_ref().map(|partial| partial.input);
    let mut todo: BTreeMap<usize, Vec<ArchiveState>> = first.into_iter().map(|input| (input, Vec::new())).collect();
    for archive in begun {
        let (index, input) = inputs.find(&archive.identity, Some(archive.naming))?;
        let begun = todo.entry(index).or_default();
        let is_new = archive.report.is_nothing() && archive.identity.has_appeared(input);
        if archive.piece.is_some() || !is_new {
            first = first.or(archive.is_first.then_some(index));
            begun.push(ArchiveState { input: index, ..archive });
        }
    }
    let rest = inputs.left.into_values().flatten().chain(appeared);
    todo.extend(rest.map(|input| (input, Vec::new())));
    let mut todo: Vec<Turn> = todo.into_iter().map(|(input, begun)| Turn { input, begun, ..Turn::default() }).collect();
    // In the order of the plan, as if nothing had been begun; but what the outputs of all end with goes on.
    todo.sort_by_key(|turn| Some(turn.input) != first);
    Ok((again, todo, partial))
}

/// An archive that is being read, or was and waits for its turn: where it is, the lengths of its files, and its counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ArchiveState {
    /// Index of the input among those of the run that goes on.
    #[serde(skip)]
    pub(crate) input: usize,
    /// Number of the archive among those that the run began, which the names of its shares have.
    pub(crate) number: u64,
    /// The input as it was when it was opened.
    pub(crate) identity: Identity,
    /// Number of earlier inputs with the same name. An archive that is given twice is two inputs.
    pub(crate) naming: usize,
    /// The place where reading continues; none if that is not known yet, or it has ended.
    pub(crate) point: Option<ResumePoint>,
    /// True if it has been read to its end.
    pub(crate) is_ended: bool,
    /// True if it is the turn of this archive, so that it writes the shared outputs directly and has no shares.
    pub(crate) is_first: bool,
    /// Its counts so far.
    pub(crate) report: FileReport,
    /// Counts of this archive, which are added to those of the run.
    pub(crate) summary: Summary,
    /// Times of its pages.
    pub(crate) times: Times,
    /// The piece of the archive that this is, if it is read in pieces.
    pub(crate) piece: Option<PieceState>,
    /// Its own outputs, or its shares of one output.
    pub(crate) outputs: OutputsState,
    /// Its shares of the files beside the outputs.
    pub(crate) sides: Vec<FileState>,
}

/// A piece of an archive.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PieceState {
    /// Its place in the order.
    pub(crate) number: usize,
    /// Stored offset at which it begins.
    pub(crate) start: u64,
    /// The piece that begins where this one has ended; none at the end of the archive.
    pub(crate) next: Option<usize>,
}

impl ArchiveState {
    /// The number of the piece; that of an archive of which some are done is the one that is due.
    pub(crate) fn piece_number(&self) -> usize {
        self.piece.map_or(0, |piece| piece.number)
    }

    /// The unfinished files of the archive.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FileState> {
        self.outputs.open.iter().chain(&self.sides)
    }

    /// The same by the names that they would have if they were complete.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.files().map(|file| file.path.clone())
    }
}

/// The outputs in a saved state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OutputsState {
    /// The unfinished files.
    pub(crate) open: Vec<FileState>,
    /// The head of the current input, if more parts of it may follow.
    // Each part begins with the same head, also those that are begun after a restart.
    pub(crate) beginning: Option<InputStart>,
}

/// A file that a run writes, and its valid part; the rest is written again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    /// Its final name, or that of a folder that is made of it.
    pub(crate) path: PathBuf,
    /// Index of the encoding of its documents; none for files beside the outputs.
    pub(crate) encoding: Option<usize>,
    /// Name of the input, the first if there are several.
    pub(crate) input: String,
    /// Documents in it.
    pub(crate) documents: u64,
    /// The number of the part.
    pub(crate) part: u32,
    /// Bytes of documents before the compression of the file.
    pub(crate) encoded: u64,
    /// The bytes written into it; for an assembled output, those written into its spool.
    pub(crate) extent: Extent,
}

/// State that all archives share: the one output, the files beside it, and the memory of the duplicate filters.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SharedState {
    pub(crate) outputs: OutputsState,
    pub(crate) sides: Vec<FileState>,
    pub(crate) duplicates: DuplicatesState,
}

/// The beginning of an input.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct InputStart {
    /// Name of the input.
    pub(crate) input: String,
    /// The name of its outputs, also for later parts if the inputs differ by then.
    pub(crate) stem: String,
    /// Block of the first record if it is a warcinfo.
    pub(crate) info: Option<Vec<u8>>,
    /// Date of the first record.
    pub(crate) date: Option<String>,
}

/// One thing that a run is done with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum JournalEntry {
    /// An input has been read.
    Done(DoneInput),
    /// An output has its name.
    File(ManifestFile),
    /// The input of this name, of which nothing could be read, is there now and will be read again.
    Again(String),
}

/// An input that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoneInput {
    /// The input as it was when it was opened.
    pub(crate) identity: Identity,
    /// The report about it.
    pub(crate) report: FileReport,
    /// The place where reading continues if a followed input grows.
    #[serde(default)]
    pub(crate) point: Option<ResumePoint>,
}

/// The contents of a journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// The inputs that are done, in the order in which they were read.
    pub(crate) done: Vec<DoneInput>,
    /// The outputs that have their names.
    pub(crate) files: Vec<ManifestFile>,
}

/// The valid bytes of a journal: how many they are, and their digest.
pub(crate) type Written = (u64, Sha256);

/// The journal of a run: MessagePack maps one after the other. The saved state has the number of its valid bytes.
pub(crate) struct Journal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    file: Option<Box<dyn DiskFile>>,
    written: Written,
    // Written with the next state: an entry counts only once a state says so.
    pending: Vec<u8>,
}

impl<'a> Journal<'a> {
    /// The journal at `path`, of which the bytes `written` count; `pending` follow.
    pub(crate) fn new(disk: &'a dyn Disk, path: PathBuf, written: Written, pending: Vec<u8>) -> Self {
        Self { disk, path, file: None, written, pending }
    }

    /// Takes note of an entry.
    pub(crate) fn add(&mut self, entry: &JournalEntry) -> Result<()> {
        let noted = rmp_serde::encode::write_named(&mut self.pending, entry);
        noted.map_err(Error::at(ErrorKind::Output, self.path.display()))
    }

    /// Syncs the journal; returns its valid length and checksum.
    pub(crate) fn sync(&mut self) -> Result<Extent> {
        self.write_pending().map_err(Error::output(&self.path))?;
        let (length, digest) = &self.written;
        Ok(Extent::new(*length, digest.clone()))
    }

    fn write_pending(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let (length, digest) = &mut self.written;
        let file = match &mut self.file {
            Some(file) => file,
            empty if *length == 0 => empty.insert(self.disk.create(&self.path)?),
            // Cut to what counts: a killed run may have written more.
            empty => empty.insert(self.disk.append(&self.path, *length)?),
        };
        file.write_all(&self.pending)?;
        file.sync()?;
        digest.update(&self.pending);
        *length += take(&mut self.pending).len() as u64;
        Ok(())
    }
}

/// Reads the valid part of a journal.
///
/// # Errors
/// If it is shorter, or its bytes are others.
pub(crate) fn read(path: &Path, extent: &Extent) -> io::Result<(Vec<u8>, Written)> {
    if extent.length == 0 {
        return Ok(Default::default());
    }
    let mut bytes = read_own(path)?;
    let digest = extent.check(&*bytes)?;
    bytes.truncate(usize::try_from(extent.length).unwrap_or(usize::MAX));
    Ok((bytes, (extent.length, digest)))
}

/// The entries in the bytes of a journal, whose checksum was right.
///
/// # Errors
/// If they are none.
pub(crate) fn decoded(mut bytes: &[u8]) -> Result<Contents, rmp_serde::decode::Error> {
    let mut contents = Contents::default();
    while !bytes.is_empty() {
        match rmp_serde::decode::from_read(&mut bytes)? {
            JournalEntry::Done(done) => contents.done.push(done),
            JournalEntry::File(file) => contents.files.push(file),
            JournalEntry::Again(name) => {
                let of_name = |done: &DoneInput| done.identity.name == name;
                if let Some(at) = contents.done.iter().position(of_name) {
                    contents.done.remove(at);
                }
            }
        }
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_record::LocalDisk;

    #[test]
    fn only_what_counts_is_read_and_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let done =
            |name: &str| DoneInput { identity: Identity { name: name.into(), stamp: None }, ..DoneInput::default() };
        let read = |extent: &Extent| read(&path, extent).map(|(bytes, _)| decoded(&bytes).unwrap().done);
        let mut journal = Journal::new(&LocalDisk, path.clone(), Default::default(), Vec::new());
        journal.add(&JournalEntry::Done(done("a"))).unwrap();
        let first = journal.sync().unwrap();
        journal.add(&JournalEntry::Done(done("b"))).unwrap();
        let second = journal.sync().unwrap();
        assert_eq!(read(&second).unwrap(), [done("a"), done("b")]);
        assert_eq!(read(&first).unwrap(), [done("a")]);
        let mut longer = second;
        longer.length += 1;
        assert!(read(&longer).is_err());
        // What does not count is written over.
        let (_, written) = super::read(&path, &first).unwrap();
        let mut journal = Journal::new(&LocalDisk, path.clone(), written, Vec::new());
        journal.add(&JournalEntry::Done(done("c"))).unwrap();
        assert_eq!(read(&journal.sync().unwrap()).unwrap(), [done("a"), done("c")]);
        journal.add(&JournalEntry::Again("a".into())).unwrap();
        let fourth = journal.sync().unwrap();
        assert_eq!(read(&fourth).unwrap(), [done("c")]);
        // No other bytes pass for it.
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert!(read(&fourth).is_err(), "{at}");
        }
    }
}
