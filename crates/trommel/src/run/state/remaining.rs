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
use trommel_record::{Disk, DiskFile, Extent, read_own};

use crate::run::counts::summary::{FileReport, Summary, Times};
use crate::run::error::{ResumeError, RunError};
use crate::run::{inputs::found::Identity, inputs::pieces::Piece, plan::Plan, write::manifest::ManifestFile};

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

/// An archive of which some pieces are done.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    /// Index of the input.
    pub(crate) input: usize,
    /// The report on these pieces, and the piece that is due.
    pub(crate) state: ArchiveState,
}

impl Partial {
    /// The piece that is due.
    pub(crate) fn due(&self) -> usize {
        self.state.piece.map_or(0, |piece| piece.number)
    }
}

/// The rest of a run.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    /// Reports on inputs that could not be read before and can be read now.
    pub(super) again: Vec<FileReport>,
    pub(super) todo: Vec<Turn>,
    pub(super) partial: Option<Partial>,
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

    /// The index of an input of the state, and whether it was not there and is now.
    // Inputs that are done were so in their order; those in work may be any of one name.
    fn find(&mut self, identity: &Identity, naming: Option<usize>) -> Result<(usize, bool), ResumeError> {
        let missing = || ResumeError::Missing { input: identity.name.clone() };
        let named = self.left.get_mut(&identity.name).ok_or_else(missing)?;
        let index = match naming {
            Some(naming) => self.all.get(&identity.name).and_then(|all| all.get(naming)).copied(),
            None => named.pop_front(),
        };
        let index = index.ok_or_else(missing)?;
        if naming.is_some() {
            named.retain(|left| *left != index);
        }
        let input = self.plan.inputs.get(index).ok_or_else(missing)?;
        match identity.change(input) {
            Some(change) => Err(ResumeError::Changed { input: identity.name.clone(), change }),
            None => Ok((index, identity.has_appeared(input))),
        }
    }
}

impl Remaining {
    /// The remaining inputs, some of which are begun. Takes out of `done` those that could not be read before and can
    /// be read now.
    pub(super) fn of(
        plan: &Plan,
        (begun, partial): (Vec<ArchiveState>, Option<ArchiveState>),
        done: &mut Vec<DoneInput>,
    ) -> Result<Self, ResumeError> {
        let mut inputs = Unfound::new(plan);
        let (mut again, mut appeared) = (Vec::new(), Vec::new());
        let mut fault = None;
        done.retain_mut(|done| match inputs.find(&done.identity, None) {
            Ok((index, true)) if done.report.records == 0 && done.report.error.is_some() => {
                again.push(take(&mut done.report));
                appeared.push(index);
                false
            }
            Ok(_) => true,
            Err(error) => {
                fault.get_or_insert(error);
                true
            }
        });
        if let Some(error) = fault {
            return Err(error);
        }
        let find = |state: ArchiveState| Ok((inputs.find(&state.identity, Some(state.naming))?.0, state));
        let partial = partial.map(find).transpose()?;
        let partial = partial.map(|(input, state)| Partial { input, state });
        let mut todo: BTreeMap<usize, Vec<ArchiveState>> = BTreeMap::new();
        todo.extend(partial.as_ref().map(|partial| (partial.input, Vec::new())));
        let mut first = partial.as_ref().map(|partial| partial.input);
        for archive in begun {
            let (input, appeared) = inputs.find(&archive.identity, Some(archive.naming))?;
            let is_nothing = archive.report.records == 0 && archive.report.error.is_some();
            let begun = todo.entry(input).or_default();
            if archive.piece.is_some() || !(appeared && is_nothing) {
                first = first.or(Some(input).filter(|_| archive.is_first));
                begun.push(archive);
            }
        }
        let rest = inputs.left.into_values().flatten().chain(appeared);
        todo.extend(rest.map(|input| (input, Vec::new())));
        let mut todo: Vec<Turn> =
            todo.into_iter().map(|(input, begun)| Turn { input, begun, ..Turn::default() }).collect();
        // In the order of the plan, as if nothing had been begun; but what the outputs of all end with goes on.
        todo.sort_by_key(|turn| Some(turn.input) != first);
        Ok(Self { again, todo, partial })
    }
}

/// An archive that is being read, or was and waits for its turn: where it is, the lengths of its files, and its counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ArchiveState {
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
    /// Lines for the log, to be told once it is known that the piece counts.
    pub(crate) messages: Vec<Message>,
    /// Its own outputs, or its shares of one output.
    pub(crate) outputs: OutputsState,
    /// Its shares of the files beside the outputs.
    pub(crate) sides: Vec<SideState>,
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

/// A line for the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) is_error: bool,
    pub(crate) text: String,
}

impl Message {
    pub(crate) fn tell(&self) {
        match self.is_error {
            true => tracing::error!("{}", self.text),
            false => tracing::warn!("{}", self.text),
        }
    }
}

impl ArchiveState {
    /// The unfinished files of the archive, by the names that they would have if they were complete.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.outputs.paths().chain(self.sides.iter().map(|side| side.path.as_path()))
    }
}

/// The outputs in a saved state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OutputsState {
    /// The unfinished files.
    pub(crate) open: Vec<OpenPart>,
    /// The head of the current input, if more parts of it may follow.
    // Each part begins with the same head, also those that are begun after a restart.
    pub(crate) beginning: Option<InputStart>,
}

/// An unfinished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenPart {
    pub(crate) file: WrittenFile,
    pub(crate) part: u32,
    /// Bytes of documents before the compression of the file.
    pub(crate) encoded: u64,
    /// The valid part of the file; the rest is written again.
    pub(crate) extent: Extent,
}

/// A file of documents that is complete, under its hidden name or its final one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompleteFile {
    pub(crate) file: WrittenFile,
    /// The bytes written into it; for an assembled output, those written into its spool.
    pub(crate) extent: Extent,
}

/// A file or folder of documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenFile {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// Index of its encoding.
    pub(crate) encoding: usize,
    /// Name of the input, the first if there are several.
    pub(crate) input: String,
    /// Documents in it.
    pub(crate) documents: u64,
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

impl OutputsState {
    /// The final names of the unfinished files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.iter().map(|part| part.file.path.as_path())
    }
}

/// A side output and its valid state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SideState {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// The valid part; the rest is written again.
    pub(crate) extent: Extent,
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
    /// An input of a run of which every page depends on all inputs, as it was when the run began.
    Planned(Identity),
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Contents {
    /// The inputs that are done, in the order in which they were read.
    pub(crate) done: Vec<DoneInput>,
    /// The outputs that have their names.
    pub(crate) files: Vec<ManifestFile>,
    /// All inputs of a run whose pages depend on all of them.
    pub(crate) planned: Vec<Identity>,
}

impl Contents {
    /// The same as entries of a journal.
    pub(crate) fn entries(&self) -> impl Iterator<Item = JournalEntry> {
        let planned = self.planned.iter().cloned().map(JournalEntry::Planned);
        let done = self.done.iter().cloned().map(JournalEntry::Done);
        planned.chain(done).chain(self.files.iter().cloned().map(JournalEntry::File))
    }
}

/// Number of bytes, and their digest.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedBytes {
    length: u64,
    digest: Sha256,
}

/// The journal of a run: MessagePack maps one after the other. The saved state has the number of its valid bytes.
pub(crate) struct Journal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    file: Option<Box<dyn DiskFile>>,
    counted: CountedBytes,
    // Written with the next state: an entry counts only once a state says so.
    pending: Vec<u8>,
}

impl<'a> Journal<'a> {
    /// The journal at `path`, of which those bytes count.
    pub(crate) fn new(disk: &'a dyn Disk, path: PathBuf, counted: CountedBytes) -> Self {
        Self { disk, path, file: None, counted, pending: Vec::new() }
    }

    /// Takes note of an entry.
    pub(crate) fn add(&mut self, entry: &JournalEntry) -> Result<(), RunError> {
        let noted = rmp_serde::encode::write_named(&mut self.pending, entry);
        noted.map_err(|error| RunError::output(&self.path, io::Error::other(error)))
    }

    /// Syncs the journal; returns its valid length and checksum.
    pub(crate) fn sync(&mut self) -> Result<Extent, RunError> {
        self.write_pending().map_err(|source| RunError::output(&self.path, source))
    }

    fn write_pending(&mut self) -> io::Result<Extent> {
        if self.pending.is_empty() {
            return Ok(self.counted.extent());
        }
        let file = match &mut self.file {
            Some(file) => file,
            empty => {
                let file = match self.counted.length {
                    0 => self.disk.create(&self.path)?,
                    // Cut to what counts: a killed run may have written more.
                    length => self.disk.append(&self.path, length)?,
                };
                empty.insert(file)
            }
        };
        file.write_all(&self.pending)?;
        file.sync()?;
        self.counted.digest.update(&self.pending);
        self.counted.length += self.pending.len() as u64;
        self.pending.clear();
        Ok(self.counted.extent())
    }
}

impl CountedBytes {
    fn extent(&self) -> Extent {
        Extent::new(self.length, self.digest.clone())
    }
}

/// Reads the valid part of a journal; returns also its bytes, to which more are appended.
///
/// # Errors
/// If it is shorter, its bytes are others, or it is not a journal.
pub(crate) fn read(path: &Path, extent: &Extent) -> io::Result<(Contents, CountedBytes)> {
    let mut contents = Contents::default();
    if extent.length == 0 {
        return Ok((contents, CountedBytes::default()));
    }
    let bytes = read_own(path)?;
    // Checked before it is decoded, because the bytes may be anything.
    let counted = CountedBytes { digest: extent.check(&*bytes)?, length: extent.length };
    let mut rest = usize::try_from(extent.length)
        .ok()
        .and_then(|length| bytes.get(..length))
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    while !rest.is_empty() {
        match rmp_serde::decode::from_read(&mut rest).map_err(io::Error::other)? {
            JournalEntry::Done(done) => contents.done.push(done),
            JournalEntry::File(file) => contents.files.push(file),
            JournalEntry::Planned(input) => contents.planned.push(input),
            JournalEntry::Again(name) => {
                let of_name = |done: &DoneInput| done.identity.name == name;
                if let Some(at) = contents.done.iter().position(of_name) {
                    contents.done.remove(at);
                }
            }
        }
    }
    Ok((contents, counted))
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
        let read = |extent: &Extent| read(&path, extent).map(|(contents, _)| contents.done);
        let mut journal = Journal::new(&LocalDisk, path.clone(), CountedBytes::default());
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
        let (_, counted) = super::read(&path, &first).unwrap();
        let mut journal = Journal::new(&LocalDisk, path.clone(), counted);
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
