//! The saved state of a run, from which it can continue after an interruption.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use trommel_archive::ResumePoint;
use trommel_filters::DuplicatesState;
use trommel_output::{Disk, hidden};

use crate::{
    FileReport, Summary,
    manifest::Listed,
    outputs::{OutputsState, Written},
    quarantine::QuarantineState,
    times::Times,
};

/// Version of the format; a state of another is refused.
const VERSION: u32 = 2;
/// Characters shown of a fact that differs.
const SHOWN: usize = 80;

/// State of a run at one moment: all records up to `point` are in the outputs and in the counts, and
/// none after it. Stored as a MessagePack map.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Version of the format.
    pub(crate) version: u32,
    /// All that the outputs depend on.
    pub(crate) facts: Vec<(String, String)>,
    /// Index of the input to continue with.
    pub(crate) input: usize,
    /// Place in it; none: its start.
    pub(crate) point: Option<ResumePoint>,
    /// The outputs being written and the bytes of them that count.
    pub(crate) outputs: OutputsState,
    /// The quarantine being written, likewise.
    pub(crate) quarantine: Option<QuarantineState>,
    /// Outputs that are complete but may not have their final names yet.
    pub(crate) complete: Vec<Written>,
    /// Outputs that have their final names.
    pub(crate) files: Vec<Listed>,
    /// A complete quarantine that may not have its final name yet.
    pub(crate) complete_quarantine: Option<PathBuf>,
    /// Report of the input at hand.
    pub(crate) report: FileReport,
    /// Counts.
    pub(crate) summary: Summary,
    /// Times of the pages.
    pub(crate) times: Times,
    /// What the filters of duplicates remember.
    pub(crate) duplicates: DuplicatesState,
    /// The read error that ended the run. Met again, it does not end it again.
    pub(crate) failed: Option<String>,
}

/// Why a run cannot be continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It reads standard input or writes standard output.
    #[error("a run that reads standard input or writes standard output cannot be resumed")]
    Stream,
    /// The state cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The state.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The state is damaged.
    #[error("{path}: not the state of a run ({what})", path = path.display())]
    Damaged {
        /// The state.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The state was written by another version of the program.
    #[error("{path}: state of version {version}, this program reads version {VERSION}", path = path.display())]
    Version {
        /// The state.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The interrupted run was another.
    #[error(
        "{path}: the interrupted run had {name} {then}, this one has {now}; go on with the same, or without --resume to start afresh",
        path = path.display()
    )]
    OtherPlan {
        /// The state.
        path: PathBuf,
        /// What differs.
        name: String,
        /// What it was.
        then: String,
        /// What it is.
        now: String,
    },
}

/// What is read first, to know whether the rest can be.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Checkpoint {
    /// The state before anything was done.
    pub(crate) fn new(facts: Vec<(String, String)>) -> Self {
        Self {
            version: VERSION,
            facts,
            input: 0,
            point: None,
            outputs: OutputsState::default(),
            quarantine: None,
            complete: Vec::new(),
            files: Vec::new(),
            complete_quarantine: None,
            report: FileReport::default(),
            summary: Summary::default(),
            times: Times::default(),
            duplicates: DuplicatesState::default(),
            failed: None,
        }
    }

    /// The state at `path` if there is one and it is that of a run with these `facts`.
    pub(crate) fn load(
        path: &Path,
        facts: &[(String, String)],
    ) -> Result<Option<Self>, ResumeError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(ResumeError::Io {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        let damaged = |error: rmp_serde::decode::Error| ResumeError::Damaged {
            path: path.to_owned(),
            what: error.to_string(),
        };
        let Versioned { version } = rmp_serde::from_slice(&bytes).map_err(damaged)?;
        if version != VERSION {
            return Err(ResumeError::Version {
                path: path.to_owned(),
                version,
            });
        }
        let state: Self = rmp_serde::from_slice(&bytes).map_err(damaged)?;
        let value = |facts: &[(String, String)], name: &str| {
            let found = facts.iter().find(|(key, _)| key == name);
            found.map_or_else(|| "none".to_owned(), |(_, value)| value.clone())
        };
        for (name, _) in facts.iter().chain(&state.facts) {
            let (then, now) = (value(&state.facts, name), value(facts, name));
            if then != now {
                return Err(ResumeError::OtherPlan {
                    path: path.to_owned(),
                    name: name.clone(),
                    then: shortened(&then),
                    now: shortened(&now),
                });
            }
        }
        Ok(Some(state))
    }

    /// Puts the state on disk at `path`, in the place of the one before.
    pub(crate) fn save(&self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        let bytes = rmp_serde::to_vec_named(self).map_err(io::Error::other)?;
        let new = hidden(path, "tmp")?;
        let mut file = disk.create(&new)?;
        file.write_all(&bytes)?;
        file.sync()?;
        disk.rename(&new, path)
    }
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", value.get(..end).unwrap_or(value)),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_output::LocalDisk;

    fn facts(format: &str) -> Vec<(String, String)> {
        vec![("format".to_owned(), format.to_owned())]
    }

    #[test]
    fn goes_there_and_back_and_knows_its_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".a.checkpoint");
        assert!(Checkpoint::load(&path, &facts("wet")).unwrap().is_none());
        let mut state = Checkpoint::new(facts("wet"));
        state.input = 3;
        state.summary.records = 7;
        state.summary.drop(crate::DropReason::NotHtml);
        state.summary.truncate("length");
        state.save(&LocalDisk, &path).unwrap();
        let read = Checkpoint::load(&path, &facts("wet")).unwrap().unwrap();
        assert_eq!((read.input, &read.summary), (3, &state.summary));
        let error = Checkpoint::load(&path, &facts("jsonl")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("the interrupted run had format wet, this one has jsonl"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_state_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".a.checkpoint");
        let mut state = Checkpoint::new(facts("wet"));
        state.version = 9;
        state.save(&LocalDisk, &path).unwrap();
        assert!(matches!(
            Checkpoint::load(&path, &facts("wet")),
            Err(ResumeError::Version { version: 9, .. })
        ));
        fs::write(&path, b"junk").unwrap();
        assert!(matches!(
            Checkpoint::load(&path, &facts("wet")),
            Err(ResumeError::Damaged { .. })
        ));
    }
}
