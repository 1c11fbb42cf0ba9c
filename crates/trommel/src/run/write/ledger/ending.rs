//! The end of a run: gives complete files their names, or removes incomplete files.

use std::mem::take;
use std::path::Path;

use trommel_record::{discard, hidden};

use super::{Ledger, Work, publish_all};
use crate::run::counts::summary::{FileReport, Outcome, Summary};
use crate::run::state::inputs::{self, OutputsState};
use crate::run::{plan::existing::remove_files, plan::output::Destination, write::manifest};
use crate::{Error, Result};

impl Ledger<'_> {
    /// Completes all remaining files, and saves on disk that the run is finished.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.join()?;
        // First of all: outputs whose counts do not add up must not get their names.
        if let Some(mismatch) = self.summary.mismatch() {
            return Err(mismatch.into());
        }
        self.sync_journal()?;
        self.outputs.complete(true)?;
        self.saved.complete.append(&mut self.waiting);
        self.saved.complete.append(&mut self.outputs.complete);
        self.saved.outputs = OutputsState::default();
        self.saved.duplicates = self.duplicates.state();
        self.saved.archives.clear();
        self.note_counts()?;
        if !self.saved.complete.is_empty() {
            self.write_state()?;
        }
        publish_all(self.plan, self.saved.complete.clone(), |file, listed| self.add_published(file, listed))?;
        for share in take(&mut self.joined) {
            discard(self.plan.disk, &share);
        }
        self.end_state()
    }

    /// Marks the output folder as complete. Keeps the state so that inputs can be added later, or removes it.
    fn end_state(&mut self) -> Result<()> {
        let outcome = self.summary.outcome();
        if let Destination::Folder(folder) = &self.plan.run.output.destination
            && outcome != Outcome::Nothing
        {
            manifest::complete(self.plan.disk, folder, &self.files).map_err(Error::output(folder))?;
        }
        let Some(path) = self.plan.state_file.clone() else { return Ok(()) };
        let mut left = vec![path];
        match &self.plan.finished_file {
            Some(finished) if outcome != Outcome::Nothing => {
                self.note_counts()?;
                let journal = self.plan.run.journal_file().unwrap_or_default();
                let read = hidden(&journal, "tmp").and_then(|file| inputs::read(&file, &self.saved.journal));
                let bytes = read.map_err(Error::output(&journal))?;
                self.saved.contents = Some(bytes);
                self.saved.save(self.plan.disk, finished).map_err(Error::output(finished))?;
            }
            // There is nothing to come back to, or nobody will.
            finished => left.extend(finished.clone()),
        }
        remove_files(self.plan.disk, left)?;
        self.plan.run.discard_state(self.plan.disk);
        Ok(())
    }

    /// Removes the unfinished files of a run, unless a saved state allows the run to be continued.
    pub(crate) fn abandon(&mut self) {
        // With a saved state the unfinished files are what `--resume` continues.
        if self.plan.state_file.as_deref().is_some_and(Path::exists) {
            return;
        }
        self.joined.extend(self.works.iter().flat_map(|work| work.state.paths()));
        self.joined.extend(self.outputs.abandon());
        self.joined.extend(take(&mut self.waiting).into_iter().map(|file| file.path));
        for file in &self.joined {
            discard(self.plan.disk, file);
        }
        self.journal = None;
        self.plan.run.discard_state(self.plan.disk);
    }

    /// Returns the final counts of the run, including those of archives that are unfinished or wait for an earlier one.
    pub(crate) fn take_summary(&mut self) -> Summary {
        for Work { state, .. } in take(&mut self.works) {
            if !state.is_ended && state.report == FileReport::default() {
                continue;
            }
            self.summary.add(state.summary);
            self.times.join(state.times);
            let report = FileReport { file: state.identity.name, ..state.report };
            let is_later_piece = state.piece.is_some_and(|piece| piece.number > 0);
            let goes_on = is_later_piece && self.summary.files.last().is_some_and(|last| last.file == report.file);
            self.add_report(report, goes_on);
        }
        self.summary.time(&self.times);
        take(&mut self.summary)
    }

    /// Returns the sum of the counts of the run's earlier parts.
    pub(crate) fn counts_so_far(&self) -> Summary {
        let mut summary = self.summary.clone();
        let left = self.todo.iter().flat_map(|turn| &turn.begun);
        left.chain(&self.visits).for_each(|archive| summary.add(archive.summary.clone()));
        summary
    }
}
