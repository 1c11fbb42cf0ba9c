//! Tests `trommel verify`: it proves the places of an intact output, and reports each wrong one.

use std::{fs, path::Path};

use serde_json::Value;

use crate::program::{RunResult, trommel};
use crate::sample::archive_path;

fn verify(folder: &Path, output: &str) -> RunResult {
    trommel(folder, &["verify", output, "--against", &archive_path()], b"")
}

/// Returns the documents of the sample archive, extracted with options such as `--spans`.
fn documents(folder: &Path, options: &[&str]) -> Vec<Value> {
    trommel(folder, &[&["run", &archive_path(), "-o", "-"], options].concat(), b"").rows()
}

fn write(path: &Path, documents: &[Value]) {
    let lines: Vec<String> = documents.iter().map(|document| format!("{document}\n")).collect();
    fs::write(path, lines.concat()).unwrap();
}

#[test]
fn wrong_places_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let all = documents(folder.path(), &["--spans", "--chunks", "words=60"]);
    let last = |key: &str| all.iter().position(|value| value[key].as_array().is_some_and(|row| row.len() > 2)).unwrap();
    let path = folder.path().join("a.jsonl");

    let mut moved = all.clone();
    let at = last("spans");
    // The span of the third part, with the place of the first.
    moved[at]["spans"][2][2] = all[at]["spans"][0][2].clone();
    moved[at]["spans"][2][3] = all[at]["spans"][0][3].clone();
    write(&path, &moved);
    let ran = verify(folder.path(), "a.jsonl");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.text().ends_with(" chunks: 1 places wrong, 0 pages not found\n"), "{}", ran.text());

    let mut changed = all.clone();
    let at = last("chunks");
    let text = format!("{} unwritten", all[at]["chunks"][1]["text"].as_str().unwrap());
    changed[at]["chunks"][1]["text"] = text.into();
    write(&path, &changed);
    assert!(verify(folder.path(), "a.jsonl").text().ends_with(" chunks: 1 places wrong, 0 pages not found\n"));

    // Outside of the text, at a place that the page has.
    for (start, chars) in [(10_000_000u32, 5), (u32::MAX, u32::MAX)] {
        let mut outside = all.clone();
        let end = outside[at]["spans"].as_array_mut().unwrap().last_mut().unwrap();
        (end[0], end[1]) = (start.into(), chars.into());
        write(&path, &outside);
        let ran = verify(folder.path(), "a.jsonl");
        assert!(ran.text().ends_with(" chunks: 1 places wrong, 0 pages not found\n"), "{}", ran.text());
    }

    let mut elsewhere = all;
    elsewhere[0]["source"]["offset"] = 1.into();
    write(&path, &elsewhere);
    let ran = verify(folder.path(), "a.jsonl");
    assert!(ran.code == 1 && ran.text().ends_with("0 places wrong, 1 pages not found\n"), "{}", ran.text());
}
