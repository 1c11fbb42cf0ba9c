//! The plan of a run: its inputs, its outputs and its settings.

pub(crate) mod assemble;
pub(crate) mod describe;
pub(crate) mod existing;
pub(crate) mod follow;
pub(crate) mod named_files;
pub(crate) mod output;
pub(crate) mod prepared;
pub(crate) mod recipe;
pub(crate) mod request;
pub(crate) mod set_aside;
pub(crate) mod share;
pub(crate) mod side_names;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use crate::Settings;
use trommel_record::{Assemble, Format, hidden};

use crate::run::inputs::Input;
use crate::run::inputs::pieces::PIECE_BYTES;
use crate::run::plan::follow::Follow;
use crate::run::plan::named_files::NamedFiles;
use crate::run::plan::output::{Destination, Output};
use crate::run::plan::set_aside::{HardPages, SetAside, index_of};

/// The state of a run in the folder of its outputs.
// Hidden, so that readers of the folder pass over it.
pub(crate) const FOLDER_STATE: &str = ".run.checkpoint";

/// The plan of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The archives, in order.
    pub inputs: Vec<Input>,
    /// The destination of the documents.
    pub output: Output,
    /// All settings. A run can be continued only with the same values of those that change the output.
    pub settings: Settings,
    /// Checksums of the files that the settings name.
    pub files: NamedFiles,
    /// Last step of outputs in formats that cannot be written as they come.
    pub assemble: BTreeMap<Format, Arc<dyn Assemble>>,
    /// WARC file for the records that fail.
    pub quarantine: Option<PathBuf>,
    /// Files for records that are not pages, by their kind.
    pub set_aside: Vec<SetAside>,
    /// File for pages of low confidence.
    pub hard: Option<HardPages>,
    /// File that lists the records that are dropped, a JSON line each.
    pub dropped: Option<PathBuf>,
    /// The inputs to follow while they grow, instead of reading the inputs once. Then the inputs serve only to
    /// find existing outputs.
    pub follow: Option<Follow>,
    /// Seconds since 1970 that stand for the time of the run in WET files (`SOURCE_DATE_EPOCH`).
    pub epoch: Option<i64>,
    /// Stored bytes of a piece, of which an archive that is read in pieces has more than four.
    // Tests have small archives.
    #[doc(hidden)]
    pub piece_bytes: u64,
}

impl Plan {
    /// A plan to write the documents of `inputs` to `output` under the default settings, without a quarantine.
    pub fn new(inputs: Vec<Input>, output: Output) -> Self {
        Self {
            inputs,
            output,
            settings: Settings::default(),
            files: NamedFiles::default(),
            assemble: BTreeMap::new(),
            quarantine: None,
            set_aside: Vec::new(),
            hard: None,
            dropped: None,
            follow: None,
            epoch: None,
            piece_bytes: PIECE_BYTES,
        }
    }

    /// The same plan under these settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Number of worker threads. It has no influence on the output.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        let all = || thread::available_parallelism().ok();
        // All processors that the system grants, which in a container may be fewer than the machine has.
        self.settings.limits.jobs.or_else(all).unwrap_or(NonZeroUsize::MIN)
    }

    /// Maximum bytes kept of one record's block; the rest is skipped and the document notes it.
    pub(crate) fn max_record(&self) -> u64 {
        self.settings.max_record_and_payload().0
    }

    /// Maximum bytes kept of one decoded payload; the rest is skipped and the document notes it.
    pub(crate) fn max_payload(&self) -> u64 {
        self.settings.max_record_and_payload().1
    }

    /// The file in which a run leaves its state: `.run.checkpoint` in the folder of its outputs, or
    /// `.NAME.checkpoint` beside its one output. None if the run cannot be continued: standard input and
    /// output can't be read or written again.
    pub fn state_file(&self) -> Option<PathBuf> {
        let pipe = |follow: &Follow| follow.arguments.iter().any(|argument| argument == "-");
        // What came through a pipe cannot be read again, so there is nothing to continue from.
        if self.inputs.contains(&Input::Stdin) || self.follow.as_ref().is_some_and(pipe) {
            return None;
        }
        match &self.output.destination {
            Destination::Folder(folder) => Some(folder.join(FOLDER_STATE)),
            Destination::File(path) => hidden(path, "checkpoint").ok(),
            Destination::Stdout | Destination::Caller => None,
        }
    }

    /// The files beside the outputs as the user named them, and the options that name them.
    pub(crate) fn side_files(&self) -> Vec<(PathBuf, &'static str)> {
        let mut sides = Vec::new();
        for (path, option) in [(&self.quarantine, "--quarantine"), (&self.dropped, "--dropped")] {
            sides.extend(path.iter().map(|path| (path.clone(), option)));
        }
        let options = self.set_aside.iter().map(|_| "--set-aside").chain(["--hard-to"]);
        for (path, option) in self.copies().into_iter().zip(options) {
            sides.extend([path.to_owned(), index_of(path)].map(|path| (path, option)));
        }
        sides
    }

    /// The files for copies of records, without their indexes: first those of `set_aside`, then that of `hard`.
    pub(crate) fn copies(&self) -> Vec<&Path> {
        let asides = self.set_aside.iter().map(|aside| aside.path.as_path());
        asides.chain(self.hard.as_ref().map(|hard| hard.path.as_path())).collect()
    }

    /// The files and folders that documents are written to, without repetition; of parts the first.
    pub fn outputs(&self) -> Vec<PathBuf> {
        self.output.paths(&self.inputs)
    }
}
