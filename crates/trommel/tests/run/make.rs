//! Small archives, a stand-in for the extractor, and plans.

use std::path::{Path, PathBuf};
use std::{fs, num::NonZeroUsize, thread, time::Duration};

use serde_json::Value;
use tempfile::TempDir;
use trommel::ByteSize;
use trommel::run::{Destination, Encoding, Input, Output, Plan};
use trommel_archive::write::{gzip_member, write_record};
use trommel_extract::{Document, Hints};
use trommel_record::{Compression, Format};

pub const DATE: &str = "2024-05-18T01:58:10Z";

pub fn id(number: usize) -> String {
    format!("urn:uuid:00000000-0000-4000-8000-{number:012}")
}

pub fn record(kind: &str, number: usize, more: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let id = format!("<{}>", id(number));
    let mut headers = vec![("WARC-Type", kind), ("WARC-Date", DATE), ("WARC-Record-ID", &id)];
    headers.extend(more);
    let mut out = Vec::new();
    write_record(&mut out, "WARC/1.0", &headers, block).unwrap();
    out
}

pub fn response(number: usize, kind: &str, body: &[u8], more: &[(&str, &str)]) -> Vec<u8> {
    let url = format!("http://example.com/{number}");
    let mut headers = vec![("WARC-Target-URI", url.as_str()), ("Content-Type", "application/http; msgtype=response")];
    headers.extend(more);
    let mut block = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n").into_bytes();
    block.extend_from_slice(body);
    record("response", number, &headers, &block)
}

pub fn page(number: usize) -> Vec<u8> {
    response(number, "text/html; charset=utf-8", format!("<html><p>Page {number}").as_bytes(), &[])
}

pub fn metadata(number: usize, url: usize, concurrent: &str, block: &str) -> Vec<u8> {
    let url = format!("http://example.com/{url}");
    let headers = [
        ("WARC-Target-URI", url.as_str()),
        ("WARC-Concurrent-To", concurrent),
        ("Content-Type", "application/warc-fields"),
    ];
    record("metadata", number, &headers, block.as_bytes())
}

pub fn gzip(records: &[Vec<u8>]) -> Vec<u8> {
    records.iter().flat_map(|record| gzip_member(record, 6).unwrap()).collect()
}

/// Creates a folder with one archive in it, and returns both.
pub fn archive(name: &str, bytes: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Stands in for the extractor: the text is everything after `<p>`, and charsets known from outside are in the
/// document. Some pages take longer than others, and some have a low confidence.
pub fn extract(bytes: &[u8], hints: &Hints<'_>) -> Document {
    let html = String::from_utf8_lossy(bytes);
    let text = html.split_once("<p>").map_or("", |(_, text)| text);
    assert!(text != "panic", "two\nlines");
    if text.ends_with('7') {
        thread::sleep(Duration::from_millis(5));
    }
    Document {
        text: text.to_owned(),
        lang: Some("en".into()),
        confidence: if text.ends_with('3') { 0.25 } else { 1.0 },
        charset: hints.crawl_charset.unwrap_or("none").to_owned(),
        charset_source: hints.http_charset.unwrap_or("none").to_owned(),
        ..Document::default()
    }
}

pub fn plan(inputs: &[&Path], destination: Destination, format: Format) -> Plan {
    let inputs = inputs.iter().map(|&path| Input::File(path.into()));
    let output = Output {
        destination,
        encodings: vec![Encoding { format, compression: Compression::None, by_page: false }],
        split: None,
    };
    let mut plan = Plan::new(inputs.collect(), output);
    let limits = &mut plan.settings.limits;
    limits.jobs = NonZeroUsize::new(3);
    limits.max_record = ByteSize(1 << 20);
    limits.max_payload = ByteSize(1 << 20);
    plan
}

pub fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// Returns the names of the files in a folder, without those of a run's state. A checkpoint is left out only if the run
/// is not finished.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let is_done = names.iter().any(|name| name == "_SUCCESS");
    names.retain(|name| match name.rsplit('.').next() {
        Some("checkpoint") => is_done,
        _ if name.ends_with(".journal.tmp") => false,
        _ => name != "_STATE" && !(name.starts_with('_') && name.ends_with(".state")),
    });
    names.sort();
    names
}
