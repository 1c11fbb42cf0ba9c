//! From a record of an archive to what helps to read its page.

use trommel_archive::{Payload, Record};

use crate::Hints;

/// What a record and its payload say about the page: URL, charset of the HTTP header, time of the
/// capture.
pub fn page_hints<'a>(record: &'a Record, payload: &'a Payload<'_>) -> Hints<'a> {
    Hints {
        url: record.url(),
        http_charset: payload.charset(),
        crawl_charset: None,
        date: record.date(),
    }
}
