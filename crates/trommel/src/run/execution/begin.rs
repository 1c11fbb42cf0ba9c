//! The beginning of a run: what is there already, and what is left of an earlier one.

use std::path::{Path, PathBuf};
use std::{fs, io};

use trommel_record::{BULK_MAPPING, Disk, hidden, replaceable};

use crate::run::error::RunError;
use crate::run::error::resume::ResumeError;
use crate::run::plan::Plan;
use crate::run::plan::existing::{
    Existing, check_kinds, outputs, remove_leftovers, remove_output_shares, remove_sides,
};
use crate::run::plan::output::Destination;
use crate::run::state::archive::ArchiveState;
use crate::run::state::checkpoint::{Checkpoint, ContinuedRun};
use crate::run::write::manifest;
use crate::run::write::side_output::remove_shares;

impl Plan {
    /// Returns whether a run of this plan has anything to do, found out before the work of a first pass. Nothing is
    /// changed.
    ///
    /// # Errors
    /// If it would be refused.
    pub fn has_work(&self, existing: Existing) -> Result<bool, RunError> {
        let continued = find_continued(self, existing)?;
        Ok(!continued.is_some_and(|continued| continued.is_done(self)))
    }
}

/// The run to be continued; none if one begins. Refuses files that must not be there.
fn find_continued(plan: &Plan, existing: Existing) -> Result<Option<ContinuedRun>, RunError> {
    plan.check_names(None)?;
    let path = plan.state_file();
    if existing == Existing::Resume {
        let path = path.as_deref().ok_or(ResumeError::Stream)?;
        if let Some(continued) = ContinuedRun::load(plan, path)? {
            return Ok(Some(continued));
        }
    }
    let outputs = outputs(plan)?;
    check_kinds(plan, &outputs)?;
    if existing != Existing::Overwrite {
        if let Some(path) = &path
            && Checkpoint::read(path)?.is_some_and(|state| !state.finished)
        {
            return Err(RunError::Interrupted(path.clone()));
        }
        if let Some(output) = outputs.first().cloned() {
            return Err(match existing {
                Existing::Resume => RunError::NoState(output),
                _ => RunError::Exists(output),
            });
        }
    }
    Ok(None)
}

/// The state to begin with: that of an interrupted or finished run if it is to be continued, else an empty
/// one.
pub(crate) fn begin(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<ContinuedRun, RunError> {
    let path = plan.state_file();
    if let Some(continued) = find_continued(plan, existing)? {
        tracing::info!(
            "continuing; inputs finished: {}, records read: {}",
            continued.contents.done.len(),
            continued.state.summary.records
        );
        let archives = continued.todo.iter().filter_map(|turn| turn.begun.as_ref());
        let kept: Vec<PathBuf> = archives.flat_map(ArchiveState::paths).map(Path::to_owned).collect();
        remove_left_shares(plan, disk, &kept)?;
        return Ok(continued);
    }
    if let (Existing::Resume, Some(path)) = (existing, &path) {
        tracing::info!("{}: no such state; starting afresh", path.display());
    }
    // Before its files are written over.
    if let Some(path) = path.filter(|path| path.exists()) {
        disk.remove(&path).map_err(|source| RunError::output(&path, source))?;
    }
    remove_leftovers(plan, disk)?;
    remove_left_shares(plan, disk, &[])?;
    remove_sides(plan, disk)?;
    Ok(ContinuedRun::new_run(plan))
}

/// Removes shares of archives in the outputs and in files beside them that no state names.
fn remove_left_shares(plan: &Plan, disk: &dyn Disk, kept: &[PathBuf]) -> Result<(), RunError> {
    let named = plan.side_files().into_iter();
    let files: Vec<PathBuf> = named.filter_map(|(path, _)| replaceable(&path).ok().flatten()).collect();
    remove_output_shares(plan, disk, kept)?;
    remove_shares(disk, files, kept)
}

/// Makes the folder of the outputs.
pub(crate) fn make_folder(plan: &Plan) -> Result<(), RunError> {
    match &plan.output.destination {
        Destination::Folder(folder) => fs::create_dir_all(folder).map_err(|source| RunError::output(folder, source)),
        _ => Ok(()),
    }
}

/// Removes the mark of completeness, and writes the files that do not depend on the inputs.
pub(crate) fn mark_begun(plan: &Plan, disk: &dyn Disk, existing: Existing) -> Result<(), RunError> {
    if let Destination::Folder(folder) = &plan.output.destination {
        // The mark of completeness goes first, so that it never stands beside unfinished outputs.
        manifest::begin(disk, folder).map_err(|source| RunError::output(folder, source))?;
    }
    if let Some(path) = plan.output.mapping_path()
        && (existing == Existing::Overwrite || !path.exists())
    {
        // Settings that somebody changed stay.
        write_mapping(disk, &path).map_err(|source| RunError::output(&path, source))?;
    }
    Ok(())
}

fn write_mapping(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let new = hidden(path, "tmp")?;
    let mut file = disk.create(&new)?;
    file.write_all(BULK_MAPPING.as_bytes())?;
    file.sync()?;
    // Some systems refuse to rename an open file.
    drop(file);
    disk.rename(&new, path)
}
