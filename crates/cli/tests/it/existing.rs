//! Tests `trommel run` where outputs exist already.

use std::fs;

use sha2::{Digest, Sha256};

use crate::program::{trommel, workspace};
use crate::sample::{ARCHIVE, page_record};

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
    assert!(run(&["--overwrite"]).stderr.contains("x.tantivy: holds notes.txt"));
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
        ("c.toml", "read by the command"),
    ] {
        let ran = trommel(
            folder.path(),
            &["run", "a.warc.gz", "-o", "o.jsonl", "--config", "c.toml", "--summary", summary],
            b"",
        );
        ran.ended(2, &format!(": is {what}; name"));
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
    run(&[]).ended(2, "out/a.jsonl.zst: is there already; --overwrite replaces it");
    run(&["--resume"]).ended(0, "nothing to do");
    let other = run(&["--resume", "--model", "best"]);
    other.ended(2, "had model fast, this one has best");
    assert!(!other.stderr.contains("the same command"), "{}", other.stderr);
    assert!(fs::read(&out).unwrap() == whole);
    run(&["--overwrite"]).well();
    assert!(fs::read(&out).unwrap() == whole);
}

#[test]
fn the_summary_has_no_name_that_the_run_gives() {
    let folder = folder();
    for name in ["_MANIFEST", "_SUCCESS", ".run.checkpoint", ".run.journal", "a-00000.jsonl.zst"] {
        for option in ["--summary", "--dropped"] {
            let path = format!("out/{name}");
            let ran = trommel(folder.path(), &["run", "a.warc.gz", "-o", "out", option, &path], b"");
            assert_eq!(ran.code, 2, "{}", ran.stderr);
            ran.said(&format!("{path}: is an output; name another file with {option}"));
        }
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_list_of_another_run_does_not_stay_beside_new_output() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("few.toml"), "[filters]\nmin_words = 100000\n").unwrap();
    let run = |more: &[&str]| {
        let options = ["-o", "o.jsonl", "--dropped", "d.jsonl", "--set-aside", "pdf=p.warc.gz"];
        trommel(folder.path(), &[&["run", "a.warc.gz"], &options[..], more].concat(), b"")
    };
    run(&["--config", "few.toml"]).well();
    assert!(fs::read_to_string(at("d.jsonl")).unwrap().contains("\"too-short\""));
    fs::write(at("p.warc.gz"), "of another run").unwrap();
    // An archive of which nothing is dropped.
    fs::write(at("a.warc.gz"), page_record(1, "http://example.org/", "<p>A page of words.")).unwrap();
    assert!(run(&[]).stderr.contains("is there already"));
    run(&["--overwrite"]).well();
    assert!(!at("d.jsonl").exists() && !at("p.warc.gz").exists());
}

#[test]
fn counts_that_do_not_add_up_are_told_and_nothing_is_certified() {
    let folder = folder();
    let out = folder.path().join("out");
    let run = |more: &[&str]| {
        let all = [&["run", "a.warc.gz", "-o", "out"], more].concat();
        trommel(folder.path(), &all, b"")
    };
    run(&[]).well();
    // As if a record had been lost: one more was read than is accounted for.
    let state = out.join(".run.checkpoint");
    let bytes = fs::read(&state).unwrap();
    let mut bytes = bytes[..bytes.len() - 32].to_vec();
    let key = b"\xa7records";
    let at = bytes.windows(key.len()).position(|part| part == key).unwrap() + key.len();
    let records = bytes[at];
    assert!(records < 127, "{records}");
    bytes[at] += 1;
    fs::write(&state, [&bytes[..], &Sha256::digest(&bytes)[..]].concat()).unwrap();
    let told =
        format!("the counts do not add up: {} records read, but {records} documents, drops and failures", records + 1);
    fs::copy(folder.path().join("a.warc.gz"), folder.path().join("b.warc.gz")).unwrap();
    for inputs in [&[][..], &["b.warc.gz"]] {
        let ran = run(&[inputs, &["--resume"]].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        let told = match inputs {
            [] => told.clone(),
            _ => format!("do not add up: {} records read", 2 * records + 1),
        };
        ran.said(&told);
    }
    // The second began to write.
    assert!(!out.join("_SUCCESS").exists());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::{Command, Stdio};

    #[test]
    fn what_is_no_file_is_written_in_place() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("p.html"), "<p>A page of a few words.").unwrap();
        for arguments in [
            "run a.warc.gz -o s.jsonl --overwrite --summary pipe",
            "run a.warc.gz -o s.jsonl --overwrite --dropped pipe",
            "run a.warc.gz -o s.jsonl --overwrite --quarantine pipe",
            "sites build a.warc.gz -o pipe",
            "inspect p.html -o pipe",
            "extract p.html -o pipe",
        ] {
            let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
            assert!(made.success());
            let mut reader = Command::new("cat");
            let reader = reader.arg("pipe").current_dir(folder.path());
            let mut reader = reader.stdout(Stdio::null()).spawn().unwrap();
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let ran = trommel(folder.path(), &arguments, b"");
            assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
            let kind = fs::symlink_metadata(at("pipe")).unwrap().file_type();
            assert!(kind.is_fifo(), "{arguments:?}");
            // Of a file that nothing was written to, nobody opened the other end.
            let _ = (reader.kill(), reader.wait());
            fs::remove_file(at("pipe")).unwrap();
            // Only root makes devices.
            let mknod = Command::new("mknod").arg(at("pipe")).args(["c", "1", "3"]).output();
            if mknod.is_ok_and(|made| made.status.success()) {
                let ran = trommel(folder.path(), &arguments, b"");
                assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
                let kind = fs::symlink_metadata(at("pipe")).unwrap().file_type();
                assert!(kind.is_char_device(), "{arguments:?}");
                fs::remove_file(at("pipe")).unwrap();
            }
        }
        // An output itself is never a pipe.
        assert!(Command::new("mkfifo").arg(at("o.jsonl")).status().unwrap().success());
        let ran = trommel(folder.path(), &["run", "a.warc.gz", "-o", "o.jsonl", "--overwrite"], b"");
        ran.ended(2, "is a device, pipe or socket");
        assert!(fs::symlink_metadata(at("o.jsonl")).unwrap().file_type().is_fifo());
    }

    #[test]
    fn planted_links_are_not_written_through() {
        let folder = folder();
        let (out, victims) = (folder.path().join("out"), folder.path().join("victims"));
        for more in [&[][..], &["-f", "bulk,parquet,jsonl"]] {
            for path in [&out, &victims] {
                fs::create_dir(path).unwrap();
            }
            let names = [
                ".run.journal", "..run.checkpoint.tmp", "._MANIFEST.tmp", "._SUCCESS.tmp", "_SUCCESS",
                ".a.jsonl.zst.tmp", ".a.parquet.tmp", ".a.parquet.part", ".a.bulk.ndjson.gz.tmp",
                "._bulk.mapping.json.tmp", ".quarantine.warc.gz.tmp",
            ];
            for name in names {
                fs::write(victims.join(name), "precious").unwrap();
                symlink(victims.join(name), out.join(name)).unwrap();
            }
            let all = [&["run", "a.warc.gz", "-o", "out"], more].concat();
            trommel(folder.path(), &all, b"").well();
            for name in names {
                assert_eq!(fs::read(victims.join(name)).unwrap(), b"precious", "{name}");
            }
            // Of a name that only this program has, a link is an error.
            for name in [".run.checkpoint", ".run.lock", "_MANIFEST"] {
                let _ = fs::remove_file(out.join(name));
                symlink(victims.join("nothing"), out.join(name)).unwrap();
                let ran = trommel(folder.path(), &[&all[..], &["--resume"]].concat(), b"");
                assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
                assert!(!victims.join("nothing").exists(), "{name}");
                fs::remove_file(out.join(name)).unwrap();
            }
            for path in [&out, &victims] {
                fs::remove_dir_all(path).unwrap();
            }
        }
    }

    #[test]
    fn a_bound_on_files_ends_a_run_with_a_word() {
        let folder = folder();
        let script = format!("ulimit -f 4; exec {} run a.warc.gz -o o.jsonl", env!("CARGO_BIN_EXE_trommel"));
        let ran =
            Command::new("sh").args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        let words = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{words}");
        assert!(words.contains("File too large"), "{words}");
    }
}
