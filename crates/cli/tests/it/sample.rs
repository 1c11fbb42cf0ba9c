//! The sample archive and its gold.

use std::{collections::BTreeMap, fs, fs::File, io::Read, path::Path};

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use trommel::archive::write::write_record;

use crate::program::{rows, trommel, workspace};

/// The archive, relative to the workspace.
pub const ARCHIVE: &str = "samples/wcxb-sample.warc.gz";

/// The path of the archive.
pub fn archive_path() -> String {
    workspace().join(ARCHIVE).to_str().unwrap().to_owned()
}

/// The bytes of the archive.
pub fn archive_bytes() -> Vec<u8> {
    fs::read(archive_path()).unwrap()
}

/// The gold objects by record id, without angle brackets.
pub fn golds() -> BTreeMap<String, Value> {
    let mut lines = String::new();
    let file = File::open(workspace().join("samples/wcxb-sample.gold.jsonl.gz")).unwrap();
    MultiGzDecoder::new(file).read_to_string(&mut lines).unwrap();
    let id = |gold: &Value| gold["record_id"].as_str().unwrap().trim_matches(['<', '>']).to_owned();
    rows(&lines).into_iter().map(|gold| (id(&gold), gold)).collect()
}

/// The date of the records that the tests make.
pub const DATE: &str = "2024-05-18T01:58:10Z";

/// A record with this number at the end of its id, whose block is of HTTP unless `more` says otherwise.
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

/// A record with a page.
pub fn page_record(number: usize, url: &str, html: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    record("response", number, url, &[], block.as_bytes())
}

/// The documents that `run` writes as JSON lines.
pub fn documents(folder: &Path) -> Vec<Value> {
    trommel(folder, &["run", ARCHIVE, "-o", "-", "-f", "jsonl"], b"").rows()
}
