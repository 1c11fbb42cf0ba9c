//! `trommel run` where something stands already.

use std::fs;

use crate::{
    program::{trommel, workspace},
    sample::ARCHIVE,
};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(workspace().join(ARCHIVE), folder.path().join("a.warc.gz")).unwrap();
    folder
}

#[test]
fn a_folder_of_others_is_not_replaced_by_an_index() {
    let folder = folder();
    let index = folder.path().join("x.tantivy");
    fs::create_dir(&index).unwrap();
    fs::write(index.join("notes.txt"), "mine").unwrap();
    let run = |more: &[&str]| {
        let all = [&["run", "a.warc.gz", "-o", "x.tantivy"], more].concat();
        trommel(folder.path(), &all, b"")
    };
    for more in [&[][..], &["--overwrite"], &["--resume"]] {
        let ran = run(more);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert_eq!(fs::read(index.join("notes.txt")).unwrap(), b"mine");
    }
    assert!(
        run(&["--overwrite"])
            .stderr
            .contains("x.tantivy: holds notes.txt")
    );
    // One that is ours is replaced as a whole.
    fs::remove_dir_all(&index).unwrap();
    run(&[]).well();
    assert!(run(&[]).stderr.contains("x.tantivy: is there already"));
    run(&["--overwrite"]).well();
    fs::write(index.join("notes.txt"), "mine").unwrap();
    assert_eq!(run(&["--overwrite"]).code, 2);
    assert!(index.join("notes.txt").exists() && index.join("meta.json").exists());
}

#[test]
fn the_summary_replaces_nothing_that_the_run_reads_or_writes() {
    let folder = folder();
    fs::write(folder.path().join("c.toml"), "").unwrap();
    let archive = fs::read(folder.path().join("a.warc.gz")).unwrap();
    for (summary, what) in [
        ("a.warc.gz", "an input"),
        ("./o.jsonl", "an output"),
        ("o.jsonl.quarantine.warc.gz", "an output"),
        ("c.toml", "read by the run"),
    ] {
        let ran = trommel(
            folder.path(),
            &[
                "run", "a.warc.gz", "-o", "o.jsonl", "--config", "c.toml", "--summary", summary,
            ],
            b"",
        );
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(
            ran.stderr.contains(&format!(": is {what}; name")),
            "{}",
            ran.stderr
        );
    }
    assert!(fs::read(folder.path().join("a.warc.gz")).unwrap() == archive);
    assert!(!folder.path().join("o.jsonl").exists());
}

#[test]
fn a_finished_run_says_that_there_is_nothing_to_do() {
    let folder = folder();
    let run = |more: &[&str]| {
        let all = [&["run", "a.warc.gz", "-o", "out"], more].concat();
        trommel(folder.path(), &all, b"")
    };
    run(&[]).well();
    let out = folder.path().join("out/a.jsonl.zst");
    let whole = fs::read(&out).unwrap();
    let refused = run(&[]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .stderr
            .contains("out/a.jsonl.zst: is there already; --overwrite replaces it"),
        "{}",
        refused.stderr
    );
    let again = run(&["--resume"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    let other = run(&["--resume", "--model", "best"]);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("had model fast"), "{}", other.stderr);
    assert!(
        !other.stderr.contains("the same command"),
        "{}",
        other.stderr
    );
    assert!(fs::read(&out).unwrap() == whole);
    run(&["--overwrite"]).well();
    assert!(fs::read(&out).unwrap() == whole);
}
