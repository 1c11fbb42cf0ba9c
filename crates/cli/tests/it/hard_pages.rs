//! Tests `--hard-to`, which copies the pages of which the model is least sure.

use std::{collections::HashSet, path::Path};

use serde_json::Value;
use trommel::Model;
use trommel::archive::{ReadOptions, Reader, RecordType};

use crate::program::{RunResult, json_file, trommel, workspace};
use crate::sample::{ARCHIVE, archive_path, documents};

fn run(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, &[&["run", &archive_path()], arguments].concat(), b"")
}

/// Reads the id and the block of each response record in an archive.
fn records(path: &Path) -> Vec<(String, Vec<u8>)> {
    let reader = Reader::open(path, ReadOptions::default()).unwrap();
    let records = reader.map(Result::unwrap).filter(|record| record.kind == RecordType::Response);
    records.map(|record| (record.id().unwrap().to_owned(), record.block.to_vec())).collect()
}

/// Returns the sample documents whose confidence is below the percentile `percent` of the confidences of all pages.
fn hard(model: &str, percent: f64) -> Vec<Value> {
    let below = f64::from(Model::builtin(model).unwrap().confidence_below(percent).unwrap());
    let is_hard = |document: &Value| document["confidence"].as_f64().unwrap() < below && document["blocked"] == "";
    let all = trommel(&workspace(), &["run", ARCHIVE, "-o", "-", "--model", model], b"").rows();
    all.into_iter().filter(is_hard).collect()
}

#[test]
fn the_least_sure_pages_are_copied_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut copied = Vec::new();
    for (model, share) in [("fast", 20.0), ("lite", 20.0), ("fast", 50.0)] {
        let wanted = hard(model, share);
        let name = format!("{model}-{share}.warc.gz");
        let share = format!("hard_share={share}%");
        let wish = ["--model", model, "--hard-to", &name, "--set", &share];
        let ran = run(folder.path(), &[&["-o", "-", "--summary", "s.json", "--overwrite"], &wish[..]].concat());
        assert_eq!(ran.rows().len(), documents(&workspace()).len());
        let count = wanted.len();
        ran.said(&format!("set aside: {count} records in {name}"));
        assert_eq!(json_file(at("s.json"))["set_aside"][&name], count);
        // The records of the archive, and no others.
        let ids: HashSet<&str> = wanted.iter().map(|document| document["id"].as_str().unwrap()).collect();
        let mut originals = records(Path::new(&archive_path()));
        originals.retain(|(id, _)| ids.contains(id.as_str()));
        assert!(records(&at(&name)) == originals, "{name}");
        // Run again they give the same documents, and so do their places in the archive.
        let again = trommel(folder.path(), &["run", &name, "-o", "-", "--model", model], b"").rows();
        let index = format!("{name}.cdxj");
        let select = ["run", "--select", &index, "--set", "select_anywhere=true", "-o", "-", "--model", model];
        let selected = trommel(folder.path(), &select, b"").rows();
        for (again, selected, wanted) in again.iter().zip(&selected).zip(&wanted).map(|((a, b), c)| (a, b, c)) {
            for key in ["id", "url", "text", "confidence", "title"] {
                assert_eq!((&again[key], &selected[key]), (&wanted[key], &wanted[key]), "{name} {key}");
            }
        }
        assert_eq!((again.len(), selected.len()), (count, count));
        copied.push(count);
    }
    assert!(copied[0] > 2 && copied[2] > copied[0] && copied[2] < 32, "{copied:?}");
}
