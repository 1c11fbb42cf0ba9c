//! Gives complete files their names.

use std::path::Path;

use trommel_record::{Assemble, Disk, OutputError, hidden, open_own, publish};

use crate::run::error::RunError;
use crate::run::plan::prepared::WritePlan;
use crate::run::state::checkpoint::Checkpoint;
use crate::run::state::files::CompleteFile;
use crate::run::write::manifest::{ManifestFile, size_and_digest};

/// Checks the files that an interrupted run left complete, before they are given their names.
pub(crate) fn check_complete(plan: &WritePlan<'_>, saved: &Checkpoint) -> Result<(), RunError> {
    let files = saved.complete.iter();
    let files =
        files.map(|CompleteFile { file, extent }| (&file.path, extent, plan.assembler(file.encoding).is_some()));
    let sides = saved.complete_sides.iter().map(|side| (&side.path, &side.extent, false));
    for (path, extent, is_assembled) in files.chain(sides) {
        let spool = hidden(path, "tmp").map_err(|source| RunError::output(path, source))?;
        let checked = match (spool.exists(), is_assembled) {
            (true, _) => open_own(&spool, false),
            // It has its name already.
            (false, false) => open_own(path, false),
            // What it was made of is gone, as it should be.
            (false, true) => continue,
        };
        checked.and_then(|file| extent.check_all(file)).map_err(|source| RunError::unfinished(path, source))?;
    }
    Ok(())
}

/// Gives a complete file of documents its name; says how a manifest lists it.
pub(crate) fn listed(plan: &WritePlan<'_>, disk: &dyn Disk, complete: &CompleteFile) -> Result<ManifestFile, RunError> {
    let CompleteFile { file, extent } = complete;
    let assemble = plan.assembler(file.encoding);
    published(disk, &file.path, assemble)?;
    let (bytes, sha256) = match (plan.is_folder(), assemble) {
        (true, None) => (extent.length, Some(extent.hex())),
        (true, Some(_)) => size_and_digest(&file.path).map_err(|source| RunError::output(&file.path, source))?,
        // Nobody lists it.
        (false, _) => (0, None),
    };
    let encoding = plan.output.encodings.get(file.encoding);
    Ok(ManifestFile {
        name: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        format: encoding.map_or_else(String::new, |encoding| encoding.format.to_string()),
        inputs: vec![file.input.clone()],
        documents: file.documents,
        bytes,
        sha256,
    })
}

/// Gives a complete file its name.
pub(crate) fn published(disk: &dyn Disk, path: &Path, assemble: Option<&dyn Assemble>) -> Result<(), RunError> {
    publish(disk, path, assemble).map_err(|error| match error {
        OutputError::Io(source) => RunError::output(path, source),
        error => RunError::Encode(error),
    })
}
