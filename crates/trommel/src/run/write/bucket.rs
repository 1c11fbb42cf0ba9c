//! Outputs in buckets (`s3://`, `gs://`, `az://`). They are written to a local folder and sent when they are complete.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{collections::HashSet, fs, io};

use tempfile::TempDir;
use trommel_record::{Disk, LocalDisk};
use trommel_sources::{NetworkOptions, Remote, Scheme};

use crate::run::plan::{Plan, existing::Existing, output::Destination};
use crate::run::state::FINISHED_STATE;
use crate::run::write::manifest::SUCCESS;
use crate::{Error, ErrorKind, Result, run::counts::summary::Summary};

/// Prefix of a bucket (as in S3) to which the outputs of a run are sent. They are first written into a local folder. A
/// file that gets its final name there is sent to the bucket, and removed when the next file is sent.
#[derive(Debug)]
pub struct Bucket {
    remote: Remote,
    /// URL of the prefix, such as `s3://BUCKET/PREFIX/`.
    prefix: String,
    folder: TempDir,
    sent: Mutex<Option<PathBuf>>,
}

impl Bucket {
    /// Changes a plan with outputs in a bucket to write them into a local folder, and returns the bucket to which they
    /// are sent. None if the outputs are not in a bucket.
    ///
    /// # Errors
    /// Fails if the local folder cannot be created, the bucket does not answer or already has an output of the
    /// plan, or `existing` asks to resume.
    pub fn take(plan: &mut Plan, network: NetworkOptions, existing: Existing) -> Result<Option<Self>> {
        let (Destination::File(path) | Destination::Folder(path)) = &plan.output.destination else { return Ok(None) };
        let path = path.to_string_lossy().into_owned();
        if !Scheme::of(&path).is_some_and(Scheme::is_written) {
            return Ok(None);
        }
        let (folder, name) = match plan.output.destination {
            Destination::File(_) => path.rsplit_once('/').unwrap_or((&path, "")),
            _ => (path.trim_end_matches('/'), ""),
        };
        let prefix = format!("{folder}/");
        // Objects cannot be appended to, so there is nothing that could be continued.
        if existing == Existing::Resume {
            let what = "outputs in a bucket cannot be continued; what is whole there stays";
            return Err(Error::resume(Path::new(&format!("{prefix}{name}")), what));
        }
        let folder =
            tempfile::tempdir().map_err(Error::at(ErrorKind::Output, "folder for unfinished outputs (TMPDIR)"))?;
        let below = |path: &Path| {
            let name = path.to_string_lossy().strip_prefix(&prefix).map(str::to_owned);
            name.map(|name| folder.path().join(name))
        };
        plan.output.destination = match name.is_empty() {
            true => Destination::Folder(folder.path().to_owned()),
            false => Destination::File(folder.path().join(name)),
        };
        if let Some(path) = &mut plan.quarantine
            && let Some(here) = below(path)
        {
            *path = here;
        }
        let bucket = Self { remote: Remote::new(network), prefix, folder, sent: Mutex::default() };
        bucket.check(plan, existing)?;
        Ok(Some(bucket))
    }

    /// Refuses to replace objects in the bucket, unless `existing` allows it; removes an earlier run's `_SUCCESS` mark.
    ///
    /// # Errors
    /// Fails if the bucket does not answer, or already has an output of the plan.
    fn check(&self, plan: &Plan, existing: Existing) -> Result<()> {
        let there = self.remote.list(&self.prefix).map_err(Error::at(ErrorKind::Network, &self.prefix))?;
        let there: HashSet<String> = there.into_iter().collect();
        for path in plan.outputs().into_iter().chain(plan.quarantine.clone()) {
            let Some(url) = self.url(&path) else { continue };
            let below = format!("{url}/");
            let is_there = there.contains(&url) || there.iter().any(|name| name.starts_with(&below));
            // Objects have no lock, so this is checked once, before the work, and not again.
            if is_there && existing != Existing::Overwrite {
                return Err(Error::exists(Path::new(&url), "is there already; --overwrite replaces it"));
            }
        }
        let mark = format!("{}{SUCCESS}", self.prefix);
        // Last of the checks: a run that is refused must leave the mark of the one before.
        if there.contains(&mark) {
            self.remote.remove(&mark).map_err(Error::at(ErrorKind::Network, &mark))?;
        }
        Ok(())
    }

    /// Returns the URL in the bucket of a file in the local folder; none for a file elsewhere.
    fn url(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(self.folder.path()).ok()?;
        Some(format!("{}{}", self.prefix, below.to_string_lossy()))
    }

    /// Replaces the names of local files in the summary by their URLs in the bucket.
    pub fn name(&self, summary: &mut Summary) {
        let outputs = summary.files.iter_mut().flat_map(|file| &mut file.outputs);
        for name in outputs.chain(&mut summary.quarantine) {
            if let Some(url) = self.url(Path::new(name)) {
                *name = url;
            }
        }
    }

    fn send(&self, path: &Path) -> io::Result<()> {
        let hidden = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // State, lock and spools stay on this machine.
            name.starts_with('.') || name == FINISHED_STATE
        };
        let Some(url) = self.url(path).filter(|_| !hidden(path)) else { return Ok(()) };
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                let entry = entry?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                // An index has hidden files, which its readers want.
                self.put(&entry.path(), &format!("{url}/{name}"))?;
            }
        } else {
            self.put(path, &url)?;
        }
        // Its size and digest are still to be taken.
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        match sent.replace(path.to_owned()) {
            Some(before) if before == path => Ok(()),
            Some(before) if before.is_dir() => fs::remove_dir_all(before),
            Some(before) if before.exists() => fs::remove_file(before),
            _ => Ok(()),
        }
    }

    fn put(&self, file: &Path, url: &str) -> io::Result<()> {
        self.remote.upload(file, url).map_err(|error| io::Error::other(format!("{url}: {error}")))
    }
}

impl Disk for Bucket {
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        LocalDisk.rename(from, to)?;
        self.send(to)
    }
}
