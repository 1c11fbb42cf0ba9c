//! The labelled sets by their names.

use std::path::Path;

use trommel_learn::{PageSet, read_set};

use super::error::ResultsError;

/// The only set that methods are fitted on.
pub(super) const TRAIN: &str = "dragnet-train";

/// Reads `NAME.warc.gz` and `NAME.gold.jsonl.gz`.
pub(super) fn read(data: &Path, name: &str) -> Result<PageSet, ResultsError> {
    let set = read_set(&data.join(format!("{name}.warc.gz")), &data.join(format!("{name}.gold.jsonl.gz")))?;
    tracing::info!(set = name, pages = set.pages.len(), "read");
    Ok(set)
}
