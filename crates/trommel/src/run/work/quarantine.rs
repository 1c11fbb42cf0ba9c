//! Writes failed records as WARC records that can be run again.

use std::io;

use trommel_archive::Record;
use trommel_archive::write::{gzip_member, write_record};
use trommel_record::record_id;

use crate::run::counts::drop_reason::FailureKind;

const VERSION: &str = "WARC/1.1";

/// A record that failed.
pub(crate) struct FailedRecord<'a> {
    /// Its id, or the one derived from its place.
    pub(crate) id: &'a str,
    pub(crate) record: &'a Record,
    /// The encoding that the crawl's metadata record gives for it.
    pub(crate) charset: Option<&'a str>,
}

impl FailedRecord<'_> {
    /// The record as a gzip member, and after it another with a metadata record about it: reason,
    /// place and message. The same record and failure give the same bytes.
    ///
    /// # Errors
    /// None is known: fields that a WARC record can't have are mended before.
    pub(crate) fn members(&self, kind: FailureKind, message: &str) -> io::Result<Vec<u8>> {
        let bracketed = format!("<{}>", one_line(self.id));
        let mut out = record_member(self.record, self.id)?;
        let id = record_id(&["quarantine", self.id, kind.name()]);
        let mut about = vec![
            ("WARC-Type".to_owned(), "metadata".to_owned()),
            ("WARC-Record-ID".to_owned(), format!("<{id}>")),
            // Archive tools find what is said about a record by this field.
            ("WARC-Concurrent-To".to_owned(), bracketed),
        ];
        for name in ["WARC-Target-URI", "WARC-Date"] {
            let value = self.record.headers.get(name).filter(|value| !value.is_empty());
            about.extend(value.map(|value| (name.to_owned(), one_line(value))));
        }
        about.push(("Content-Type".to_owned(), "application/warc-fields".to_owned()));
        let mut block = format!(
            "reason: {kind}\r\nfile: {}\r\noffset: {}\r\nlength: {}\r\ninner: {}\r\nmessage: {}\r\n",
            one_line(&self.record.place.file),
            self.record.place.offset,
            self.record.place.length,
            self.record.place.inner,
            one_line(message),
        );
        for note in &self.record.notes {
            block.push_str(&format!("note: {}\r\n", one_line(&note.to_string())));
        }
        // Under the name that crawls use for it, so that a run over this file finds it again.
        if let Some(charset) = self.charset {
            block.push_str(&format!("charset-detected: {}\r\n", one_line(charset)));
        }
        out.extend(member(&about, block.as_bytes())?);
        Ok(out)
    }
}

/// The record as a gzip member: its fields as they are, its block byte for byte, and `id` if it has none.
pub(crate) fn record_member(record: &Record, id: &str) -> io::Result<Vec<u8>> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in record.headers.iter() {
        // The block may be shorter than stated; its length is written anew.
        if name.eq_ignore_ascii_case("Content-Length") {
            fields.push((name.to_owned(), record.block.len().to_string()));
        } else if !name.is_empty() {
            fields.push((one_line(name).replace(':', " "), one_line(value)));
        }
    }
    if record.id().is_none() {
        fields.retain(|(name, _)| !name.eq_ignore_ascii_case("WARC-Record-ID"));
        fields.push(("WARC-Record-ID".to_owned(), format!("<{}>", one_line(id))));
    }
    member(&fields, &record.block)
}

fn member(fields: &[(String, String)], block: &[u8]) -> io::Result<Vec<u8>> {
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut plain = Vec::with_capacity(block.len() + 1024);
    write_record(&mut plain, VERSION, &fields, block)?;
    // The usual level; a member for each record, so that each can be read by its offset.
    gzip_member(&plain, 6)
}

fn one_line(value: &str) -> String {
    // A line end in a value would begin another field, and let a page forge headers.
    value.replace(['\r', '\n'], " ")
}
