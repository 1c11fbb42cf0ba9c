//! Writes and counts the result of one record.

use std::path::Path;

use trommel_filters::OrderedFilter as _;

use super::RunWriter;
use crate::{
    counts::drop_reason::DropReason,
    error::RunError,
    work::task::{Made, RecordVerdict},
};

impl RunWriter<'_> {
    pub(super) fn record(&mut self, mut made: Made) -> Result<(), RunError> {
        // Here and not in the workers: only the writer sees documents in the order of the records.
        if let RecordVerdict::Document { fingerprint, .. } = &made.verdict
            && let Some(reason) = self.duplicates.judge(fingerprint)
        {
            // Before anything is written or counted, so that a duplicate is a drop everywhere.
            made.verdict = RecordVerdict::Dropped(DropReason::Filtered(reason));
        }
        self.summary.forgotten = self.duplicates.forgotten();
        if let RecordVerdict::Document { record, .. } = &mut made.verdict
            && let (Some(record), Some(take)) = (record.take(), &mut self.documents)
        {
            take(*record).map_err(|source| RunError::output(Path::new("-"), source))?;
        }
        if let RecordVerdict::Document { encoded, .. } = &made.verdict {
            let longest = self.outputs.write(encoded)?;
            self.since.encoded = self.since.encoded.saturating_add(longest);
            self.unsaved = self.unsaved.saturating_add(longest);
            self.report.outputs.extend(self.outputs.take_begun());
        }
        if let RecordVerdict::Failed { members, .. } = &made.verdict
            && !members.is_empty()
            && let Some(quarantine) = &mut self.sides.quarantine
        {
            quarantine.add(members).map_err(|source| RunError::output(quarantine.path(), source))?;
            let path = quarantine.path().to_string_lossy().into_owned();
            self.summary.quarantine = Some(path);
        }
        if let Some(aside) = &made.aside {
            self.aside.add(aside).map_err(|(path, source)| RunError::output(&path, source))?;
            if let Some(own) = self.plan.set_aside.get(aside.place) {
                let path = own.path.to_string_lossy().into_owned();
                *self.summary.set_aside.entry(path).or_default() += 1;
            }
        }
        if let Some(metrics) = self.metrics {
            metrics.record();
            if let (Some(bytes), Some(timed)) = (made.page, &made.time) {
                metrics.page(bytes, timed.time);
            }
        }
        let (summary, report) = (&mut self.summary, &mut self.report);
        summary.records += 1;
        report.records += 1;
        if let Some(bytes) = made.page {
            summary.pages += 1;
            summary.page_bytes = summary.page_bytes.saturating_add(bytes);
        }
        if let Some(reason) = &made.truncated {
            summary.truncate(reason);
        }
        summary.cap(made.capped);
        if let Some(timed) = made.time {
            self.times.add(timed.time, || (timed.id, timed.file.to_string(), timed.offset));
        }
        match made.verdict {
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
                if let (Some(dropped), Some(about)) = (&mut self.sides.dropped, made.about) {
                    dropped.add(&about.line(reason)).map_err(|source| RunError::output(dropped.path(), source))?;
                }
                summary.drop(reason);
                report.drops += 1;
            }
            RecordVerdict::Failed { kind, message, .. } => {
                tracing::error!("{message}");
                if let Some(metrics) = self.metrics {
                    metrics.failed(kind.name());
                }
                summary.fail(kind);
                report.failures += 1;
            }
        }
        Ok(())
    }
}
