//! Reads the sample archive and its gold, and makes records.

use std::{collections::BTreeMap, fs, fs::File, io::Read, path::Path};

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use trommel::archive::write::write_record;

use crate::program::{rows, trommel, workspace};

/// Path of the sample archive, relative to the workspace.
pub const ARCHIVE: &str = "samples/wcxb-sample.warc.gz";

/// Returns the absolute path of the sample archive.
pub fn archive_path() -> String {
    workspace().join(ARCHIVE).to_str().unwrap().to_owned()
}

/// Returns the bytes of the sample archive.
pub fn archive_bytes() -> Vec<u8> {
    fs::read(archive_path()).unwrap()
}

/// Returns the gold objects of the sample archive by record id, without angle brackets.
pub fn golds() -> BTreeMap<String, Value> {
    let mut lines = String::new();
    let file = File::open(workspace().join("samples/wcxb-sample.gold.jsonl.gz")).unwrap();
    MultiGzDecoder::new(file).read_to_string(&mut lines).unwrap();
    let id = |gold: &Value| gold["record_id"].as_str().unwrap().trim_matches(['<', '>']).to_owned();
    rows(&lines).into_iter().map(|gold| (id(&gold), gold)).collect()
}

/// Date of the records that the tests make.
pub const DATE: &str = "2024-05-18T01:58:10Z";

/// Returns a WARC record whose id ends with `number`. The block is an HTTP response unless `more` has a content type.
pub fn record(kind: &str, number: usize, url: &str, more: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let id = format!("<urn:uuid:00000000-0000-4000-8000-{number:012}>");
    let mut headers = vec![("WARC-Type", kind), ("WARC-Date", DATE), ("WARC-Record-ID", &id), ("WARC-Target-URI", url)];
    if !more.iter().any(|(name, _)| *name == "Content-Type") {
        headers.push(("Content-Type", "application/http; msgtype=response"));
    }
    headers.extend(more);
    let mut record = Vec::new();
    write_record(&mut record, "WARC/1.1", &headers, block).unwrap();
    record
}

/// Returns a response record with an HTML page.
pub fn page_record(number: usize, url: &str, html: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    record("response", number, url, &[], block.as_bytes())
}

/// Returns the documents of the sample archive, as `run` writes them as JSON lines.
pub fn documents(folder: &Path) -> Vec<Value> {
    trommel(folder, &["run", ARCHIVE, "-o", "-", "-f", "jsonl"], b"").rows()
}
