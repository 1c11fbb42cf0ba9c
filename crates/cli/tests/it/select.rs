//! Records that an index names.

use std::{fs, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use crate::program::{RunResult, trommel, workspace};
use crate::sample::{ARCHIVE, documents};

pub fn run(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, &[&["run"], arguments].concat(), b"")
}

/// Every third record of the sample as lines of a CDXJ index, and as the documents of a whole run.
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

/// Checks that a run gave the wanted documents and nothing else, but for the archive's name.
#[track_caller]
pub fn same_documents(ran: &RunResult, wanted: &[Value], archive: &str) {
    let found: Vec<Value> = ran.well().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), wanted.len(), "{}", ran.stderr);
    for (found, wanted) in found.iter().zip(wanted) {
        let mut wanted = wanted.clone();
        wanted["source"]["file"] = archive.into();
        wanted["source"]["name"] = archive.split('?').next().unwrap().rsplit('/').next().into();
        assert_eq!(*found, wanted);
    }
}

#[test]
fn only_named_records_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let (lines, wanted) = index();
    assert!(wanted.len() > 8);
    // In any order, and gzip.
    let mut reversed: Vec<&str> = lines.lines().collect();
    reversed.reverse();
    let packed = fs::File::create(folder.path().join("i.cdxj.gz")).unwrap();
    let mut packed = GzEncoder::new(packed, Compression::fast());
    packed.write_all(reversed.join("\n").as_bytes()).unwrap();
    packed.finish().unwrap();
    let samples = workspace().join("samples");
    let samples = samples.to_str().unwrap();
    let arguments = ["--select", "i.cdxj.gz", "--base-url", samples, "-o", "-", "--summary", "s.json"];
    same_documents(&run(folder.path(), &arguments), &wanted, &format!("{samples}/wcxb-sample.warc.gz"));
    let summary: Value = serde_json::from_slice(&fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    assert_eq!(summary["records"], wanted.len());
    let lengths = wanted.iter().map(|d| d["source"]["length"].as_u64().unwrap());
    assert_eq!(summary["stored_bytes"], lengths.sum::<u64>());
    assert_eq!(summary["files"][0]["file"], "i.cdxj.gz");
}

#[test]
fn what_is_not_there_is_named_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (lines, wanted) = index();
    fs::copy(workspace().join(ARCHIVE), folder.path().join("wcxb-sample.warc.gz")).unwrap();
    let wrong = "x 1 {\"filename\": \"gone.warc.gz\", \"offset\": 0, \"length\": 10}\n\
                 x 1 {\"filename\": \"wcxb-sample.warc.gz\", \"offset\": 999999999, \"length\": 10}\n\
                 x 1 {\"filename\": \"wcxb-sample.warc.gz\", \"offset\": 3, \"length\": 20}\n";
    fs::write(folder.path().join("i.cdxj"), format!("{wrong}{lines}")).unwrap();
    let mut ran = run(folder.path(), &["--select", "i.cdxj", "-o", "-"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for words in [
        "i.cdxj: offset 0: gone.warc.gz: No such file",
        "i.cdxj: offset 999999999: wcxb-sample.warc.gz: the archive ends before the record",
        "i.cdxj: offset 3: ",
        "damage at 3 places",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    ran.code = 0;
    same_documents(&ran, &wanted, "wcxb-sample.warc.gz");
}

#[test]
fn an_index_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("i.cdxj"), "org,example)/ 2026 warc\n").unwrap();
    run(folder.path(), &["--select", "i.cdxj", "-o", "-"]).ended(2, "i.cdxj:1: no JSON object");
}

#[test]
fn a_range_gives_one_record_unless_all_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let documents = documents(&workspace());
    let archive = workspace().join(ARCHIVE);
    let place = |at: usize, key: &str| documents[at]["source"][key].as_u64().unwrap();
    // From the second page to the end of the fourth.
    let length = place(3, "offset") + place(3, "length") - place(1, "offset");
    let line = format!(
        "x 1 {{\"filename\": \"wcxb-sample.warc.gz\", \"offset\": {}, \"length\": {length}}}\n",
        place(1, "offset")
    );
    fs::write(folder.path().join("i.cdxj"), line).unwrap();
    let base = archive.parent().unwrap().to_str().unwrap();
    let arguments = ["--select", "i.cdxj", "--base-url", base, "-o", "-"];
    let ids = |more: &[&str]| -> Vec<Value> {
        let ran = run(folder.path(), &[&arguments[..], more].concat());
        let lines = ran.well().lines();
        let values = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        values.map(|mut line| line["id"].take()).collect()
    };
    assert_eq!(ids(&[]), [documents[1]["id"].clone()]);
    let all: Vec<Value> = documents[1..4].iter().map(|value| value["id"].clone()).collect();
    assert_eq!(ids(&["--whole-ranges"]), all);
}
