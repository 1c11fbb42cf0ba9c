//! Writes and counts the result of one record.

use std::time::Duration;

use super::{Common, LaneWriter, OpenArchive};
use crate::Result;
use crate::run::counts::{reasons::DropReason, summary::count};
use crate::run::state::inputs::ArchiveState;
use crate::run::work::record_copies::{DROPPED, QUARANTINE};
use crate::run::work::task::{RecordVerdict, WorkerResult};

impl LaneWriter<'_, '_, '_> {
    /// Writes the result of a record to the outputs, and counts it.
    pub(super) fn record(&mut self, mut result: WorkerResult, bytes: u64) -> Result<()> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        if let Some(mut ledger) = self.common.direct() {
            let duplicates = &mut ledger.duplicates;
            // Here and not in the workers: only the writer sees documents in the order of the records.
            if let RecordVerdict::Document(forms) = &result.verdict
                && let Some(reason) = duplicates.judge(&forms.fingerprint)
            {
                // Before anything is written or counted, so that a duplicate is a drop everywhere.
                result.verdict = RecordVerdict::Dropped(DropReason::Filtered(reason));
                // Nor does another extractor get it: no document would take its text.
                result.sides.clear();
            }
            archive.state.summary.forgotten = duplicates.forgotten();
        }
        archive.frame.records += 1;
        archive.frame.blocks = archive.frame.blocks.saturating_add(bytes);
        match &mut result.verdict {
            RecordVerdict::Document(forms) => {
                if let (Some(item), Some(take)) = (forms.item.take(), &mut self.take) {
                    take(*item)?;
                }
                self.stdout.write(&forms.encoded)?;
                let (longest, part_ended) = archive.write(self.common, |outputs| outputs.write(&forms.encoded))?;
                archive.frame.encoded = archive.frame.encoded.saturating_add(longest);
                archive.frame.part_ended |= part_ended;
                if let Some(mut ledger) = self.common.direct() {
                    ledger.unsaved = ledger.unsaved.saturating_add(longest);
                }
            }
            RecordVerdict::Failed { message, .. } => tracing::error!("{message}"),
            RecordVerdict::Dropped(_) => {}
        }
        archive.write_sides(self.common, &result)?;
        self.common.count(&mut archive.state, &result);
        Ok(())
    }
}

impl<'a> OpenArchive<'a> {
    /// Writes the copies and lines of a result into the side files (failed, dropped, copied records).
    fn write_sides(&mut self, common: &Common<'a>, result: &WorkerResult) -> Result<()> {
        let mut direct = common.direct();
        let outputs = direct.as_mut().map(|ledger| &mut ledger.outputs).or(self.outputs.as_mut());
        let Some(outputs) = outputs else { return Ok(()) };
        for (number, bytes) in &result.sides {
            outputs.add(*number, bytes)?;
        }
        if let (RecordVerdict::Dropped(reason), Some(label)) = (&result.verdict, &result.label) {
            outputs.add(DROPPED, &label.line(*reason))?;
        }
        if let Some((number, _)) = result.sides.first()
            && let Some(Some((path, _))) = common.plan.sides.get(*number)
        {
            let (named, summary) = (path.to_string_lossy().into_owned(), &mut self.state.summary);
            match *number {
                QUARANTINE => summary.quarantine = Some(named),
                _ => count(&mut summary.set_aside, named, 1),
            }
        }
        Ok(())
    }
}

impl Common<'_> {
    /// Adds a result to the counts of its archive, of the run's progress and of the monitoring.
    fn count(&self, archive: &mut ArchiveState, result: &WorkerResult) {
        let ArchiveState { summary, report, times, .. } = archive;
        let (mut counts, metrics) = (self.counts(), self.metrics);
        summary.records += 1;
        report.records += 1;
        counts.records += 1;
        metrics.record();
        if let Some((bytes, timed)) = &result.page {
            summary.pages += 1;
            summary.page_bytes = summary.page_bytes.saturating_add(*bytes);
            times.add(timed);
            counts.pages += 1;
            metrics.page(*bytes, Duration::from_secs_f64(timed.seconds));
        }
        if let Some(reason) = &result.truncated {
            summary.truncate(reason);
        }
        for name in &result.capped {
            count(&mut summary.capped, name.clone(), 1);
        }
        match &result.verdict {
            RecordVerdict::Document(forms) => {
                summary.documents += 1;
                summary.empty += u64::from(forms.text == 0);
                summary.text_bytes = summary.text_bytes.saturating_add(forms.text);
                report.documents += 1;
                counts.documents += 1;
                metrics.document(f64::from(forms.confidence), forms.text);
            }
            RecordVerdict::Dropped(reason) => {
                count(&mut summary.drops, *reason, 1);
                report.drops += 1;
                counts.dropped += 1;
                metrics.dropped(reason.name());
            }
            RecordVerdict::Failed { kind, .. } => {
                count(&mut summary.failures, *kind, 1);
                report.failures += 1;
                counts.failures += 1;
                metrics.failed(kind.name());
            }
        }
    }
}
