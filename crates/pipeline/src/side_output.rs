//! Files beside the outputs, which grow with them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use trommel_output::{Compression, Disk, Shard, hidden};

use crate::{Plan, RunError};

/// An unfinished side output and the length of it that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SideState {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// Bytes that count; what follows is written again.
    pub(crate) length: u64,
}

/// A file beside the outputs, for records that failed or were dropped. It is made with the first of them.
pub(crate) struct SideOutput<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    shard: Option<Shard>,
    /// Whether the file of that name, if there is one, is of the same run and goes on.
    continues: bool,
}

impl<'a> SideOutput<'a> {
    /// The file at `path`; `state` is what an interrupted run left of it. If it `continues` that of
    /// a finished run, records come behind those that are in the file.
    pub(crate) fn new(
        disk: &'a dyn Disk,
        path: &Path,
        state: Option<&SideState>,
        continues: bool,
    ) -> io::Result<Self> {
        let resume = |state: &SideState| Shard::resume(disk, path, Compression::None, state.length);
        Ok(Self {
            disk,
            path: path.to_owned(),
            shard: state.map(resume).transpose()?,
            continues,
        })
    }

    /// Its final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is anything in it.
    pub(crate) fn is_begun(&self) -> bool {
        self.shard.is_some()
    }

    /// Adds what is told of a record.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let shard = match &mut self.shard {
            Some(shard) => shard,
            None => {
                let shard = match self.continues && self.path.exists() {
                    true => {
                        let length = fs::copy(&self.path, hidden(&self.path, "tmp")?)?;
                        Shard::resume(self.disk, &self.path, Compression::None, length)?
                    }
                    false => Shard::create(self.disk, &self.path, Compression::None)?,
                };
                self.shard.insert(shard)
            }
        };
        shard.write(bytes)
    }

    /// Puts on disk what there is.
    pub(crate) fn checkpoint(&mut self) -> io::Result<Option<SideState>> {
        let path = &self.path;
        let state = |length| SideState {
            path: path.clone(),
            length,
        };
        self.shard
            .as_mut()
            .map(|shard| shard.checkpoint().map(state))
            .transpose()
    }

    /// Ends it, if there is one, and puts it on disk under its hidden name.
    pub(crate) fn complete(&mut self) -> io::Result<Option<PathBuf>> {
        match self.shard.take() {
            Some(shard) => shard.complete().map(|()| Some(self.path.clone())),
            None => Ok(None),
        }
    }
}

/// The side outputs of a run.
pub(crate) struct SideOutputs<'a> {
    /// Records that failed.
    pub(crate) quarantine: Option<SideOutput<'a>>,
    /// What is told of records that were dropped.
    pub(crate) dropped: Option<SideOutput<'a>>,
}

impl<'a> SideOutputs<'a> {
    /// Those of a plan; `states` is what an interrupted run left of them. Of a run that `continues` a finished
    /// one, records come behind those that are there.
    pub(crate) fn new(
        disk: &'a dyn Disk,
        plan: &Plan,
        states: &[SideState],
        continues: bool,
    ) -> Result<Self, RunError> {
        let open = |path: Option<&PathBuf>| -> Result<Option<SideOutput<'a>>, RunError> {
            let Some(path) = path else { return Ok(None) };
            let state = states.iter().find(|state| state.path == *path);
            SideOutput::new(disk, path, state, continues)
                .map(Some)
                .map_err(|source| RunError::output(path, source))
        };
        Ok(Self {
            quarantine: open(plan.quarantine.as_ref())?,
            dropped: open(plan.dropped.as_ref())?,
        })
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

    /// Ends them and puts them on disk under their hidden names; gives their final ones.
    pub(crate) fn complete(&mut self) -> Result<Vec<PathBuf>, RunError> {
        let complete = self.all().map(|side| {
            let complete = side.complete();
            complete.map_err(|source| RunError::output(side.path(), source))
        });
        complete.filter_map(Result::transpose).collect()
    }

    /// Ends them for good; gives the names of those of which there is anything.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        let begun = self.all().filter(|side| side.is_begun());
        let paths = begun.map(|side| side.path().to_owned()).collect();
        (self.quarantine, self.dropped) = (None, None);
        paths
    }
}
