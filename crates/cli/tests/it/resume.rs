//! Tests `trommel run --resume`: a killed or stopped run ends with the same bytes as an uninterrupted run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

use crate::program::{self, json_file, trommel, wait};
use crate::sample::{archive_bytes, page_record};

/// Writes the sample archive several times into one file.
fn repeated(folder: &Path, times: usize) -> PathBuf {
    let path = folder.join("long.warc.gz");
    fs::write(&path, archive_bytes().repeat(times)).unwrap();
    path
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_trommel"))
        .arg("run")
        .args(arguments)
        .current_dir(folder)
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the contents of each file in a folder, by name. An index is represented by the result of a search for all
/// its documents, because its files have random names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder)
        .into_iter()
        .map(|name| {
            let bytes = if folder.join(&name).is_dir() {
                let all = ["search", "--index", &name, "-n", "9999", "--json", "--", "-nowhere"];
                trommel(folder, &all, b"").well().as_bytes().to_vec()
            } else {
                fs::read(folder.join(&name)).unwrap()
            };
            assert!(name == "_SUCCESS" || !bytes.is_empty(), "{name}");
            (name, bytes)
        })
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    // All but the state of the run, which has times in it, and its lock.
    let states = [".run.checkpoint", ".run.journal.tmp", ".run.lock", "_STATE"];
    let mut names = program::names(folder);
    names.retain(|name| !states.contains(&name.as_str()));
    names
}

/// Returns whether a folder of outputs has the saved state of an interrupted run.
fn has_state(folder: &Path) -> bool {
    folder.is_dir() && program::names(folder).iter().any(|name| name.ends_with(".checkpoint"))
}

/// Reads the counts of a run from its summary, without times.
fn counts(path: &Path) -> Value {
    let mut summary = json_file(path);
    for key in ["seconds", "page_times"] {
        summary.as_object_mut().unwrap().remove(key);
    }
    summary
}

/// Generator of reproducible pseudo-random numbers, seeded by the field.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// Kills a run with at least `outputs` files `kills` times, continues it, and compares it with an unbroken run.
fn kill_and_resume(format: &[&str], outputs: usize, kills: u32) {
    let folder = tempfile::tempdir().unwrap();
    let archive = repeated(folder.path(), 3);
    let archive = archive.to_str().unwrap();
    let arguments = |summary| {
        let mut all = vec![archive, archive, "-o", "out", "--summary", summary];
        // The whole one reads the archives one after the other, the others side by side.
        let jobs = if summary == "whole.json" { "2" } else { "16" };
        all.extend(["-j", jobs, "--set", "checkpoint=64K"]);
        all.extend(format);
        all
    };
    let begin = Instant::now();
    let whole = trommel(folder.path(), &[&["run"], &arguments("whole.json")[..]].concat(), b"");
    let time = u64::try_from(begin.elapsed().as_millis()).unwrap();
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let out = folder.path().join("out");
    let expected = files(&out);
    // With the manifest and the mark that the folder is complete.
    assert!(expected.len() >= outputs + 2, "{:?}", expected.keys());
    fs::rename(&out, folder.path().join("whole")).unwrap();

    let mut numbers = Numbers(7);
    let mut killed = 0;
    loop {
        let mut arguments = arguments("resumed.json");
        arguments.push("--resume");
        let mut child = start(folder.path(), &arguments);
        if killed == 0 {
            // Once at a moment that is sure to be in the middle of the run.
            wait("a state", || has_state(&out));
            child.kill().unwrap();
        } else if killed < kills {
            thread::sleep(Duration::from_millis(numbers.below(time)));
            child.kill().unwrap();
        }
        let ended = child.wait_with_output().unwrap();
        if ended.status.success() {
            break;
        }
        assert_eq!(ended.status.code(), None, "{:?}", ended.stderr);
        killed += 1;
        let left = names(&out);
        for name in &left {
            assert!(name.starts_with('.') || expected.contains_key(name), "{name}");
        }
        if left.iter().any(|name| name == "_SUCCESS") {
            // Killed after its last byte and before its end: all there is must be right. It may have been
            // saving that it has finished.
            for name in ["..run.checkpoint.tmp", "._STATE.tmp"] {
                let _ = fs::remove_file(out.join(name));
            }
            assert!(files(&out) == expected, "{format:?}");
            return;
        }
    }
    assert!(files(&out) == expected, "{format:?}");
    let hidden: Vec<String> = program::names(&out).into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(hidden.is_empty(), "{format:?}: {hidden:?}");
    assert_eq!(counts(&folder.path().join("resumed.json")), counts(&folder.path().join("whole.json")));
}

#[test]
fn killed_runs_of_json_lines_end_with_the_same_bytes() {
    kill_and_resume(&["-f", "jsonl", "--compress", "zst"], 2, 2);
}

#[test]
fn killed_runs_of_wet_end_with_the_same_bytes() {
    kill_and_resume(&["-f", "wet"], 2, 2);
}

#[test]
fn killed_runs_of_messagepack_end_with_the_same_bytes() {
    kill_and_resume(&["-f", "msgpack", "--compress", "gz"], 2, 2);
}

#[test]
fn killed_runs_for_search_engines_end_with_the_same_bytes() {
    kill_and_resume(&["-f", "bulk,anserini,trec"], 6, 2);
}

#[cfg(all(feature = "parquet", feature = "index"))]
#[test]
fn killed_runs_of_assembled_formats_end_with_the_same_documents() {
    kill_and_resume(&["-f", "parquet", "--blocks"], 2, 1);
    kill_and_resume(&["-f", "tantivy"], 2, 1);
    kill_and_resume(&["-f", "jsonl,wet,parquet,tantivy"], 8, 2);
}

#[test]
fn killed_runs_in_parts_end_with_the_same_bytes() {
    kill_and_resume(&["-f", "jsonl,wet", "--split-size", "100K"], 12, 3);
}

/// Starts a long run, waits for its first saved state and sends it the signal `name`. Returns its result.
#[cfg(unix)]
fn signalled(name: &str) -> (ExitStatus, String) {
    let folder = tempfile::tempdir().unwrap();
    let archive = repeated(folder.path(), 40);
    let arguments =
        [archive.to_str().unwrap(), "-o", "out", "-j", "1", "--set", "checkpoint=16K", "--summary", "s.json"];
    let child = start(folder.path(), &arguments);
    let state = folder.path().join("out/.run.checkpoint");
    wait("a state", || state.exists());
    program::signal(&child, name);
    let ended = child.wait_with_output().unwrap();
    assert!(state.exists() && !folder.path().join("out/long.jsonl.zst").exists());
    // What was done is counted.
    let counts = counts(&folder.path().join("s.json"));
    assert_eq!(counts["ended_early"], "stopped");
    assert!(counts["records"].as_u64().unwrap() > 1, "{counts}");
    (ended.status, String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[cfg(unix)]
#[test]
fn signals_end_with_a_state_and_say_how_to_continue() {
    for (name, code) in [("TERM", 2), ("INT", 130)] {
        let (status, words) = signalled(name);
        assert_eq!(status.code(), Some(code), "{name}: {words}");
        assert!(words.contains("trommel: stopped\n"), "{words}");
        assert!(words.contains("continue with the same command and --resume"), "{words}");
    }
}

/// Writes an archive with one page that takes seconds to extract.
#[cfg(unix)]
fn slow(folder: &Path) -> PathBuf {
    let page = "<p>A paragraph of <b>many</b>.</p>".repeat(500_000);
    let path = folder.join("slow.warc");
    fs::write(&path, page_record(1, "http://example.org/", &page)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path(), &[slow(folder.path()).to_str().unwrap(), "-o", "out"]);
    let begun = folder.path().join("out/.slow.jsonl.zst.tmp");
    wait("the output", || begun.exists());
    let mut sent = 0;
    while child.try_wait().unwrap().is_none() {
        program::signal(&child, "INT");
        sent += 1;
        thread::sleep(Duration::from_millis(1));
    }
    let ended = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{words}");
    assert!(sent >= 2);
    // A run that ends in good order says so.
    assert!(!words.contains("stopped"), "{words}");
}
