//! Files that options name are never written over what the command reads; `-` is standard output.

use std::fs;

use crate::program::{trommel, workspace};
use crate::sample::{ARCHIVE, archive_bytes};

const PAGE: &str = "<title>Mills</title><p>The mill stands by the river, and its wheel has turned there for years.";

/// Runs the command and asserts that it is refused with this message and changes none of the files.
#[track_caller]
fn refused(files: &[(&str, &[u8])], arguments: &[&str], message: &str) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    trommel(folder.path(), arguments, b"").ended(2, message);
    for (name, bytes) in files {
        assert!(fs::read(folder.path().join(name)).unwrap() == *bytes, "{arguments:?} changed {name}");
    }
}

#[test]
fn what_is_read_is_not_written_over() {
    let page: &[(&str, &[u8])] = &[("p.html", PAGE.as_bytes())];
    refused(page, &["inspect", "p.html", "-o", "p.html"], "p.html: is read by the command");
    refused(page, &["extract", "p.html", "-o", "./p.html"], "./p.html: is read by the command");
    let list: &[(&str, &[u8])] = &[("a.warc.gz", &archive_bytes()), ("list", b"a.warc.gz\n")];
    refused(list, &["run", "@list", "-o", "out", "--summary", "list"], "list: is read by the command");
    refused(list, &["sites", "build", "a.warc.gz", "-o", "a.warc.gz"], "a.warc.gz: is read by the command");
    let signatures: &[(&str, &[u8])] = &[("a.signatures.jsonl.zst", b"signatures")];
    let name = signatures[0].0;
    refused(signatures, &["dedup", "find", name, "-o", name], "is read by the command");
}

#[cfg(feature = "train")]
#[test]
fn training_spares_its_pages_and_says_first_what_it_cannot_write() {
    let sample = |name: &str| fs::read(workspace().join(name)).unwrap();
    let (archive, gold) = (sample(ARCHIVE), sample("samples/wcxb-sample.gold.jsonl.gz"));
    let files: &[(&str, &[u8])] = &[("a.warc.gz", &archive), ("a.gold.jsonl.gz", &gold)];
    let train = ["train", "--pages", "a.warc.gz", "--features", "paper", "--folds", "2", "-o"];
    for output in ["a.warc.gz", "a.gold.jsonl.gz"] {
        refused(files, &[&train[..], &[output]].concat(), "is read by the command");
        refused(files, &[&train[..], &["m.trommel", "--judged", output]].concat(), "is read by the command");
    }
    let more: &[(&str, &[u8])] = &[files[0], files[1], ("b.warc.gz", &archive), ("b.gold.jsonl.gz", &gold)];
    for output in ["b.warc.gz", "b.gold.jsonl.gz"] {
        refused(more, &[&train[..], &[output, "--lists", "b.warc.gz"]].concat(), "is read by the command");
    }
    refused(files, &[&train[..], &["none/m.trommel"]].concat(), "none: there is no such folder");
    refused(files, &[&train[..], &["m.trommel", "--date", "2026-13-45"]].concat(), "2026-13-45");
}

#[test]
fn a_line_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.html"), PAGE).unwrap();
    let archive = workspace().join(ARCHIVE);
    let archive = archive.to_str().unwrap();
    let run = |arguments: &[&str]| trommel(folder.path(), arguments, b"");
    assert!(run(&["extract", "p.html", "-o", "-"]).well().starts_with("The mill stands"));
    assert!(run(&["inspect", "p.html", "-o", "-"]).well().contains("The mill stands"));
    assert_eq!(run(&["run", archive, "-o", "out.jsonl", "--summary", "-"]).json()["records"], 33);
    for arguments in [&["run", archive, "-o", "b.jsonl", "--dropped", "-"][..], &["dedup", "find", "x", "-o", "-"]] {
        run(arguments).ended(2, "expected the name of a file");
    }
    assert!(!folder.path().join("-").exists());
}

#[test]
fn outputs_of_one_name_are_not_signed_as_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("x.jsonl"), "{\"id\":\"1\",\"text\":\"words\"}\n").unwrap();
    }
    let ran = trommel(folder.path(), &["dedup", "sign", "a/x.jsonl", "b/x.jsonl", "-o", "s"], b"");
    ran.ended(2, "a/x.jsonl and b/x.jsonl have one name");
    let ran = trommel(folder.path(), &["dedup", "sign", "none.jsonl", "-o", "s"], b"");
    ran.ended(2, "none.jsonl: No such file");
}

#[test]
fn a_merged_output_keeps_its_format() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), "{\"id\":\"1\",\"text\":\"words\"}\n").unwrap();
    fs::write(folder.path().join("t.jsonl"), "{\"id\":\"1\",\"text\":\"others\"}\n").unwrap();
    for name in ["y.parquet", "y.jsonl.gz", "y"] {
        let ran = trommel(folder.path(), &["merge", "x.jsonl", "t.jsonl", "-o", name], b"");
        ran.ended(2, "of another format than x.jsonl");
        assert!(!folder.path().join(name).exists());
    }
    trommel(folder.path(), &["merge", "none.jsonl", "t.jsonl"], b"").ended(2, "none.jsonl: No such file");
}
