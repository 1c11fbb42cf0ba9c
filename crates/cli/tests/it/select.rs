//! Tests `run --select`, which reads the records that an index names.

use std::path::Path;

use serde_json::Value;

use crate::program::{RunResult, trommel, workspace};
use crate::sample::{ARCHIVE, documents};

pub fn run(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, &[&["run"], arguments].concat(), b"")
}

/// Returns a CDXJ index of every third record of the sample archive, and the documents of those records.
pub fn index() -> (String, Vec<Value>) {
    let wanted: Vec<Value> = documents(&workspace()).into_iter().step_by(3).collect();
    let name = Path::new(ARCHIVE).file_name().unwrap().to_string_lossy();
    let lines = wanted.iter().map(|document| {
        let (offset, length) = (&document["source"]["offset"], &document["source"]["length"]);
        format!(
            "org,example)/ 20261120000000 {{\"url\": {}, \"filename\": \"{name}\", \"offset\": \
             \"{offset}\", \"length\": \"{length}\"}}\n",
            document["url"]
        )
    });
    (lines.collect(), wanted)
}

/// Checks that a run gave exactly the wanted documents, with `archive` as the name of the archive.
#[track_caller]
pub fn same_documents(ran: &RunResult, wanted: &[Value], archive: &str) {
    let found = ran.rows();
    assert_eq!(found.len(), wanted.len(), "{}", ran.stderr);
    for (found, wanted) in found.iter().zip(wanted) {
        let mut wanted = wanted.clone();
        wanted["source"]["file"] = archive.into();
        wanted["source"]["name"] = archive.split('?').next().unwrap().rsplit('/').next().into();
        assert_eq!(*found, wanted);
    }
}
