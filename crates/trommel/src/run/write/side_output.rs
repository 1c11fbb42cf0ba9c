//! Files beside the outputs that grow with them.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use trommel_record::{Compression, Disk, open_in_place, open_own, replaceable};

use crate::run::plan::prepared::Prepared;
use crate::run::state::remaining::FileState;
use crate::run::write::outputs::{OpenFile, share_of};
use crate::{Error, Result};

/// A file beside the outputs, for records that failed or were dropped. It is made with the first of them.
enum SideOutput {
    /// A file, by the name that symbolic links lead to.
    File(PathBuf, Option<Box<OpenFile>>),
    /// A device or a pipe, which is written as it comes and has no state.
    // `/dev/stderr` and pipes must be written to, and not replaced by a file of that name.
    InPlace(PathBuf, Option<BufWriter<File>>),
}

impl SideOutput {
    /// Opens the file at `path`, of which an interrupted run may have left one of `states`. An existing file of that
    /// name is of this run, because those of others were removed at its start, and is continued. If `share` is the
    /// number of an archive, its share of the file.
    fn new(disk: &dyn Disk, path: &Path, share: Option<u64>, states: &[FileState]) -> Result<Self> {
        let Some(file) = replaceable(path).map_err(Error::unfinished(path))? else {
            return Ok(Self::InPlace(path.to_owned(), None));
        };
        let path = share.map_or(file.clone(), |number| share_of(&file, number));
        let state = states.iter().find(|state| state.path == path).cloned();
        let begun = state.map(|state| OpenFile::resume(disk, state, Compression::None)).transpose()?;
        Ok(Self::File(path, begun.map(Box::new)))
    }

    fn write(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(path, file) => opened(disk, path, file)?.write(bytes),
            Self::InPlace(path, file) => {
                let file = match file {
                    Some(file) => file,
                    none => none.insert(BufWriter::new(open_in_place(path).map_err(Error::output(path))?)),
                };
                file.write_all(bytes).map_err(Error::output(path))
            }
        }
    }

    /// Syncs the file, for the last time if it `ends`, still under its hidden name. Returns its final name, length and
    /// checksum.
    fn save(&mut self, ends: bool) -> Result<Option<FileState>> {
        match self {
            Self::File(_, file) if ends => file.take().map(|file| file.complete()).transpose(),
            Self::File(_, file) => file.as_mut().map(|file| file.checkpoint()).transpose(),
            Self::InPlace(path, file) => {
                file.as_mut().map_or(Ok(()), BufWriter::flush).map_err(Error::output(path)).map(|()| None)
            }
        }
    }
}

/// The file under its hidden name, opened with its first record: a run without failures leaves no empty quarantine.
fn opened<'s>(disk: &dyn Disk, path: &Path, file: &'s mut Option<Box<OpenFile>>) -> Result<&'s mut OpenFile> {
    match file {
        Some(file) => Ok(file),
        none => {
            // Under the hidden name again: the final one always is a whole file.
            let state = FileState { path: path.to_owned(), ..FileState::default() };
            let mut begun = OpenFile::create(disk, state, Compression::None)?;
            if path.exists() {
                // Copied and not appended to: if this run is killed, the finished file is still whole.
                let mut before = BufReader::new(open_own(path, false).map_err(Error::output(path))?);
                loop {
                    let piece = before.fill_buf().map_err(Error::output(path))?;
                    let length = piece.len();
                    if length == 0 {
                        break;
                    }
                    begun.write(piece)?;
                    before.consume(length);
                }
            }
            Ok(none.insert(Box::new(begun)))
        }
    }
}

/// The side outputs of a run by their numbers, or the share of one archive in them.
pub(crate) struct SideOutputs<'a> {
    disk: &'a dyn Disk,
    sides: Vec<Option<SideOutput>>,
}

impl<'a> SideOutputs<'a> {
    /// Opens the files of a plan; `states` are those of an interrupted run.
    pub(crate) fn new(plan: &Prepared<'a>, share: Option<u64>, states: &[FileState]) -> Result<Self> {
        let sides = plan
            .run
            .sides()
            .into_iter()
            .map(|(_, path)| path.map(|path| SideOutput::new(plan.disk, &path, share, states)).transpose());
        Ok(Self { disk: plan.disk, sides: sides.collect::<Result<_>>()? })
    }

    /// Adds bytes to the file of that number, if the plan has it.
    pub(crate) fn add(&mut self, number: usize, bytes: &[u8]) -> Result<()> {
        match self.sides.get_mut(number) {
            Some(Some(side)) => side.write(self.disk, bytes),
            _ => Ok(()),
        }
    }

    /// Adds the shares of the archive of that number; returns their names, to be removed once that is saved.
    pub(crate) fn join(&mut self, shares: &[FileState], number: u64) -> Result<Vec<PathBuf>> {
        for share in shares {
            for side in self.sides.iter_mut().flatten() {
                if let SideOutput::File(path, file) = side
                    && share.path == share_of(path, number)
                {
                    opened(self.disk, path, file)?.join(share)?;
                    break;
                }
            }
        }
        Ok(shares.iter().map(|share| share.path.clone()).collect())
    }

    /// Syncs the files, for the last time if the run `ends`; returns their final names, lengths and checksums.
    pub(crate) fn save(&mut self, ends: bool) -> Result<Vec<FileState>> {
        self.sides.iter_mut().flatten().filter_map(|side| side.save(ends).transpose()).collect()
    }

    /// Ends them for good; returns the names of those of which there is anything.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        // Files are closed before they are removed, which some systems ask for.
        let sides = self.sides.drain(..).flatten();
        sides
            .filter_map(|side| if let SideOutput::File(_, Some(file)) = side { Some(file.state.path) } else { None })
            .collect()
    }
}
