//! Saves the state of the run when enough is written or read, and publishes complete outputs.

use std::path::Path;

use trommel_archive::ResumePoint;
use trommel_filters::DuplicatesState;
use trommel_output::{Assemble, OutputError, hidden, open_own, publish};

use super::{FrameCounts, RunWriter};
use crate::counts::summary::Outcome;
use crate::error::RunError;
use crate::plan::output::Destination;
use crate::state::checkpoint::Current;
use crate::state::journal::JournalEntry;
use crate::write::manifest::{self, ManifestFile};
use crate::write::outputs::{CompleteFile, OutputsState};

/// Records after which the state is saved even if they gave few bytes.
// Archives of images give next to no bytes, and hours of reading must not be lost with them.
const MAX_UNSAVED_RECORDS: u64 = 1 << 16;
/// Bytes of blocks, in frames, after which the state is saved even if they gave few bytes: reading and
/// dropping so many again takes a few seconds.
const BLOCKS_A_FRAME: u64 = 64;

impl<T> RunWriter<'_, T> {
    /// Whether enough was written or read since the frame began that it ends, and the state is saved.
    pub(super) fn is_frame_full(&self) -> bool {
        let FrameCounts { encoded, records, blocks } = self.frame;
        // Saving must not cost more than writing, however much there is to remember.
        let frame = self.plan.frame().max(self.duplicates.bytes());
        let read_enough = blocks >= self.plan.frame().saturating_mul(BLOCKS_A_FRAME);
        encoded >= frame || records >= MAX_UNSAVED_RECORDS || read_enough
    }

    /// Whether saving costs no more than what was written since, however much the filters of duplicates
    /// remember.
    pub(super) fn is_worth_saving(&self) -> bool {
        // The memory of duplicates is saved as a whole, so a state can be hundreds of megabytes.
        self.unsaved >= self.duplicates.bytes()
    }

    /// A read error in the middle of an archive ends the run, so that its shard does not pass for
    /// complete; but not if it did so before.
    pub(super) fn stop_unless_known(&mut self, error: &str) -> Result<(), RunError> {
        if self.state_file.is_none() || self.saved.failed.as_deref() == Some(error) {
            return Ok(());
        }
        self.saved.failed = Some(error.to_owned());
        self.save()?;
        Err(RunError::Input(error.to_owned()))
    }

    /// Ends the frame, and saves the state if it is known where reading goes on.
    pub(super) fn end_frame(&mut self, point: Option<ResumePoint>) -> Result<(), RunError> {
        self.frame = FrameCounts::default();
        // In the middle of something that cannot be continued there is no state to save.
        if self.state_file.is_some() && point.is_none() {
            return self.outputs.end_frame();
        }
        if self.state_file.is_some() {
            let outputs = self.outputs.checkpoint()?;
            self.note(point, outputs)?;
            self.saved.complete = self.outputs.take_complete();
            self.save()?;
        } else {
            self.outputs.end_frame()?;
            self.saved.complete = self.outputs.take_complete();
        }
        self.publish_complete()
    }

    /// Saves that outputs are complete, and at the end of the run the files beside them as well.
    pub(super) fn save_complete(&mut self, last: bool) -> Result<(), RunError> {
        let sides = if last { self.sides.save(true)? } else { Vec::new() };
        let complete = self.outputs.take_complete();
        self.note(None, OutputsState::default())?;
        self.saved.complete = complete;
        self.saved.complete_sides = sides;
        if self.saved.has_complete() { self.save() } else { Ok(()) }
    }

    /// Takes note of the present state.
    pub(super) fn note(&mut self, point: Option<ResumePoint>, outputs: OutputsState) -> Result<(), RunError> {
        self.saved.sides = self.sides.save(false)?;
        let earlier = self.summary.seconds;
        if let Some(journal) = &mut self.journal {
            // The journal first: a state may count only entries that are on disk.
            self.saved.journal = journal.sync()?;
        }
        self.saved.current = point.map(|point| Current {
            identity: self.identity.clone(),
            point: Some(point),
            report: self.report.clone(),
        });
        self.unsaved = 0;
        self.saved.outputs = outputs;
        self.saved.complete = Vec::new();
        self.saved.complete_sides = Vec::new();
        self.saved.summary = self.summary.clone();
        self.saved.summary.seconds = earlier + self.begin.elapsed().as_secs_f64();
        self.saved.times = self.times.clone();
        // The one before goes first, so that there are never three of them.
        self.saved.duplicates = DuplicatesState::default();
        self.saved.duplicates = self.duplicates.state();
        Ok(())
    }

    pub(super) fn save(&self) -> Result<(), RunError> {
        match &self.state_file {
            Some(path) => self.saved.save(self.disk, path).map_err(|source| RunError::output(path, source)),
            None => Ok(()),
        }
    }

    /// Checks the files that an interrupted run left complete, before they are given their names.
    pub(super) fn check_complete(&self) -> Result<(), RunError> {
        let saved = &self.saved;
        let files = saved.complete.iter().map(|CompleteFile { file, extent }| {
            let encoding = self.plan.output.encodings.get(file.encoding);
            let format = encoding.map(|encoding| encoding.format);
            let is_assembled = format.is_some_and(|format| self.plan.assemble.contains_key(&format));
            (&file.path, extent, is_assembled)
        });
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

    /// Gives the complete files of an interrupted run their names, and saves that it did. This comes before new
    /// data for a file beside the outputs: that goes to its hidden name again, and the old state would take it
    /// for the complete file.
    pub(super) fn publish_left_complete(&mut self) -> Result<(), RunError> {
        let any = self.saved.has_complete();
        // After saving: a name is given only to what a state says is complete.
        self.publish_complete()?;
        if !any {
            return Ok(());
        }
        if let Some(journal) = &mut self.journal {
            self.saved.journal = journal.sync()?;
        }
        self.save()
    }

    /// Gives the files that are complete their names, and lists those of a folder.
    pub(super) fn publish_complete(&mut self) -> Result<(), RunError> {
        for CompleteFile { file, extent } in std::mem::take(&mut self.saved.complete) {
            let Some(encoding) = self.plan.output.encodings.get(file.encoding) else { continue };
            let assemble = self.plan.assemble.get(&encoding.format);
            self.publish(&file.path, assemble.map(|assemble| &**assemble))?;
            let (bytes, sha256) = match (&self.plan.output.destination, assemble) {
                (Destination::Folder(_), None) => (extent.length, Some(extent.hex())),
                (Destination::Folder(_), Some(_)) => {
                    manifest::size_and_digest(&file.path).map_err(|source| RunError::output(&file.path, source))?
                }
                // Nobody lists it.
                _ => (0, None),
            };
            let name = file.path.file_name().unwrap_or_default();
            let listed = ManifestFile {
                name: name.to_string_lossy().into_owned(),
                format: encoding.format.to_string(),
                inputs: vec![file.input],
                documents: file.documents,
                bytes,
                sha256,
            };
            if let Some(journal) = &mut self.journal {
                journal.add(&JournalEntry::File(listed.clone()))?;
            }
            self.files.push(listed);
        }
        for side in std::mem::take(&mut self.saved.complete_sides) {
            self.publish(&side.path, None)?;
        }
        Ok(())
    }

    /// Writes the manifest of a folder and marks it as complete, if anything could be read.
    pub(super) fn mark(&mut self) -> Result<(), RunError> {
        match &self.plan.output.destination {
            Destination::Folder(folder) if self.outcome() != Outcome::Nothing => {
                manifest::complete(self.disk, folder, &self.files).map_err(|source| RunError::output(folder, source))
            }
            _ => Ok(()),
        }
    }

    fn publish(&self, path: &Path, assemble: Option<&dyn Assemble>) -> Result<(), RunError> {
        publish(self.disk, path, assemble).map_err(|error| match error {
            OutputError::Io(source) => RunError::output(path, source),
            error => RunError::Encode(error),
        })
    }
}
