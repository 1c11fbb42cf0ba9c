//! Tests `trommel index`, `search` and `cat`, and the formats that are assembled at the end of a run.

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::program::{RunResult, names, rows, trommel, workspace};
use crate::sample::{archive_path, documents};

/// Returns the scores of each search without ids, because documents with equal scores may come in any order.
fn scores(folder: &Path, index: &str) -> Vec<Vec<i64>> {
    let found = by_titles(folder, index).into_iter();
    found.map(|hits| hits.into_iter().map(|(score, _)| score).collect()).collect()
}

fn found(folder: &Path, query: &str, index: &str) -> Vec<Value> {
    let ran = trommel(folder, &["search", query, "--index", index, "--json"], b"");
    assert!(ran.code < 2, "{}", ran.stderr);
    rows(ran.text())
}

/// Searches for the title of each document. Returns the score in thousandths and the id of each hit, best first.
fn by_titles(folder: &Path, index: &str) -> Vec<Vec<(i64, String)>> {
    documents(&workspace())
        .iter()
        .map(|document| {
            let title = document["title"].as_str().unwrap().replace(['"', '-', '+'], " ");
            found(folder, &title, index)
                .iter()
                .map(|hit| {
                    let score = hit["score"].as_f64().unwrap() * 1e3;
                    (score.round() as i64, hit["id"].as_str().unwrap().to_owned())
                })
                .collect()
        })
        .collect()
}

#[test]
fn an_archive_is_indexed_searched_and_read_from_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| -> RunResult { trommel(folder.path(), arguments, b"") };
    let ran = run(&["index", &archive_path(), "--index", "i"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let all = documents(&workspace());
    ran.said(&format!("{} documents to index", all.len()));
    // Each page is found by its own title, and first.
    let mut first = 0;
    for (document, ids) in all.iter().zip(by_titles(folder.path(), "i")) {
        let id = document["id"].as_str().unwrap();
        assert!(ids.iter().any(|(_, found)| found == id), "{}", document["title"]);
        first += usize::from(ids[0].1 == id);
    }
    assert!(first * 10 >= all.len() * 9, "{first} of {}", all.len());

    // Again: nothing is there twice.
    assert_eq!(run(&["index", &archive_path(), "--index", "i"]).code, 0);
    let expected = &all[0];
    let title = expected["title"].as_str().unwrap().replace('"', " ");
    let hits = found(folder.path(), &title, "i");
    let same = |hit: &&Value| hit["id"] == expected["id"];
    assert_eq!(hits.iter().filter(same).count(), 1);
    let hit = hits.iter().find(same).unwrap();
    assert_eq!(hit["url"], expected["url"]);
    assert_eq!(hit["source"]["offset"], expected["source"]["offset"]);
    assert!(!hit["snippet"]["highlights"].as_array().unwrap().is_empty());

    // As text, with the place, from which the page and its text are read.
    let shown = run(&["search", &title, "--index", "i", "-n", "1"]);
    let place = shown.well().lines().find(|line| line.contains(".warc.gz:")).unwrap().trim();
    let id = &hits[0]["id"];
    let document = all.iter().find(|document| document["id"] == *id).unwrap();
    let text = run(&["cat", place, "--text"]);
    assert_eq!(text.well().trim_end(), document["text"].as_str().unwrap().trim_end());
    let page = run(&["cat", &archive_path(), &document["source"]["offset"].to_string()]);
    assert!(page.well().to_lowercase().contains("<html"));
    let record = run(&["cat", place, "--record"]);
    assert!(record.well().starts_with("WARC/1."));
    assert!(record.text().contains("HTTP/1.1 200"));
}

#[test]
fn outputs_give_the_index_that_the_archive_gives() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| -> RunResult { trommel(folder.path(), arguments, b"") };
    run(&["index", &archive_path(), "--index", "i"]).well();
    let expected = scores(folder.path(), "i");
    for (at, output) in ["o.jsonl", "o.jsonl.zst", "o.msgpack.gz", "o.parquet", "f"].iter().enumerate() {
        run(&["run", &archive_path(), "-o", output]).well();
        let index = format!("i{at}");
        run(&["index", output, "--index", &index]).well();
        assert_eq!(scores(folder.path(), &index), expected, "{output}");
    }
    run(&["run", &archive_path(), "-o", "o.tantivy"]).well();
    assert_eq!(scores(folder.path(), "o.tantivy"), expected);

    // WET has neither headings nor the place of the page; the place is that in the WET file.
    run(&["run", &archive_path(), "-o", "o.wet.gz"]).well();
    run(&["index", "o.wet.gz", "--index", "w"]).well();
    let all = documents(&workspace());
    let title = all[3]["title"].as_str().unwrap().replace(['"', '-'], " ");
    let hit = found(folder.path(), &title, "w");
    let hit = hit.iter().find(|hit| hit["id"] == all[3]["id"]).unwrap();
    assert_eq!(hit["source"]["file"], "o.wet.gz");
    let text = run(&["cat", "o.wet.gz", &hit["source"]["offset"].to_string(), "--text"]);
    assert!(text.well().ends_with(all[3]["text"].as_str().unwrap()));
}

#[test]
fn other_programs_read_the_formats() {
    let python = std::env::var("TROMMEL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.jsonl", "x.wet.gz", "x.parquet", "x.anserini.jsonl.gz", "x.trec.gz", "x.bulk.ndjson"] {
        trommel(folder.path(), &["run", &archive_path(), "-o", name], b"").well();
    }
    // Nothing stays beside a finished output.
    let (hidden, outputs): (Vec<_>, Vec<_>) = names(folder.path()).into_iter().partition(|name| name.starts_with('.'));
    // The requests for a search server have the settings of their index beside them.
    assert_eq!((hidden.len(), outputs.len()), (0, 7), "{hidden:?}");
    assert!(outputs.contains(&"x.bulk.mapping.json".to_owned()));
    let script = workspace().join("scripts/check-formats.py");
    match Command::new(&python).arg(script).arg(folder.path()).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            // What was skipped, and why.
            eprintln!("{said}");
            assert!(output.status.success(), "{said}");
        }
        Err(error) => eprintln!("skipped: {python}: {error}"),
    }
}
