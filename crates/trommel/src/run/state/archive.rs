//! The state of one archive in work, as plain data.

use std::path::Path;

use serde::{Deserialize, Serialize};
use trommel_archive::ResumePoint;

use crate::run::counts::summary::{FileReport, Summary};
use crate::run::counts::times::Times;
use crate::run::inputs::identity::Identity;
use crate::run::state::files::{OutputsState, SideState};

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
