//! Tests reads that wait: named pipes, slow servers and idle pipes.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::{fs, thread, time::Duration};

use serde_json::Value;

use crate::program::{json_file, signal, trommel, wait, workspace};
use crate::sample::{archive_bytes, documents};
use crate::servers::serve;

fn make_pipe(path: &Path) -> bool {
    let is_made = Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success());
    if !is_made {
        eprintln!("skipped: mkfifo is not installed");
    }
    is_made
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_trommel"))
        .arg("run")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the first input is done, sends SIGTERM to the program, and returns its exit code.
fn stopped(folder: &Path, child: &mut Child) -> Option<i32> {
    wait("the first output", || folder.join("out/a.jsonl.zst").exists());
    signal(child, "TERM");
    let mut code = None;
    wait("the end", || {
        let ended = child.try_wait().unwrap();
        code = ended.and_then(|status| status.code());
        ended.is_some()
    });
    code
}

/// Asserts that a stopped run leaves its saved state and its counts.
fn left(folder: &Path) {
    assert!(folder.join("out/.run.checkpoint").exists());
    assert!(!folder.join("out/_SUCCESS").exists());
    let summary = json_file(folder.join("s.json"));
    assert!(summary["ended_early"].is_string(), "{summary}");
    assert_eq!(summary["documents"], documents(&workspace()).len());
}

#[test]
fn a_run_that_waits_for_a_named_pipe_can_be_stopped_and_continued() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("b.warc.gz");
    if !make_pipe(&pipe) {
        return;
    }
    fs::write(folder.path().join("a.warc.gz"), archive_bytes()).unwrap();
    let arguments = ["a.warc.gz", "b.warc.gz", "-o", "out", "--summary", "s.json"];
    let mut child = start(folder.path(), &arguments);
    assert_eq!(stopped(folder.path(), &mut child), Some(2));
    left(folder.path());
    fs::remove_file(&pipe).unwrap();
    fs::write(&pipe, archive_bytes()).unwrap();
    trommel(folder.path(), &[&["run"], &arguments[..], &["--resume"]].concat(), b"").well();
    assert!(folder.path().join("out/_SUCCESS").exists());
    let bytes = |name: &str| fs::read(folder.path().join("out").join(name)).unwrap();
    assert!(!bytes("b.jsonl.zst").is_empty());
}

#[test]
fn a_run_that_waits_for_a_server_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc.gz"), archive_bytes()).unwrap();
    let port = serve(TcpListener::bind("127.0.0.1:0").unwrap(), |_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 100000\r\n\r\n")?;
        archive_bytes().into_iter().try_for_each(|byte| {
            thread::sleep(Duration::from_millis(200));
            stream.write_all(&[byte])
        })
    });
    let url = format!("http://127.0.0.1:{port}/b.warc.gz");
    let mut child = start(folder.path(), &["a.warc.gz", &url, "-o", "out", "--summary", "s.json"]);
    assert_eq!(stopped(folder.path(), &mut child), Some(2));
    left(folder.path());
}

#[test]
fn a_named_pipe_in_a_folder_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/a.warc.gz"), archive_bytes()).unwrap();
    if !make_pipe(&folder.path().join("in/b.warc.gz")) {
        return;
    }
    let mut child = start(folder.path(), &["in", "-o", "out"]);
    wait("the end", || child.try_wait().unwrap().is_some());
    let ran = child.wait_with_output().unwrap();
    assert!(ran.status.success());
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains("in: passed over: 1 pipes, sockets, devices or dead links"), "{said}");
}

#[test]
fn what_is_known_is_written_when_a_pipe_idles() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path(), &["-", "-o", "-"]);
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(&archive_bytes()).unwrap();
    input.flush().unwrap();
    // The pipe stays open: the line of a document comes all the same.
    let document: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(document["id"], documents(&workspace())[0]["id"]);
    drop(input);
    assert_eq!(lines.count(), documents(&workspace()).len() - 1);
    assert!(child.wait().unwrap().success());
}
