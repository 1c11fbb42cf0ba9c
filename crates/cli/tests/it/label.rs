//! Tests `trommel label` as a process.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::program::{signal, trommel};

const ID: &str = "urn:uuid:of-the-only-page";

/// Writes an archive with one page into a folder.
fn archive(folder: &Path) {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The mill stands by the river.</p>";
    let length = http.len();
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{ID}>\r\nWARC-Target-URI: http://h.example/\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n"
    );
    fs::write(folder.join("own mill.warc"), record).unwrap();
}

/// Starts `trommel label` on a Unix socket. Returns its process, its standard error, and the first line of that.
fn begin(folder: &Path) -> (Child, BufReader<ChildStderr>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trommel"))
        .args(["label", "own mill.warc", "--gold", "own.jsonl", "--listen", "unix:l.sock"])
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    (child, stderr, line)
}

/// Stops the process of `trommel label` and returns the rest of its standard error.
fn end((mut child, mut stderr, _): (Child, BufReader<ChildStderr>, String)) -> String {
    signal(&child, "TERM");
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    said
}

#[test]
fn it_says_when_all_is_labelled_and_what_comes_next() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let next = "all of 1 pages are labelled in own.jsonl; next: \
        trommel eval --pages 'own mill.warc' --gold own.jsonl, or \
        trommel train --from fast --pages 'own mill.warc' --gold own.jsonl -o own.trommel";

    let running = begin(folder.path());
    assert_eq!(running.2, "0 of 1 pages are labelled in own.jsonl; open unix:l.sock to go on, Ctrl-C to end\n");
    let mut stream = UnixStream::connect(folder.path().join("l.sock")).unwrap();
    let body = r#"{"roles":["body"]}"#;
    write!(
        stream,
        "PUT /pages/0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(end(running).ends_with(&format!("{next}\n")));

    let running = begin(folder.path());
    assert!(running.2.starts_with(next), "{}", running.2);
    assert!(end(running).ends_with(&format!("{next}\n")));

    // The first of the commands, as it was said.
    let arguments = ["eval", "--pages", "own mill.warc", "--gold", "own.jsonl", "--json"];
    assert_eq!(trommel(folder.path(), &arguments, b"").json()["overall"]["pages"], 1);
}
