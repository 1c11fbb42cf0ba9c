//! Tests the messages of the program: quiet, verbose and JSON, and one message for each error.

use std::fs;

use serde_json::Value;

use crate::program::{trommel, workspace};
use crate::sample::{archive_bytes, archive_path};

#[test]
fn an_error_says_its_cause_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[package]\n").unwrap();
    for (arguments, cause) in [
        (&["run", "a.warc", "-o", "x", "--config", "gone.toml"][..], "No such file"),
        (&["run", "a.warc", "-o", "x", "--sites", "gone.sites"], "No such file"),
        (&["run", "@gone.txt", "-o", "x"], "No such file"),
        (&["extract", "gone.html"], "No such file"),
        (&["extract", "-", "--model", "gone.trommel"], "gone.trommel"),
        (&["sites", "build", &archive_path(), "-o", "gone/x.sites"], "No such file"),
        (&["dedup", "sign", "gone.jsonl", "-o", "s"], "No such file"),
        (&["model", "show", "Cargo.toml"], "Cargo.toml"),
    ] {
        let ran = trommel(folder.path(), arguments, b"");
        let told = ran.stderr.trim_end();
        assert_ne!(ran.code, 0, "{arguments:?}");
        assert_eq!(told.matches(cause).count(), 1, "{arguments:?}: {told}");
        // Nor anything else: no part of it stands there twice in a row.
        let parts: Vec<&str> = told.split(": ").collect();
        for two in parts.windows(2) {
            assert_ne!(two[0], two[1], "{told}");
        }
    }
}

#[test]
fn quiet_runs_say_nothing_and_errors_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let ran = trommel(folder.path(), &["-q", "run", &archive_path(), "-o", "a"], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = trommel(folder.path(), &["run", &archive_path(), "-o", "b", "--quiet"], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = trommel(folder.path(), &["-q", "extract", "gone.html"], b"");
    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
    let ran = trommel(folder.path(), &["-q", "run", "gone.warc.gz", "-o", "c"], b"");
    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
}

#[test]
fn messages_can_be_json() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--log-format", "json", "run", &archive_path(), "gone.warc.gz", "-o", "a"];
    let ran = trommel(folder.path(), &arguments, b"");
    assert_eq!(ran.code, 1);
    let lines: Vec<Value> = ran
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let says = |level: &str, words: &str| {
        lines.iter().any(|line| line["level"] == level && line["message"].as_str().unwrap().contains(words))
    };
    assert!(says("ERROR", "gone.warc.gz"), "{}", ran.stderr);
    assert!(says("INFO", "33 records: 32 documents"), "{}", ran.stderr);
    let ran = trommel(folder.path(), &["--log-format=json", "extract", "gone.html"], b"");
    let line: Value = serde_json::from_str(ran.stderr.trim()).unwrap();
    assert_eq!(line["level"], "ERROR");
}

#[test]
fn an_error_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["run", "gone.warc.gz", "-o", "a"][..],
        &["run", "gone.warc.gz", "-o", "a.jsonl"],
        &["extract", "gone.html"],
        &["cat", "gone.warc.gz:0"],
        &["inspect", "gone.html"],
    ] {
        let ran = trommel(folder.path(), arguments, b"");
        assert_eq!(ran.code, 2, "{arguments:?}");
        let named = ran.stderr.lines().filter(|line| line.contains("gone."));
        assert_eq!(named.count(), 1, "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn slips_of_the_hand_are_told_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (&["run", "a.warc", "-o", "x", "-j", "0"][..], "at least one worker"),
        (&["run", "a.warc", "-o", "x", "-j", "1000000"], "at most"),
        (&["run", "a.warc", "-o", "x", "--shard", "3/2"], "I/N"),
        (&["run", "http://host/", "-o", "x"], "names a server"),
        (&["run", "http://", "-o", "x"], "names a server"),
    ] {
        let ran = trommel(folder.path(), arguments, b"");
        ran.ended(2, words);
        assert!(!ran.stderr.contains("non-zero type"), "{}", ran.stderr);
    }
}

#[test]
fn shards_divide_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = archive_bytes();
    let names: Vec<String> = (0..6).map(|at| format!("{at}.warc.gz")).collect();
    for name in &names {
        fs::write(folder.path().join(name), &bytes).unwrap();
    }
    let mut written = 0;
    for shard in ["1/2", "2/2"] {
        let out = shard.replace('/', "of");
        let mut arguments = vec!["-q", "run", "-o", &out, "--shard", shard];
        arguments.extend(names.iter().map(String::as_str));
        let ran = trommel(folder.path(), &arguments, b"");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let shards = fs::read_dir(folder.path().join(&out))
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().ends_with(".jsonl.zst"));
        let count = shards.count();
        assert!(count > 0 && count < 6, "{count}");
        written += count;
    }
    assert_eq!(written, 6);
}

#[test]
fn the_version_names_commit_features_and_models() {
    let ran = trommel(&workspace(), &["--version"], b"");
    let lines: Vec<&str> = ran.well().lines().collect();
    assert_eq!(lines[0], concat!("trommel ", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("commit "), "{lines:?}");
    assert!(lines[2].starts_with("features "), "{lines:?}");
    assert_eq!(lines[2].contains("index"), cfg!(feature = "index"));
    assert_eq!(lines[3], "models fast, best, lite");
    assert!(lines[4].starts_with(concat!("build ", env!("CARGO_PKG_VERSION"), " (")), "{lines:?}");
    assert_eq!(trommel(&workspace(), &["-V"], b"").well().lines().count(), 1);
}

#[test]
fn manual_pages_and_completions_know_the_options() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = trommel(folder.path(), &["completions", shell], b"");
        assert!(ran.well().contains("split-size"), "{shell}");
    }
    trommel(folder.path(), &["man", "pages"], b"").well();
    let page = fs::read_to_string(folder.path().join("pages/trommel-run.1")).unwrap();
    assert!(page.contains("split\\-size"), "{page}");
    assert!(folder.path().join("pages/trommel.1").exists());
}
