//! The unfinished and the complete files of a run, as its state names them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trommel_record::Extent;

/// The outputs in a saved state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OutputsState {
    /// The unfinished files.
    pub(crate) open: Vec<OpenPart>,
    /// The head of the current input, if more parts of it may follow.
    // Each part begins with the same head, also those that are begun after a restart.
    pub(crate) beginning: Option<InputStart>,
}

/// An unfinished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenPart {
    pub(crate) file: WrittenFile,
    pub(crate) part: u32,
    /// Bytes of documents before the compression of the file.
    pub(crate) encoded: u64,
    /// The valid part of the file; the rest is written again.
    pub(crate) extent: Extent,
}

/// A file of documents that is complete, under its hidden name or its final one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompleteFile {
    pub(crate) file: WrittenFile,
    /// The bytes written into it; for an assembled output, those written into its spool.
    pub(crate) extent: Extent,
}

/// A file or folder of documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenFile {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// Index of its encoding.
    pub(crate) encoding: usize,
    /// Name of the input, the first if there are several.
    pub(crate) input: String,
    /// Documents in it.
    pub(crate) documents: u64,
}

/// The beginning of an input.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct InputStart {
    /// Name of the input.
    pub(crate) input: String,
    /// The name of its outputs, also for later parts if the inputs differ by then.
    pub(crate) stem: String,
    /// Block of the first record if it is a warcinfo.
    pub(crate) info: Option<Vec<u8>>,
    /// Date of the first record.
    pub(crate) date: Option<String>,
}

impl OutputsState {
    /// The final names of the unfinished files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.iter().map(|part| part.file.path.as_path())
    }
}

/// A side output and its valid state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SideState {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// The valid part; the rest is written again.
    pub(crate) extent: Extent,
}
