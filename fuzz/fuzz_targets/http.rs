//! Fuzzes HTTP framing and codings: the result is bounded, and its media type can be determined.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trommel_archive::{ArchiveFormat, Headers, PayloadOptions, Place, Record, RecordType, media_type, payload};

/// Bytes kept of a decoded body.
const LIMIT: u64 = 10_000;

fuzz_target!(|data: &[u8]| {
    let mut headers = Headers::new();
    headers.push("Content-Type", "application/http; msgtype=response");
    let record = Record {
        place: Place { file: "f".into(), offset: 0, length: data.len() as u64, inner: 0 },
        format: ArchiveFormat::Warc,
        kind: RecordType::Response,
        headers,
        block: data.to_vec().into(),
        notes: Vec::new(),
    };
    let options = PayloadOptions { max_payload: LIMIT };
    let payload = payload(&record, &options).expect("responses have a payload");
    assert!(payload.body.len() as u64 <= LIMIT);
    if payload.codings.is_empty() && payload.notes.is_empty() {
        assert!(data.ends_with(&payload.body));
    }
    let _ = (payload.charset(), media_type(&record, &payload));
});
