//! Hints about a page from its record in an archive.

use trommel_archive::{Payload, Record};

use crate::Hints;

/// The hints about a page from its record and payload: URL, charset of the HTTP header, time of the capture.
pub fn page_hints<'a>(record: &'a Record, payload: &'a Payload<'_>) -> Hints<'a> {
    Hints { url: record.url(), http_charset: payload.charset(), crawl_charset: None, date: record.date() }
}
