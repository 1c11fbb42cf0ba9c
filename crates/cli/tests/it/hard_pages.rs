//! Copies of the pages of which the model is least sure.

use std::{collections::HashSet, fs, path::Path};

use serde_json::Value;
use trommel::Model;
use trommel::archive::{ReadOptions, Reader, RecordType};

use crate::program::{RunResult, json_file, trommel, workspace};
use crate::sample::{ARCHIVE, archive_path, documents, page_record};

fn run(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, &[&["run", &archive_path()], arguments].concat(), b"")
}

/// Ids and blocks of the pages in an archive.
fn records(path: &Path) -> Vec<(String, Vec<u8>)> {
    let reader = Reader::open(path, ReadOptions::default()).unwrap();
    let records = reader.map(Result::unwrap).filter(|record| record.kind == RecordType::Response);
    records.map(|record| (record.id().unwrap().to_owned(), record.block.to_vec())).collect()
}

/// The documents of the sample whose confidence is below that of a share of the pages.
fn hard(model: &str, percent: f64) -> Vec<Value> {
    let below = f64::from(Model::builtin(model).unwrap().confidence_below(percent).unwrap());
    let is_hard = |document: &Value| document["confidence"].as_f64().unwrap() < below && document["blocked"] == "";
    let all = trommel(&workspace(), &["run", ARCHIVE, "-o", "-", "--model", model], b"").rows();
    all.into_iter().filter(is_hard).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_least_sure_pages_are_copied_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut copied = Vec::new();
    for (model, share) in [("fast", 20.0), ("best", 20.0), ("fast", 50.0)] {
        let wanted = hard(model, share);
        let name = format!("{model}-{share}.warc.gz");
        let share = format!("{share}%");
        let options = [
            "-o", "-", "--model", model, "--hard-to", &name, "--hard-share", &share, "--summary", "s.json",
            "--overwrite",
        ];
        let ran = run(folder.path(), &options);
        assert_eq!(lines(ran.well()).len(), documents(&workspace()).len());
        let count = wanted.len();
        ran.said(&format!("set aside: {count} records in {name}"));
        assert_eq!(json_file(at("s.json"))["set_aside"][&name], count);
        // The records of the archive, and no others.
        let ids: HashSet<&str> = wanted.iter().map(|document| document["id"].as_str().unwrap()).collect();
        let mut originals = records(Path::new(&archive_path()));
        originals.retain(|(id, _)| ids.contains(id.as_str()));
        assert!(records(&at(&name)) == originals, "{name}");
        // Run again they give the same documents, and so do their places in the archive.
        let again = lines(trommel(folder.path(), &["run", &name, "-o", "-", "--model", model], b"").well());
        let index = format!("{name}.cdxj");
        let select = ["run", "--select", &index, "--select-anywhere", "-o", "-", "--model", model];
        let selected = lines(trommel(folder.path(), &select, b"").well());
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

#[test]
fn copies_do_not_depend_on_workers_and_hold_no_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    for jobs in ["1", "3"] {
        let name = format!("{jobs}.warc.gz");
        // Each page comes twice and is a document once.
        let more =
            [&archive_path(), "-o", "-", "--hard-to", &name, "--hard-share", "30%", "--exact-duplicates", "-j", jobs];
        run(folder.path(), &more).well();
    }
    assert!(read("1.warc.gz") == read("3.warc.gz"));
    let ids: Vec<String> = records(&folder.path().join("1.warc.gz")).into_iter().map(|(id, _)| id).collect();
    let known: HashSet<&String> = ids.iter().collect();
    assert!(ids.len() > 2 && known.len() == ids.len());
    // The usual share is 5 %.
    run(folder.path(), &["-o", "-", "--hard-to", "usual.warc.gz"]).well();
    run(folder.path(), &["-o", "-", "--hard-to", "five.warc.gz", "--hard-share", "5%"]).well();
    let copied = |name: &str| folder.path().join(name).exists().then(|| read(name));
    assert!(copied("usual.warc.gz") == copied("five.warc.gz"));
}

#[test]
fn blocked_and_dropped_pages_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let text = hard("fast", 50.0).len();
    let ran =
        run(folder.path(), &["-o", "-", "--hard-to", "h.warc.gz", "--hard-share", "50%", "--min-confidence", "0.999"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(text > 0 && !folder.path().join("h.warc.gz").exists());
    let page = "<title>Access denied</title><h1>Access denied</h1>\
                <p>You do not have permission to access this page.";
    let empty = "<html><body><div id=root></div>";
    let record = |number: usize, html: &str| page_record(number, &format!("http://example.com/{number}"), html);
    fs::write(folder.path().join("a.warc"), [record(1, page), record(2, empty)].concat()).unwrap();
    let ran =
        trommel(folder.path(), &["run", "a.warc", "-o", "-", "--hard-to", "h.warc.gz", "--hard-share", "99%"], b"");
    let found = lines(ran.well());
    assert_eq!((&found[0]["blocked"], &found[1]["blocked"]), (&"denied".into(), &"".into()));
    // A page without text may have some for another extractor.
    let ids: Vec<String> = records(&folder.path().join("h.warc.gz")).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["urn:uuid:00000000-0000-4000-8000-000000000002"]);
}

#[test]
fn what_cannot_be_copied_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), "hard_share = '7%'\n").unwrap();
    fs::copy(workspace().join("crates/model/models/fast.trommel"), folder.path().join("my.trommel")).unwrap();
    for (options, words) in [
        (&["--hard-share", "5%"][..], "name their file with --hard-to"),
        (&["--config", "c.toml"], "name their file with --hard-to"),
        (&["--hard-to", "h.warc"], "--hard-to: h.warc: expected a name as in hard.warc.gz"),
        (&["--hard-to", "h.warc.gz", "--hard-share", "5"], "\"5\" is not a share between 0% and 100%"),
        (&["--hard-to", "h.warc.gz", "--hard-share", "0%"], "is not a share"),
        (&["--hard-to", "h.warc.gz", "--model", "my.trommel"], "no table of the confidences of the model my.trommel"),
        (&["--hard-to", "h.warc.gz", "--set-aside", "pdf=h.warc.gz"], "is an output; name another file with --hard-to"),
    ] {
        run(folder.path(), &[&["-o", "o.jsonl"], options].concat()).ended(2, words);
    }
    assert!(!folder.path().join("o.jsonl").exists());
    // The file says how many, the command where.
    run(folder.path(), &["-o", "o.jsonl", "--config", "c.toml", "--hard-to", "h.warc.gz"]).well();
    let resumed = run(folder.path(), &["-o", "o.jsonl", "--hard-to", "h.warc.gz", "--hard-share", "8%", "--resume"]);
    resumed.ended(2, "the run to continue had hard pages confidence below");
}
