//! Files beside the outputs that grow with them.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trommel_output::{Compression, Disk, Extent, Shard, open_in_place, open_own, replaceable};

use crate::error::RunError;
use crate::plan::Plan;
use crate::write::set_aside::{AsideRecord, index_of};

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
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.write(bytes).map_err(|source| RunError::output(&self.path, source))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.target {
            Target::File { shard: Some(shard), .. } => shard.write(bytes),
            // Opened with its first record: a run without failures leaves no empty quarantine.
            Target::File { path, shard } => {
                // Under the hidden name again: the final one always is a whole file.
                let begun = match path.exists() {
                    true => continued(self.disk, path)?,
                    false => Shard::create(self.disk, path, Compression::None)?,
                };
                shard.insert(Box::new(begun)).write(bytes)
            }
            Target::InPlace(Some(file)) => file.write_all(bytes),
            Target::InPlace(file) => file.insert(BufWriter::new(open_in_place(&self.path)?)).write_all(bytes),
        }
    }

    /// Puts on disk what there is, for good if it `ends`: under its hidden name then. Gives its final name and what it
    /// holds.
    fn save(&mut self, ends: bool) -> io::Result<Option<SideState>> {
        match &mut self.target {
            Target::File { path, shard } => {
                let extent = match shard {
                    Some(_) if ends => shard.take().map(|shard| shard.complete()),
                    shard => shard.as_mut().map(|shard| shard.checkpoint()),
                };
                Ok(extent.transpose()?.map(|extent| SideState { path: path.clone(), extent }))
            }
            Target::InPlace(file) => file.as_mut().map_or(Ok(()), BufWriter::flush).map(|()| None),
        }
    }

    /// The final name of a file of which there is something under its hidden name.
    fn begun(&self) -> Option<PathBuf> {
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
    /// Files of records that are set aside, each followed by its index.
    aside: Vec<SideOutput<'a>>,
}

impl<'a> SideOutputs<'a> {
    /// Those of a plan; `states` is what an interrupted run left of them.
    pub(crate) fn new(disk: &'a dyn Disk, plan: &Plan, states: &[SideState]) -> Result<Self, RunError> {
        let open = |path: &Path| -> Result<SideOutput<'a>, RunError> {
            SideOutput::new(disk, path, states).map_err(|source| RunError::unfinished(path, source))
        };
        let copies = plan.copies().into_iter().flat_map(|path| [path.to_owned(), index_of(path)]);
        Ok(Self {
            quarantine: plan.quarantine.as_deref().map(open).transpose()?,
            dropped: plan.dropped.as_deref().map(open).transpose()?,
            aside: copies.map(|path| open(&path)).collect::<Result<_, RunError>>()?,
        })
    }

    fn all(&mut self) -> impl Iterator<Item = &mut SideOutput<'a>> {
        self.quarantine.iter_mut().chain(&mut self.dropped).chain(&mut self.aside)
    }

    /// Keeps a record that is set aside.
    pub(crate) fn add_aside(&mut self, aside: &AsideRecord) -> Result<(), RunError> {
        let mut files = self.aside.iter_mut().skip(2 * aside.place);
        [&aside.member, &aside.line].into_iter().zip(&mut files).try_for_each(|(bytes, file)| file.add(bytes))
    }

    /// Puts on disk what there is, for good if the run `ends`; gives the final names and what the files hold.
    pub(crate) fn save(&mut self, ends: bool) -> Result<Vec<SideState>, RunError> {
        let states = self.all().map(|side| side.save(ends).map_err(|source| RunError::output(&side.path, source)));
        states.filter_map(Result::transpose).collect()
    }

    /// Ends them for good; gives the names of those of which there is anything.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        let paths = self.all().filter_map(|side| side.begun()).collect();
        // Files are closed before they are removed, which some systems ask for.
        (self.quarantine, self.dropped) = (None, None);
        self.aside.clear();
        paths
    }
}
