//! The labelled sets by their names.

use std::path::Path;

use rustc_hash::FxHashMap;
use trommel_learn::{PageSet, read_set};

use super::error::ResultsError;
use crate::layout::{PageLayout, read_layouts};

/// The only set that methods are fitted on.
pub(super) const TRAIN: &str = "dragnet-train";

/// Reads `NAME.warc.gz` and `NAME.gold.jsonl.gz`.
pub(super) fn read(data: &Path, name: &str) -> Result<PageSet, ResultsError> {
    let set = read_set(&data.join(format!("{name}.warc.gz")), &data.join(format!("{name}.gold.jsonl.gz")))?;
    tracing::info!(set = name, pages = set.pages.len(), "read");
    Ok(set)
}

/// Reads `NAME.layout.jsonl.gz`, by record; empty if there is none.
pub(super) fn layouts(folder: &Path, name: &str) -> Result<FxHashMap<String, PageLayout>, ResultsError> {
    let path = folder.join(format!("{name}.layout.jsonl.gz"));
    if !path.exists() {
        return Ok(FxHashMap::default());
    }
    let layouts = read_layouts(&path)?.into_iter();
    Ok(layouts.map(|layout| (layout.record_id.clone(), layout)).collect())
}
