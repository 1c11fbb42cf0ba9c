//! Files beside the outputs that grow with them.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use trommel_record::{Compression, Disk, Shard, hidden, open_in_place, open_own, replaceable};

use crate::run::{
    error::RunError, plan::index_of, plan::prepared::WritePlan, state::remaining::SideState, work::task::AsideRecord,
    write::outputs::share_of,
};

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
    InPlace(Option<BufWriter<File>>),
}

impl<'a> SideOutput<'a> {
    /// Opens the file at `path`, of which an interrupted run may have left one of `states`. An existing file of that
    /// name is of this run, because those of others were removed at its start, and is continued. If `share` is the
    /// number of an archive, its share of the file.
    fn new(disk: &'a dyn Disk, path: &Path, share: Option<u64>, states: &[SideState]) -> io::Result<Self> {
        let target = match replaceable(path)? {
            Some(path) => {
                let path = share.map_or(path.clone(), |number| share_of(&path, number));
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
            Target::File { path, shard } => opened(self.disk, path, shard)?.write(bytes),
            Target::InPlace(Some(file)) => file.write_all(bytes),
            Target::InPlace(file) => file.insert(BufWriter::new(open_in_place(&self.path)?)).write_all(bytes),
        }
    }

    /// Adds the share of an archive; says whether that is of this file.
    fn join(&mut self, share: &SideState, number: u64) -> io::Result<bool> {
        match &mut self.target {
            Target::File { path, shard } if share.path == share_of(path, number) => {
                let from = File::open(hidden(&share.path, "tmp")?)?;
                opened(self.disk, path, shard)?.join(from, &share.extent)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Syncs the file, for the last time if it `ends`, still under its hidden name. Returns its final name, length and
    /// checksum.
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

/// The file under its hidden name, opened with its first record: a run without failures leaves no empty quarantine.
fn opened<'s>(disk: &dyn Disk, path: &Path, shard: &'s mut Option<Box<Shard>>) -> io::Result<&'s mut Shard> {
    if shard.is_none() {
        // Under the hidden name again: the final one always is a whole file.
        let begun = match path.exists() {
            true => continued(disk, path)?,
            false => Shard::create(disk, path, Compression::None)?,
        };
        *shard = Some(Box::new(begun));
    }
    shard.as_deref_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
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

/// The side outputs of a run, or the share of one archive in them.
pub(crate) struct SideOutputs<'a> {
    /// Records that failed.
    pub(crate) quarantine: Option<SideOutput<'a>>,
    /// The list of dropped records.
    pub(crate) dropped: Option<SideOutput<'a>>,
    /// Files of records that are set aside, each followed by its index.
    aside: Vec<SideOutput<'a>>,
}

impl<'a> SideOutputs<'a> {
    /// Opens the files of a plan; `states` are those of an interrupted run.
    pub(crate) fn new(
        plan: &WritePlan<'_>,
        disk: &'a dyn Disk,
        share: Option<u64>,
        states: &[SideState],
    ) -> Result<Self, RunError> {
        let open = |path: &Path| -> Result<SideOutput<'a>, RunError> {
            SideOutput::new(disk, path, share, states).map_err(|source| RunError::unfinished(path, source))
        };
        let copies = plan.copies.iter().flat_map(|path| [(*path).to_owned(), index_of(path)]);
        Ok(Self {
            quarantine: plan.quarantine.map(open).transpose()?,
            dropped: plan.dropped.map(open).transpose()?,
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

    /// Adds the shares of the archive of that number; returns their names, to be removed once that is saved.
    pub(crate) fn join(&mut self, shares: &[SideState], number: u64) -> Result<Vec<PathBuf>, RunError> {
        for share in shares {
            for side in self.all() {
                if side.join(share, number).map_err(|source| RunError::unfinished(&side.path, source))? {
                    break;
                }
            }
        }
        Ok(shares.iter().map(|share| share.path.clone()).collect())
    }

    /// Syncs the files, for the last time if the run `ends`; returns their final names, lengths and checksums.
    pub(crate) fn save(&mut self, ends: bool) -> Result<Vec<SideState>, RunError> {
        let states = self.all().map(|side| side.save(ends).map_err(|source| RunError::output(&side.path, source)));
        states.filter_map(Result::transpose).collect()
    }

    /// Ends them for good; returns the names of those of which there is anything.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        let paths = self.all().filter_map(|side| side.begun()).collect();
        // Files are closed before they are removed, which some systems ask for.
        (self.quarantine, self.dropped) = (None, None);
        self.aside.clear();
        paths
    }
}
