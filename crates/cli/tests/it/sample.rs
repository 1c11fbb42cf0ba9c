//! The sample archive and its gold.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::program::{trommel, workspace};

/// The archive, relative to the workspace.
pub const ARCHIVE: &str = "samples/wcxb-sample.warc.gz";

/// The gold objects by record id, without angle brackets.
pub fn golds() -> BTreeMap<String, Value> {
    let mut lines = String::new();
    let file = File::open(workspace().join("samples/wcxb-sample.gold.jsonl.gz")).unwrap();
    MultiGzDecoder::new(file).read_to_string(&mut lines).unwrap();
    let golds = lines.lines().map(|line| {
        let gold: Value = serde_json::from_str(line).unwrap();
        let id = gold["record_id"].as_str().unwrap();
        (id.trim_matches(['<', '>']).to_owned(), gold)
    });
    golds.collect()
}

/// The documents that `run` writes as JSON lines.
pub fn documents(folder: &Path) -> Vec<Value> {
    let ran = trommel(folder, &["run", ARCHIVE, "-o", "-", "-f", "jsonl"], b"");
    ran.well().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
