//! Tests `trommel sites`, and `run` with a site memory.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{RunResult, trommel};
use crate::sample::page_record;

/// What every page of the site says, which reads like text.
const EVERYWHERE: &str = "Our newspaper is printed on paper from the forests of the north.";
const THINGS: [&str; 5] = ["mill", "barn", "inn", "tower", "bridge"];

fn page(thing: &str) -> String {
    format!(
        "<title>The {thing}</title><div class=top><p>{EVERYWHERE}</p></div><article><p>The {thing} stands by the river, \
         and its door has been open there for two hundred years.</p><p>Nobody knows who built the {thing}, though a \
         stone over the door bears a date.</p></article>"
    )
}

/// An archive of pages of two sites, of which the second has one page.
fn write_archive(path: &Path, things: &[&str]) {
    let record = |(at, thing): (usize, &&str)| page_record(at, &format!("http://many.example/{thing}"), &page(thing));
    let mut archive: Vec<u8> = things.iter().enumerate().flat_map(record).collect();
    if things.contains(&THINGS[0]) {
        archive.extend(page_record(things.len(), "http://one.example/a", &page("well")));
    }
    fs::write(path, archive).unwrap();
}

fn run(folder: &Path, more: &[&str]) -> RunResult {
    let mut arguments = vec!["run", "all.warc", "-o", "out", "--overwrite", "--compress", "none"];
    arguments.extend(more);
    trommel(folder, &arguments, b"")
}

fn texts(folder: &Path) -> Vec<(String, bool, String)> {
    let of = |document: &Value, key: &str| document[key].as_str().unwrap().to_owned();
    fs::read_to_string(folder.join("out/all.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|value| (of(&value, "url"), of(&value, "text").contains(EVERYWHERE), of(&value, "notes")))
        .collect()
}

#[test]
fn two_passes_leave_out_what_every_page_of_a_site_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_archive(&folder.join("all.warc"), &THINGS);
    run(folder, &[]).well();
    let plain = fs::read(folder.join("out/all.jsonl")).unwrap();
    let found = texts(folder);
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|(_, everywhere, notes)| *everywhere && notes.is_empty()), "{found:?}");

    run(folder, &["--site-memory", "off"]).well();
    assert_eq!(fs::read(folder.join("out/all.jsonl")).unwrap(), plain);

    let mut outputs = Vec::new();
    for jobs in ["1", "2", "3"] {
        run(folder, &["--site-memory", "two-pass", "-j", jobs]).well();
        outputs.push(fs::read(folder.join("out/all.jsonl")).unwrap());
    }
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    for (url, everywhere, notes) in texts(folder) {
        let known = url.contains("many");
        assert_eq!(everywhere, !known, "{url}");
        assert_eq!(notes, if known { "site memory: fixed" } else { "" });
    }
    // The page of the site that has no other is the same to the byte.
    let last = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.lines().find(|line| line.contains("one.example")).unwrap().to_owned()
    };
    assert_eq!(last(&outputs[0]), last(&plain));
}

#[test]
fn a_memory_of_parts_is_that_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_archive(&folder.join("all.warc"), &THINGS);
    write_archive(&folder.join("a.warc"), &THINGS[..2]);
    write_archive(&folder.join("b.warc"), &THINGS[2..]);
    for (input, file) in [("all.warc", "all.sites"), ("a.warc", "a.sites"), ("b.warc", "b.sites")] {
        trommel(folder, &["sites", "build", input, "-o", file], b"").well();
    }
    trommel(folder, &["sites", "merge", "b.sites", "a.sites", "-o", "merged.sites"], b"").well();
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(read("merged.sites") == read("all.sites"));
    let shown = trommel(folder, &["sites", "show", "merged.sites", "--json"], b"").json();
    assert_eq!((shown["pages"].as_u64(), shown["sites"].as_u64()), (Some(6), Some(2)));
    assert_eq!(shown["largest"][0]["site"], "many.example");
    assert_eq!(shown["largest"][0]["pages"], 5);
    assert!(shown["model"].as_str().unwrap().starts_with("fast "));
    let lines = trommel(folder, &["sites", "show", "merged.sites", "--sites", "1"], b"");
    assert!(lines.well().ends_with("       5  many.example\n"), "{}", lines.text());

    // With the file one pass gives what two give without.
    run(folder, &["--site-memory", "two-pass"]).well();
    let two_pass = read("out/all.jsonl");
    run(folder, &["--sites", "merged.sites"]).well();
    assert!(read("out/all.jsonl") == two_pass);
}

#[test]
fn online_knows_the_pages_before_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_archive(&folder.join("all.warc"), &THINGS);
    run(folder, &["--site-memory", "online", "-j", "1"]).well();
    let found = texts(folder);
    assert!(found[0].1 && found[0].2.is_empty(), "the first page has none before it");
    for (_, everywhere, notes) in &found[2..5] {
        assert!(!everywhere);
        assert_eq!(notes, "site memory: online");
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_archive(&folder.join("all.warc"), &THINGS);
    let refused = |arguments: &[&str], words: &str| {
        trommel(folder, arguments, b"").ended(2, words);
    };
    refused(&["run", "-", "-o", "out", "--site-memory", "two-pass"], "reads inputs twice");
    refused(&["run", "all.warc", "-o", "out", "--site-memory", "online", "--resume"], "cannot be resumed");
    refused(&["run", "all.warc", "-o", "out", "--sites", "all.warc"], "all.warc: ");
    refused(&["sites", "show", "all.warc"], "not a site memory");
    refused(&["sites", "build", "all.warc", "-o", "x", "--sites-size", "9K"], "less than the least, 1M");
    refused(&["sites", "build", "all.warc", "-o", "all.warc"], "is read by the command");
}
