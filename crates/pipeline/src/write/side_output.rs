//! Files beside the outputs that grow with them.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trommel_output::{Compression, Disk, Extent, Shard, open_in_place, open_own, replaceable};

use crate::{error::RunError, plan::Plan};

/// A side output and what of it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SideState {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// The valid part; the rest is written again.
    pub(crate) extent: Extent,
}

/// A file beside the outputs, for records that failed or were dropped. It is made with the first of them.
pub(crate) struct SideOutput<'a> {
    disk: &'a dyn Disk,
    /// The path in the form in which the user named it.
    path: PathBuf,
    target: Target,
}

/// The target that the name of a side output stands for.
enum Target {
    /// A file, by the name that symbolic links lead to.
    File { path: PathBuf, shard: Option<Box<Shard>> },
    /// A device or a pipe, which is written as it comes and has no state.
    // `/dev/stderr` and pipes must be written to, and not replaced by a file of that name.
    InPlace(Option<BufWriter<fs::File>>),
}

impl<'a> SideOutput<'a> {
    /// The file at `path`, which one of `states` may be of, left by an interrupted run. If there is a file of
    /// that name, records come behind those that are in it: it is of this run, as that of another was removed
    /// when the run began.
    pub(crate) fn new(disk: &'a dyn Disk, path: &Path, states: &[SideState]) -> io::Result<Self> {
        let target = match replaceable(path)? {
            Some(path) => {
                let state = states.iter().find(|state| state.path == path);
                let resume = |state: &SideState| Shard::resume(disk, &path, Compression::None, &state.extent);
                let shard = state.map(resume).transpose()?.map(Box::new);
                Target::File { path, shard }
            }
            None => Target::InPlace(None),
        };
        Ok(Self { disk, path: path.to_owned(), target })
    }

    /// Its final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds the data about a record.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.target {
            Target::File { path, shard } => {
                let shard = match shard {
                    Some(shard) => shard,
                    None => {
                        // Opened with its first record: a run without failures leaves no empty quarantine.
                        let begun = match path.exists() {
                            // Under the hidden name again: the final one always is a whole file.
                            true => continued(self.disk, path)?,
                            false => Shard::create(self.disk, path, Compression::None)?,
                        };
                        shard.insert(Box::new(begun))
                    }
                };
                shard.write(bytes)
            }
            Target::InPlace(file) => {
                let file = match file {
                    Some(file) => file,
                    None => file.insert(BufWriter::new(open_in_place(&self.path)?)),
                };
                file.write_all(bytes)
            }
        }
    }

    /// Puts on disk what there is.
    pub(crate) fn checkpoint(&mut self) -> io::Result<Option<SideState>> {
        match &mut self.target {
            Target::File { path, shard } => {
                let state = |extent| SideState { path: path.clone(), extent };
                let shard = shard.as_mut();
                shard.map(|shard| shard.checkpoint().map(state)).transpose()
            }
            Target::InPlace(file) => {
                file.as_mut().map_or(Ok(()), BufWriter::flush)?;
                Ok(None)
            }
        }
    }

    /// Ends it, if there is one, and puts it on disk under its hidden name; gives the final one and what it
    /// holds.
    pub(crate) fn complete(&mut self) -> io::Result<Option<SideState>> {
        match &mut self.target {
            Target::File { path, shard } => {
                let state = |extent| SideState { path: path.clone(), extent };
                let shard = shard.take();
                shard.map(|shard| shard.complete().map(state)).transpose()
            }
            Target::InPlace(file) => {
                file.as_mut().map_or(Ok(()), BufWriter::flush)?;
                Ok(None)
            }
        }
    }

    /// The final name of a file of which there is something under its hidden name.
    pub(crate) fn begun(&self) -> Option<PathBuf> {
        match &self.target {
            Target::File { path, shard } => shard.as_ref().map(|_| path.clone()),
            Target::InPlace(_) => None,
        }
    }
}

/// A copy of the finished file, to which more comes.
fn continued(disk: &dyn Disk, path: &Path) -> io::Result<Shard> {
    let mut shard = Shard::create(disk, path, Compression::None)?;
    let mut before = open_own(path, false)?;
    // Copied and not appended to: if this run is killed, the finished file is still whole.
    let mut buffer = vec![0; 1 << 17];
    loop {
        let read = before.read(&mut buffer)?;
        match buffer.get(..read).filter(|read| !read.is_empty()) {
            Some(read) => shard.write(read)?,
            None => return Ok(shard),
        }
    }
}

/// The side outputs of a run.
pub(crate) struct SideOutputs<'a> {
    /// Records that failed.
    pub(crate) quarantine: Option<SideOutput<'a>>,
    /// The list of dropped records.
    pub(crate) dropped: Option<SideOutput<'a>>,
}

impl<'a> SideOutputs<'a> {
    /// Those of a plan; `states` is what an interrupted run left of them.
    pub(crate) fn new(disk: &'a dyn Disk, plan: &Plan, states: &[SideState]) -> Result<Self, RunError> {
        let open = |path: Option<&PathBuf>| -> Result<Option<SideOutput<'a>>, RunError> {
            let Some(path) = path else { return Ok(None) };
            SideOutput::new(disk, path, states).map(Some).map_err(|source| RunError::unfinished(path, source))
        };
        Ok(Self { quarantine: open(plan.quarantine.as_ref())?, dropped: open(plan.dropped.as_ref())? })
    }

    fn all(&mut self) -> impl Iterator<Item = &mut SideOutput<'a>> {
        self.quarantine.iter_mut().chain(&mut self.dropped)
    }

    /// Puts on disk what there is.
    pub(crate) fn checkpoint(&mut self) -> Result<Vec<SideState>, RunError> {
        let states = self.all().map(|side| {
            let state = side.checkpoint();
            state.map_err(|source| RunError::output(side.path(), source))
        });
        states.filter_map(Result::transpose).collect()
    }

    /// Ends them and puts them on disk under their hidden names; gives their final ones and what they hold.
    pub(crate) fn complete(&mut self) -> Result<Vec<SideState>, RunError> {
        let complete = self.all().map(|side| {
            let complete = side.complete();
            complete.map_err(|source| RunError::output(side.path(), source))
        });
        complete.filter_map(Result::transpose).collect()
    }

    /// Ends them for good; gives the names of those of which there is anything.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        let paths = self.all().filter_map(|side| side.begun()).collect();
        // Files are closed before they are removed, which some systems ask for.
        (self.quarantine, self.dropped) = (None, None);
        paths
    }
}
