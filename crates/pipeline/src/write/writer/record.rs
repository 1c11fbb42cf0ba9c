//! Writes and counts the result of one record.

use trommel_archive::ResumePoint;
use trommel_filters::OrderedFilter as _;

use super::RunWriter;
use crate::counts::drop_reason::DropReason;
use crate::error::RunError;
use crate::stream::RunEvent;
use crate::work::task::{RecordVerdict, WorkerResult};

impl<T> RunWriter<'_, T> {
    pub(super) fn record(&mut self, mut result: WorkerResult<T>, point: Option<ResumePoint>) -> Result<(), RunError> {
        // Here and not in the workers: only the writer sees documents in the order of the records.
        if let RecordVerdict::Document { fingerprint, .. } = &result.verdict
            && let Some(reason) = self.duplicates.judge(fingerprint)
        {
            // Before anything is written or counted, so that a duplicate is a drop everywhere.
            result.verdict = RecordVerdict::Dropped(DropReason::Filtered(reason));
            // Nor does another extractor get it: no document would take its text.
            result.aside = None;
        }
        self.summary.forgotten = self.duplicates.forgotten();
        if let RecordVerdict::Document { forms, .. } = &mut result.verdict
            && let Some(item) = forms.item.take()
        {
            self.send_event(RunEvent::Document(item), point)?;
        }
        if let RecordVerdict::Document { forms, .. } = &result.verdict {
            let longest = self.outputs.write(&forms.encoded)?;
            self.frame.encoded = self.frame.encoded.saturating_add(longest);
            self.unsaved = self.unsaved.saturating_add(longest);
            self.report.outputs.extend(self.outputs.take_begun());
        }
        if let RecordVerdict::Failed { members, .. } = &result.verdict
            && !members.is_empty()
            && let Some(quarantine) = &mut self.sides.quarantine
        {
            quarantine.add(members)?;
            self.summary.quarantine = Some(quarantine.path().to_string_lossy().into_owned());
        }
        if let Some(aside) = &result.aside {
            self.sides.add_aside(aside)?;
            if let Some(path) = self.plan.copies().get(aside.place) {
                let path = path.to_string_lossy().into_owned();
                *self.summary.set_aside.entry(path).or_default() += 1;
            }
        }
        if let Some(metrics) = self.metrics {
            metrics.record();
            if let (Some(bytes), Some(timed)) = (result.page, &result.time) {
                metrics.page(bytes, timed.time);
            }
        }
        let (summary, report) = (&mut self.summary, &mut self.report);
        summary.records += 1;
        report.records += 1;
        if let Some(bytes) = result.page {
            summary.pages += 1;
            summary.page_bytes = summary.page_bytes.saturating_add(bytes);
        }
        if let Some(reason) = &result.truncated {
            summary.truncate(reason);
        }
        summary.cap(result.capped);
        if let Some(timed) = result.time {
            self.times.add(timed.time, || (timed.id, timed.file.to_string(), timed.offset));
        }
        match result.verdict {
            RecordVerdict::Document { text, confidence, .. } => {
                if let Some(metrics) = self.metrics {
                    metrics.document(f64::from(confidence), text);
                }
                summary.documents += 1;
                summary.empty += u64::from(text == 0);
                summary.text_bytes = summary.text_bytes.saturating_add(text);
                report.documents += 1;
            }
            RecordVerdict::Dropped(reason) => {
                if let Some(metrics) = self.metrics {
                    metrics.dropped(reason.name());
                }
                if let (Some(dropped), Some(label)) = (&mut self.sides.dropped, &result.label) {
                    dropped.add(&label.line(reason))?;
                }
                summary.drop(reason);
                report.drops += 1;
                if let Some(record) = result.label {
                    self.send_event(RunEvent::Dropped { record, reason }, point)?;
                }
            }
            RecordVerdict::Failed { kind, message, .. } => {
                tracing::error!("{message}");
                if let Some(metrics) = self.metrics {
                    metrics.failed(kind.name());
                }
                summary.fail(kind);
                report.failures += 1;
                self.send_event(RunEvent::Failed { kind, message }, point)?;
            }
        }
        Ok(())
    }
}
