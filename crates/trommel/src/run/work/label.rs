//! Writes a JSON line about each dropped record (`--dropped`).

use serde::Serialize;
use trommel_archive::Record;
use trommel_record::RecordSource;

use crate::run::{counts::drop_reason::DropReason, work::id::id};

/// Names a record that has no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLabel {
    /// WARC-Record-ID without angle brackets.
    pub id: String,
    /// Its URL.
    pub url: Option<String>,
    /// Its date.
    pub date: Option<String>,
    /// Its place.
    pub source: RecordSource,
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    url: Option<&'a str>,
    date: Option<&'a str>,
    reason: &'static str,
    source: &'a RecordSource,
}

impl RecordLabel {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            id: id(record),
            url: record.url().map(str::to_owned),
            date: record.date().map(str::to_owned),
            source: RecordSource::from(&record.place),
        }
    }

    /// A JSON line.
    pub(crate) fn line(&self, reason: DropReason) -> Vec<u8> {
        let line = Line {
            id: &self.id,
            url: self.url.as_deref(),
            date: self.date.as_deref(),
            reason: reason.name(),
            source: &self.source,
        };
        // Strings and numbers always have a form.
        let mut line = serde_json::to_vec(&line).unwrap_or_default();
        line.push(b'\n');
        line
    }
}
