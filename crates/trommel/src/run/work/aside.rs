//! Copies a record for another tool, with its line in an index.

use std::io::Write as _;

use serde_json::json;
use trommel_archive::Record;

use crate::run::plan::set_aside::SetAside;
use crate::run::work::quarantine::record_member;

/// A record that is set aside.
#[derive(Debug)]
pub(crate) struct AsideRecord {
    /// The number of the plan's file that takes it.
    pub(crate) place: usize,
    /// The record as a gzip member.
    pub(crate) member: Vec<u8>,
    /// Its line in the index.
    pub(crate) line: Vec<u8>,
}

impl AsideRecord {
    /// The copy of a record that is no page, if one of `all` takes its kind.
    pub(crate) fn of(all: &[SetAside], record: &Record, id: &str, media_type: &str) -> Option<Self> {
        // The first that takes it: a record is kept once.
        let place = all.iter().position(|set_aside| set_aside.keeps(media_type))?;
        Self::new(place, record, id, media_type)
    }

    /// The copy of a record for the file of that number.
    pub(crate) fn new(place: usize, record: &Record, id: &str, media_type: &str) -> Option<Self> {
        let member = record_member(record, id).ok()?;
        Some(Self { place, member, line: line(record, media_type) })
    }
}

/// The place of a record as a line of CDXJ. The sort key is the unchanged URL and the date.
fn line(record: &Record, media_type: &str) -> Vec<u8> {
    let digits = |date: &str| -> String {
        let digits = date.chars().filter(char::is_ascii_digit);
        digits.take(14).collect()
    };
    let date = record.date().map(digits).unwrap_or_default();
    let url = record.url().unwrap_or("-");
    let key: String = url.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let mut fields = json!({
        "url": url,
        "mime": media_type,
        "filename": &*record.place.file,
        "offset": record.place.offset.to_string(),
        "length": record.place.length.to_string(),
    });
    if record.place.inner > 0 {
        // Otherwise `--select` would take the first record of the gzip member.
        fields["inner"] = record.place.inner.to_string().into();
    }
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = writeln!(line, "{key} {date} {fields}");
    line
}
