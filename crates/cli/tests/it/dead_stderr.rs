//! Tests commands whose standard error cannot be written: messages are dropped.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::{self, json_file, signal};
use crate::sample::page_record;

/// Returns outputs that cannot be written: a pipe without a reader and, where the system has one, a full disk.
fn dead() -> Vec<Stdio> {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let full = File::options().write(true).open("/dev/full").ok();
    [Some(writer.into()), full.map(Stdio::from)].into_iter().flatten().collect()
}

fn begin(folder: &Path, arguments: &[&str], stderr: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trommel"));
    command.current_dir(folder).args(arguments).env_remove("RUST_LOG").env_remove("TROMMEL_TOKEN");
    let stdout = File::create(folder.join("stdout")).unwrap();
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().unwrap()
}

fn archive(from: usize) -> Vec<u8> {
    let page = |number: usize| {
        let text = format!("The mill number {number} stands by the river, and it has been there for years. ");
        page_record(number, &format!("http://example.com/{number}"), &format!("<p>{}", text.repeat(5)))
    };
    (from..from + 5).flat_map(page).collect()
}

/// Waits until `holds` returns true; fails if the program ends first.
fn wait(child: &mut Child, what: &str, holds: impl Fn() -> bool) {
    program::wait(what, || {
        assert!(child.try_wait().unwrap().is_none(), "{what}: it ended");
        holds()
    });
}

fn terminated(mut child: Child) -> Option<i32> {
    signal(&child, "TERM");
    program::wait("the end", || child.try_wait().unwrap().is_some());
    child.wait().unwrap().code()
}

#[test]
fn a_run_ends_as_ever() {
    for stderr in dead() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.warc"), archive(0)).unwrap();
        // A damaged place is told, and so is the summary.
        fs::write(folder.path().join("b.warc"), [archive(10), b"JUNK ".repeat(50), archive(20)].concat()).unwrap();
        let arguments = ["run", "a.warc", "b.warc", "gone.warc", "-o", "out", "--summary", "s.json"];
        assert_eq!(begin(folder.path(), &arguments, stderr).wait().unwrap().code(), Some(1));
        assert_eq!(json_file(folder.path().join("s.json"))["documents"], 15);
        assert!(folder.path().join("out/_SUCCESS").exists());
    }
    for (stderr, arguments) in dead().into_iter().zip([["extract", "gone.html"], ["--log-format=json", "nonsense"]]) {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(begin(folder.path(), &arguments, stderr).wait().unwrap().code(), Some(2));
    }
}

#[test]
fn a_followed_run_goes_on_and_ends_when_it_is_told_to() {
    for stderr in dead() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.warc"), archive(0)).unwrap();
        let arguments = ["run", "*.warc", "-o", "-", "--follow", "--idle", "0.2"];
        let mut child = begin(folder.path(), &arguments, stderr);
        let has = |length: usize| {
            let written = fs::read_to_string(folder.path().join("stdout")).unwrap_or_default();
            written.lines().count() == length
        };
        wait(&mut child, "the first file", || has(5));
        fs::write(folder.path().join("b.warc"), [b"JUNK ".repeat(50), archive(10)].concat()).unwrap();
        wait(&mut child, "the second file", || has(10));
        assert_eq!(terminated(child), Some(1));
    }
}

#[test]
#[cfg(feature = "serve")]
fn a_service_answers_and_ends_when_it_is_told_to() {
    for stderr in dead() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut child = begin(folder.path(), &["-v", "serve", "--listen", "unix:s"], stderr);
        wait(&mut child, "the socket", || UnixStream::connect(&path).is_ok());
        for _ in 0..3 {
            let mut stream = UnixStream::connect(&path).unwrap();
            let page = "<p>The mill stands by the river, and it has been there for years.";
            let head = format!("POST /extract HTTP/1.0\r\nContent-Length: {}\r\n\r\n{page}", page.len());
            stream.write_all(head.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.contains(" 200 ") && answer.contains("The mill stands"), "{answer}");
        }
        assert_eq!(terminated(child), Some(0));
    }
}
