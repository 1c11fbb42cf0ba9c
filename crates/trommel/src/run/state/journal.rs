//! The finished inputs of a run. Each is appended, so saving one costs the same however many there are.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use trommel_archive::ResumePoint;
use trommel_record::{Disk, DiskFile, Extent, read_own};

use crate::run::{
    counts::summary::FileReport, error::RunError, inputs::identity::Identity, write::manifest::ManifestFile,
};

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
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// The bytes read, to which more are appended.
    pub(crate) digest: CountedBytes,
    /// The inputs that are done, in the order in which they were read.
    pub(crate) done: Vec<DoneInput>,
    /// The outputs that have their names.
    pub(crate) files: Vec<ManifestFile>,
    /// All inputs of a run whose pages depend on all of them.
    pub(crate) planned: Vec<Identity>,
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

/// Reads the valid part of a journal.
///
/// # Errors
/// If it is shorter, its bytes are others, or it is not a journal.
pub(crate) fn read(path: &Path, extent: &Extent) -> io::Result<Contents> {
    let mut contents = Contents::default();
    if extent.length == 0 {
        return Ok(contents);
    }
    let bytes = read_own(path)?;
    // Checked before it is decoded, because the bytes may be anything.
    contents.digest = CountedBytes { digest: extent.check(&*bytes)?, length: extent.length };
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
        let read = |extent: &Extent| read(&path, extent).map(|contents| contents.done);
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
        let counted = super::read(&path, &first).unwrap().digest;
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
