//! Tests runs that follow growing inputs: their output, their messages, and the list of dropped records.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use trommel::archive::write::gzip_member;

use crate::program::{json_file, rows, signal, trommel};
use crate::sample::page_record;

/// Returns a WARC record with a page about mill `number`.
fn record(number: usize) -> Vec<u8> {
    let text = format!("The mill number {number} stands by the river, and it has been there for years. ");
    let html = format!("<html><body><p>{}</p></body></html>", text.repeat(5));
    page_record(number, &format!("http://example.com/{number}"), &html)
}

fn gzip(number: usize) -> Vec<u8> {
    gzip_member(&record(number), 6).unwrap()
}

/// Run with `--follow` as a child process, which is killed when it is dropped.
struct Live(Child);

impl Live {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trommel"));
        command.current_dir(folder).arg("run").args(arguments);
        command.args(["--follow", "--idle", "0.3"]);
        let stderr = File::create(folder.join("stderr")).unwrap();
        let stdout = File::create(folder.join("stdout")).unwrap();
        command.stdin(Stdio::piped()).stdout(stdout).stderr(stderr);
        Self(command.spawn().unwrap())
    }

    fn send(&mut self, bytes: &[u8]) {
        let input = self.0.stdin.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends SIGTERM to the run and returns its exit code.
    fn stop(mut self) -> Option<i32> {
        signal(&self.0, "TERM");
        self.0.wait().unwrap().code()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Waits until `holds` returns true, at most 60 s.
#[track_caller]
fn wait(folder: &Path, what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        let stderr = fs::read_to_string(folder.join("stderr")).unwrap_or_default();
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}\n{stderr}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

fn stdout(folder: &Path) -> Vec<Value> {
    rows(&fs::read_to_string(folder.join("stdout")).unwrap_or_default())
}

/// Sorts documents by their archive and offset.
fn sorted(mut documents: Vec<Value>) -> Vec<Value> {
    documents.sort_by_key(|line| {
        let source = &line["source"];
        (source["file"].to_string(), source["offset"].as_u64())
    });
    documents
}

/// Reads all documents in the `.jsonl` files of a folder, sorted by place.
fn documents(folder: &Path) -> Vec<Value> {
    let mut found = Vec::new();
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name().into_string().unwrap();
        if name.ends_with(".jsonl") && !name.starts_with('.') {
            found.extend(rows(&fs::read_to_string(file.path()).unwrap()));
        }
    }
    sorted(found)
}

/// Checks that progress states the bytes read but no time left, because inputs that grow have no known end.
#[test]
fn progress_tells_what_was_read_and_not_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let archive = [record(1), record(2)].concat();
    fs::write(folder.path().join("a.warc"), &archive).unwrap();
    let live = Live::start(folder.path(), &["a.warc", "-o", "-"]);
    let said = format!(" {} bytes, ", archive.len());
    let told = || fs::read_to_string(folder.path().join("stderr")).unwrap_or_default();
    wait(folder.path(), "the bytes read", || told().contains(&said));
    assert!(!told().contains(" left"), "{}", told());
    assert_eq!(live.stop(), Some(0));
}

/// Checks that a file that grows by parts of records gives the same documents as a complete file, plain and compressed.
#[test]
fn a_growing_file_gives_what_a_whole_one_does() {
    for (name, records) in [("a.warc", [record(1), record(2), record(3)]), ("a.warc.gz", [gzip(1), gzip(2), gzip(3)])] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let path = at.join(name);
        let run = Live::start(at, &[name, "-o", "-", "--summary", "counts.json"]);
        append(&path, &records[0]);
        wait(at, "the first document, with nothing behind it", || stdout(at).len() == 1);
        let half = records[1].len() / 2;
        append(&path, &records[1][..half]);
        thread::sleep(Duration::from_millis(500));
        assert_eq!(stdout(at).len(), 1, "{name}: half a record is none");
        append(&path, &records[1][half..]);
        wait(at, "the second document", || stdout(at).len() == 2);
        append(&path, &records[2]);
        wait(at, "the third document", || stdout(at).len() == 3);
        let code = run.stop();
        let stderr = fs::read_to_string(at.join("stderr")).unwrap();
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(stdout(at), trommel(at, &["run", name, "-o", "-"], b"").rows(), "{name}");
        let counts = json_file(at.join("counts.json"));
        assert_eq!(counts["stored_bytes"], fs::metadata(&path).unwrap().len(), "{name}: {counts}");
    }
}

#[test]
fn a_pipe_is_written_out_when_it_is_silent_and_ends_the_run_when_it_ends() {
    for make in [gzip, record] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let mut run = Live::start(at, &["-", "-o", "-", "--summary", "counts.json"]);
        run.send(&make(1));
        wait(at, "the first document", || stdout(at).len() == 1);
        run.send(&make(2));
        let last = make(3);
        run.send(&last[..last.len() - 20]);
        wait(at, "the second document", || stdout(at).len() == 2);
        drop(run.0.stdin.take());
        // The last record is cut: that is damage now.
        assert_eq!(run.0.wait().unwrap().code(), Some(1));
        assert_eq!(stdout(at).len(), 3);
        let stderr = fs::read_to_string(at.join("stderr")).unwrap();
        assert!(stderr.contains("file is cut"), "{stderr}");
        let counts = json_file(at.join("counts.json"));
        assert_eq!(counts["stored_bytes"], make(1).len() + make(2).len() + last.len() - 20, "{counts}");
    }
}

/// Checks that a file that is cut or replaced during a run is reported, and that its new contents are read.
#[test]
fn files_that_are_cut_or_replaced_are_told_and_read() {
    for (name, make) in [("a.warc", record as fn(usize) -> Vec<u8>), ("a.warc.gz", gzip)] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let path = at.join(name);
        let said = |words: &str| fs::read_to_string(at.join("stderr")).unwrap().matches(words).count();
        append(&path, &[make(1), make(2)].concat());
        let run = Live::start(at, &[name, "-o", "-"]);
        wait(at, "two documents", || stdout(at).len() == 2);
        File::options().write(true).open(&path).unwrap().set_len(make(1).len() as u64).unwrap();
        wait(at, "a warning", || said("it was cut") == 1);
        append(&path, &[make(2), make(3)].concat());
        wait(at, "the third document, and nothing again", || stdout(at).len() == 3);
        assert_eq!(said("other contents"), 0);
        fs::write(&path, make(4)).unwrap();
        wait(at, "the document of other contents", || stdout(at).len() == 4);
        fs::write(at.join("new"), [make(5), make(6), make(7), make(8)].concat()).unwrap();
        fs::rename(at.join("new"), &path).unwrap();
        wait(at, "those of another file", || stdout(at).len() == 8);
        assert_eq!((said("other contents"), said("it was cut")), (2, 1), "{name}");
        assert_eq!(run.stop(), Some(0));
        let urls: Vec<String> = stdout(at).iter().map(|line| line["url"].as_str().unwrap().to_owned()).collect();
        assert_eq!(urls, (1..9).map(|at| format!("http://example.com/{at}")).collect::<Vec<_>>());
    }
}

/// Checks that files named as by three crawlers are read only once, although the run is killed and stopped in between.
#[test]
fn rolling_files_are_read_once_however_often_the_run_ends() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let crawl = at.join("crawl");
    fs::create_dir(&crawl).unwrap();
    let start = |more: &[&str]| {
        Live::start(at, &[&["crawl", "-o", "out", "-f", "jsonl", "--compress", "none"][..], more].concat())
    };
    let count = |number: usize| {
        wait(at, "documents", || documents(&at.join("out")).len() >= number);
        let ids = documents(&at.join("out"));
        let ids: Vec<&Value> = ids.iter().map(|line| &line["id"]).collect();
        assert_eq!(ids.len(), number, "{ids:?}");
    };
    append(&crawl.join("x.warc.gz.open"), &gzip(1));
    let run = start(&[]);
    count(1);
    append(&crawl.join("x.warc.gz.open"), &gzip(2));
    count(2);
    // Renamed and followed by another, while nobody looks.
    drop(run);
    append(&crawl.join("x.warc.gz.open"), &gzip(3));
    fs::rename(crawl.join("x.warc.gz.open"), crawl.join("x.warc.gz")).unwrap();
    append(&crawl.join("y-00001.warc.gz"), &gzip(4));
    let run = start(&["--resume"]);
    count(4);
    append(&crawl.join("y-00001.warc.gz"), &gzip(5));
    append(&crawl.join("z.warc"), &record(6));
    count(6);
    assert_eq!(run.stop(), Some(2));
    let stderr = fs::read_to_string(at.join("stderr")).unwrap();
    assert!(stderr.contains("--resume"), "{stderr}");
    append(&crawl.join("z.warc"), &record(7));
    let mut last = start(&["--resume", "--until-idle", "1"]);
    assert_eq!(last.0.wait().unwrap().code(), Some(0));
    count(7);
    let whole = trommel(at, &["run", "crawl", "-o", "-"], b"");
    assert_eq!(documents(&at.join("out")), sorted(whole.rows()));
}

#[test]
fn metrics_are_answered_while_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    append(&at.join("a.warc.gz"), &gzip(1));
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let address = format!("127.0.0.1:{port}");
    let _run = Live::start(at, &["a.warc.gz", "-o", "-", "--metrics", &address]);
    wait(at, "a document", || stdout(at).len() == 1);
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    for line in
        ["trommel_records_total 1", "trommel_documents_total 1", "trommel_stage_seconds_count{stage=\"parse\"} 1"]
    {
        assert!(answer.lines().any(|other| other == line), "{line}\n{answer}");
    }
    let taken = trommel(at, &["run", "a.warc.gz", "-o", "x.jsonl", "--metrics", "1.2.3.4:1"], b"");
    assert_eq!(taken.code, 2);
    taken.said("cannot listen: 1.2.3.4:1");
}
