//! Writes and counts the result of one record.

use trommel_archive::ResumePoint;
use trommel_record::filters::OrderedFilter as _;

use super::{LaneWriter, OpenArchive};
use crate::run::error::{RunError, RunEvent};
use crate::run::work::task::{RecordVerdict, WorkerResult};
use crate::{metrics::Metrics, run::counts::reasons::DropReason, run::state::remaining::ArchiveState};

impl<T> LaneWriter<'_, '_, '_, T> {
    /// Writes and counts the result of a record.
    pub(super) fn record(
        &mut self,
        mut result: WorkerResult<T>,
        bytes: u64,
        point: Option<ResumePoint>,
    ) -> Result<(), RunError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        // Here and not in the workers: only the writer sees documents in the order of the records.
        if let RecordVerdict::Document { fingerprint, .. } = &result.verdict
            && let Some(reason) = archive.duplicates.judge(fingerprint)
        {
            // Before anything is written or counted, so that a duplicate is a drop everywhere.
            result.verdict = RecordVerdict::Dropped(DropReason::Filtered(reason));
            // Nor does another extractor get it: no document would take its text.
            result.aside = None;
        }
        archive.state.summary.forgotten = archive.duplicates.forgotten();
        archive.frame.records += 1;
        archive.frame.blocks = archive.frame.blocks.saturating_add(bytes);
        if let RecordVerdict::Document { forms, .. } = &mut result.verdict {
            if let Some(item) = forms.item.take() {
                self.send_event(|| RunEvent::Document(item), point)?;
            }
            self.write(&forms.encoded)?;
        }
        self.write_sides(&result)?;
        self.count(&result);
        match result.verdict {
            RecordVerdict::Dropped(reason) => match result.label {
                Some(record) => self.send_event(|| RunEvent::Dropped { record, reason }, point),
                None => Ok(()),
            },
            RecordVerdict::Failed { kind, message, .. } => {
                if let Some(archive) = &mut self.archive {
                    archive.tell(true, message.clone());
                }
                self.send_event(|| RunEvent::Failed { kind, message }, point)
            }
            RecordVerdict::Document { .. } => Ok(()),
        }
    }

    fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<(), RunError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        if let Some(stdout) = &mut self.stdout {
            stdout.write(encoded)?;
        }
        let longest = archive.outputs.write(encoded)?;
        archive.frame.encoded = archive.frame.encoded.saturating_add(longest);
        archive.unsaved = archive.unsaved.saturating_add(longest);
        archive.state.report.outputs.extend(archive.outputs.take_begun());
        Ok(())
    }

    /// Writes the entries of files beside the outputs.
    fn write_sides(&mut self, result: &WorkerResult<T>) -> Result<(), RunError> {
        let Some(OpenArchive { state, sides, .. }) = &mut self.archive else { return Ok(()) };
        match &result.verdict {
            RecordVerdict::Failed { members, .. } if !members.is_empty() => {
                if let Some(quarantine) = &mut sides.quarantine {
                    quarantine.add(members)?;
                    state.summary.quarantine = Some(quarantine.path().to_string_lossy().into_owned());
                }
            }
            RecordVerdict::Dropped(reason) => {
                if let (Some(dropped), Some(label)) = (&mut sides.dropped, &result.label) {
                    dropped.add(&label.line(*reason))?;
                }
            }
            _ => {}
        }
        let Some(aside) = &result.aside else { return Ok(()) };
        sides.add_aside(aside)?;
        if let Some(path) = self.writing.plan.copies.get(aside.place) {
            *state.summary.set_aside.entry(path.to_string_lossy().into_owned()).or_default() += 1;
        }
        Ok(())
    }

    fn count(&mut self, result: &WorkerResult<T>) {
        let Some(archive) = &mut self.archive else { return };
        let ArchiveState { summary, report, times, .. } = &mut archive.state;
        summary.records += 1;
        report.records += 1;
        if let Some(bytes) = result.page {
            summary.pages += 1;
            summary.page_bytes = summary.page_bytes.saturating_add(bytes);
        }
        if let Some(reason) = &result.truncated {
            summary.truncate(reason);
        }
        summary.cap(&result.capped);
        if let Some(timed) = &result.time {
            times.add(timed.time, || (timed.id.clone(), timed.file.to_string(), timed.offset));
        }
        match &result.verdict {
            RecordVerdict::Document { text, .. } => {
                summary.documents += 1;
                summary.empty += u64::from(*text == 0);
                summary.text_bytes = summary.text_bytes.saturating_add(*text);
                report.documents += 1;
            }
            RecordVerdict::Dropped(reason) => {
                summary.drop(*reason);
                report.drops += 1;
            }
            RecordVerdict::Failed { kind, .. } => {
                summary.fail(*kind);
                report.failures += 1;
            }
        }
        let is_document = matches!(result.verdict, RecordVerdict::Document { .. });
        let is_failure = matches!(result.verdict, RecordVerdict::Failed { .. });
        self.writing.counters.record(result.page.is_some(), is_document, is_failure);
        if let Some(metrics) = self.writing.metrics {
            measure(metrics, result);
        }
    }
}

/// Counts a result for Prometheus.
fn measure<T>(metrics: &Metrics, result: &WorkerResult<T>) {
    metrics.record();
    if let (Some(bytes), Some(timed)) = (result.page, &result.time) {
        metrics.page(bytes, timed.time);
    }
    match &result.verdict {
        RecordVerdict::Document { text, confidence, .. } => metrics.document(f64::from(*confidence), *text),
        RecordVerdict::Dropped(reason) => metrics.dropped(reason.name()),
        RecordVerdict::Failed { kind, .. } => metrics.failed(kind.name()),
    }
}
