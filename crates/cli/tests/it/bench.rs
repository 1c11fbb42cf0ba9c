//! Tests the names and counts that `trommel bench` prints. Times are not tested.

use crate::program::{trommel, workspace};
use crate::sample::{ARCHIVE, documents};

const STAGES: [&str; 7] = [
    "bare inflate", "records", "payload, charset, tables", "features", "scores, choice", "text, metadata, language",
    "JSON lines, zstd",
];

#[test]
fn every_stage_is_named_and_counted() {
    let folder = workspace();
    let ran = trommel(&folder, &["bench", ARCHIVE, "--rounds", "1", "--json"], b"");
    let object = ran.json();
    assert_eq!(object["pages"], documents(&folder).len());
    assert_eq!(object["rounds"], 1);
    let plain = object["plain_bytes"].as_f64().unwrap();
    let stages = object["stages"].as_array().unwrap();
    let names: Vec<&str> = stages.iter().map(|stage| stage["stage"].as_str().unwrap()).collect();
    assert_eq!(names, STAGES);
    let floor = stages[0]["seconds"].as_f64().unwrap();
    for stage in stages {
        let figure = |name: &str| stage[name].as_f64().unwrap();
        let seconds = figure("seconds");
        assert!(seconds > 0.0, "{stage}");
        assert!((figure("mb_per_second") * seconds * 1e6 - plain).abs() < 1.0, "{stage}");
        assert!((figure("share_of_inflate") * seconds - floor).abs() < 1e-6, "{stage}");
    }
    let ran = trommel(&folder, &["bench", ARCHIVE, "--rounds", "1"], b"");
    for name in STAGES {
        assert!(ran.well().contains(name), "{name}");
    }
}
