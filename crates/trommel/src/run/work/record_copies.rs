//! Copies of records for other tools, and lines about dropped records.
//!
//! Failed records become WARC records that can be run again, dropped ones a line of JSON (`--dropped`). A copied record
//! has a line in an index.

use std::{io, io::Write as _};

use serde::Serialize;
use serde_json::json;
use trommel_archive::{Record, write::gzip_member, write::write_record};
use trommel_record::{RecordSource, id, record_id, source};

use crate::run::counts::reasons::{DropReason, FailureKind};

/// Facts about a record for its line in the list of dropped records.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RecordLabel {
    /// WARC-Record-ID of the record, or the id derived from its place.
    id: String,
    url: Option<String>,
    date: Option<String>,
    /// Name of the reason for the drop; empty until the record is dropped.
    reason: &'static str,
    source: RecordSource,
}

impl RecordLabel {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            id: id(record),
            url: record.url().map(str::to_owned),
            date: record.date().map(str::to_owned),
            reason: "",
            source: source(&record.place),
        }
    }

    /// Returns the line of JSON about a record that was dropped for `reason`.
    pub(crate) fn line(&self, reason: DropReason) -> Vec<u8> {
        // Strings and numbers always have a form.
        let mut line = serde_json::to_vec(&Self { reason: reason.name(), ..self.clone() }).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// Number of the file for failed records (the quarantine). The next numbers are the list of dropped records, and the
/// files of copies, each followed by its index.
pub(crate) const QUARANTINE: usize = 0;
pub(crate) const DROPPED: usize = 1;
pub(crate) const COPIES: usize = 2;

/// Returns the copy of a record and an index line with the place of the original, each with the number of its file.
/// `file` is the position of the copy's file among the files of copies. Empty if the record cannot be copied.
pub(crate) fn copied(file: usize, record: &Record, id: &str, media_type: &str) -> Vec<(usize, Vec<u8>)> {
    let number = COPIES + 2 * file;
    match record_member(record, id) {
        Ok(member) => vec![(number, member), (number + 1, line(record, media_type))],
        Err(_) => Vec::new(),
    }
}

/// Returns a CDXJ index line with the place of a record in its archive. Its sort key is the URL as it is, and the date.
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

const VERSION: &str = "WARC/1.1";

/// Returns two gzip members about a failed record: the record, and a metadata record with reason, place and message.
/// The same record and failure give the same bytes. `id` is the record's id, or the one derived from its place.
///
/// # Errors
/// No error is known, because fields that a WARC record cannot have are corrected before.
pub(crate) fn failed_members(
    record: &Record,
    charset: Option<&str>,
    id: &str,
    kind: FailureKind,
    message: &str,
) -> io::Result<Vec<u8>> {
    let mut out = record_member(record, id)?;
    let (own, about) = (format!("<{}>", record_id(&["quarantine", id, kind.name()])), format!("<{id}>"));
    let field = |name| record.headers.get(name).unwrap_or_default();
    let mut fields = vec![
        ("WARC-Type", "metadata"),
        ("WARC-Record-ID", &own),
        // Archive tools find what is said about a record by this field.
        ("WARC-Concurrent-To", &about),
        ("WARC-Target-URI", field("WARC-Target-URI")),
        ("WARC-Date", field("WARC-Date")),
        ("Content-Type", "application/warc-fields"),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    let mut block = format!(
        "reason: {kind}\r\nfile: {}\r\noffset: {}\r\nlength: {}\r\ninner: {}\r\nmessage: {}\r\n",
        one_line(&record.place.file),
        record.place.offset,
        record.place.length,
        record.place.inner,
        one_line(message),
    );
    for note in &record.notes {
        block.push_str(&format!("note: {}\r\n", one_line(&note.to_string())));
    }
    // Under the name that crawls use for it, so that a run over this file finds it again.
    if let Some(charset) = charset {
        block.push_str(&format!("charset-detected: {}\r\n", one_line(charset)));
    }
    out.extend(member(&fields, block.as_bytes())?);
    Ok(out)
}

/// Returns a gzip member with a record, whose `Content-Length` is computed anew. A record without an id gets `id`.
pub(crate) fn record_member(record: &Record, id: &str) -> io::Result<Vec<u8>> {
    // The block may be shorter than stated; its length is written anew.
    let (length, own) = (record.block.len().to_string(), format!("<{id}>"));
    let is_kept = |name: &str| record.id().is_some() || !name.eq_ignore_ascii_case("WARC-Record-ID");
    let fields = record.headers.iter().filter(|(name, _)| !name.is_empty() && is_kept(name));
    let fields = fields.map(|(name, value)| match name.eq_ignore_ascii_case("Content-Length") {
        true => (name, length.as_str()),
        false => (name, value),
    });
    let added = record.id().is_none().then_some(("WARC-Record-ID", own.as_str()));
    member(&fields.chain(added).collect::<Vec<_>>(), &record.block)
}

fn member(fields: &[(&str, &str)], block: &[u8]) -> io::Result<Vec<u8>> {
    let mended = fields.iter().map(|(name, value)| (one_line(name).replace(':', " "), one_line(value)));
    let mended: Vec<(String, String)> = mended.collect();
    let fields: Vec<(&str, &str)> = mended.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut plain = Vec::with_capacity(block.len() + 1024);
    write_record(&mut plain, VERSION, &fields, block)?;
    // The usual level; a member for each record, so that each can be read by its offset.
    gzip_member(&plain, 6)
}

fn one_line(value: &str) -> String {
    // A line end in a value would begin another field, and let a page forge headers.
    value.replace(['\r', '\n'], " ")
}
