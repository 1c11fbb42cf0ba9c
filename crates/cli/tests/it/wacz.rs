//! Tests large and remote WACZ files, and texts written into them; `tests/cases/wacz.txt` tests the others.

use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use trommel::archive::write::gzip_member;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::program::{rows, trommel};
#[cfg(feature = "remote")]
use crate::remote::with_s3;
use crate::sample::{archive_bytes, archive_path, record};
use crate::select::run;
use crate::servers::{BreakingServer, ServerBehaviour};

pub const STORED: CompressionMethod = CompressionMethod::Stored;
pub const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

pub fn zip(entries: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn entry(path: &Path, name: &str) -> Vec<u8> {
    let mut zip = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Parses the lines of a run, and sets the name of the archive in each to `file`.
fn lines(text: &str, file: &str) -> Vec<Value> {
    let mut lines = rows(text);
    for line in &mut lines {
        line["source"]["file"] = file.into();
        line["source"]["name"] = file.into();
    }
    lines
}

/// Returns the documents of the sample archive, read from outside of a WACZ file.
fn expected(folder: &Path) -> Vec<Value> {
    lines(run(folder, &[&archive_path(), "-o", "-"]).well(), "x")
}

/// Returns a WARC record as a separate gzip member.
fn member(kind: &str, number: usize, url: &str, more: &[(&str, &str)], block: &str) -> Vec<u8> {
    gzip_member(&record(kind, number, url, more, block.as_bytes()), 6).unwrap()
}

/// Returns an HTTP response with a page; `title` is the HTML of a title element or empty.
fn page(title: &str, word: &str) -> String {
    let text = format!("The {word} stands by the river, and it has been there for many years. ");
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>{title}<body><p>{}</p></body></html>",
        text.repeat(5)
    )
}

#[test]
fn an_archive_in_a_large_container_gives_what_it_gives_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    let sample = archive_bytes();
    // A container of ZIP64, known by its first bytes rather than by its name.
    let mut large = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(STORED);
    for number in 0..66_000 {
        large.start_file(format!("other/{number}"), options).unwrap();
    }
    large.start_file("archive/data.warc.gz", options.large_file(true)).unwrap();
    large.write_all(&sample).unwrap();
    fs::write(at.join("large.zip"), large.finish().unwrap().into_inner()).unwrap();
    assert!(lines(run(at, &["large.zip", "-o", "-"]).well(), "x") == expected);
}

/// Returns the total number of bytes of the ranges requested from a server.
#[cfg(feature = "remote")]
fn asked(server: &BreakingServer) -> u64 {
    let requests = server.requests.lock().unwrap();
    let ranges = requests.iter().map(|range| {
        let (from, to) = range.trim_start_matches("bytes=").split_once('-').unwrap();
        to.parse::<u64>().unwrap() - from.parse::<u64>().unwrap() + 1
    });
    ranges.sum()
}

/// Checks that a WACZ file in an S3 bucket is read by byte ranges, on a test server with that one object.
#[cfg(feature = "remote")]
#[test]
fn containers_in_buckets_are_read_by_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    let bytes = zip(&[("other/large", STORED, &vec![7; 20 << 20]), ("archive/data.warc.gz", STORED, &archive_bytes())]);
    let manners = ServerBehaviour { most: usize::MAX, ranges: true, tag: true, ..ServerBehaviour::default() };
    let server = BreakingServer::start(bytes, manners);
    let url = "s3://crawl/a/x.wacz";
    let ran = with_s3(at, server.port, &["run", url, "-o", "-"]);
    assert!(lines(ran.well(), "x") == expected);
    assert_eq!(ran.rows()[0]["source"]["file"], format!("{url}!archive/data.warc.gz"));
    let asked = asked(&server);
    assert!(asked < 12 << 20, "{asked} bytes asked for");
}

#[cfg(feature = "remote")]
#[test]
fn containers_behind_a_network_are_read_by_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    // Much in it that nobody needs.
    let bytes = zip(&[
        ("other/large", STORED, &vec![7; 20 << 20]),
        ("archive/data.warc.gz", STORED, &archive_bytes()),
        ("archive/deflated.warc.gz", DEFLATED, &archive_bytes()),
    ]);
    let whole = ServerBehaviour { most: usize::MAX, ..ServerBehaviour::default() };
    let server = BreakingServer::start(bytes.clone(), ServerBehaviour { ranges: true, ..whole });
    let url = server.url("x.wacz");
    let ran = run(at, &[&url, "-o", "-"]);
    let found = lines(ran.well(), "x");
    assert_eq!(found.len(), 2 * expected.len());
    assert!(found[..expected.len()] == expected && found[expected.len()..] == expected);
    assert_eq!(ran.rows()[0]["source"]["file"], format!("{url}!archive/data.warc.gz"));
    let asked = asked(&server);
    assert!(asked < 12 << 20, "{asked} bytes asked for");
    run(at, &[&BreakingServer::start(bytes, whole).url("x.wacz"), "-o", "-"])
        .ended(2, "x.wacz: the server gives no parts of it");
}

#[test]
fn texts_are_written_into_the_list_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let archive = [
        member("response", 1, "http://a.example/", &[], &page("", "mill")),
        member("response", 2, "http://a.example/x", &[], &page("", "house")),
    ]
    .concat();
    let pages = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All\"}\n\
        {\"id\":\"1\",\"url\":\"http://a.example/\",\"ts\":\"2024-05-18T01:58:10Z\",\"text\":\"old\"}\n\
        {\"id\":\"2\",\"url\":\"http://gone.example/\",\"ts\":\"2024-05-18T01:58:10Z\",\"text\":\"old\"}\n";
    let bytes = zip(&[
        ("archive/a.warc.gz", DEFLATED, &archive),
        ("pages/pages.jsonl", DEFLATED, pages.as_bytes()),
        ("indexes/index.cdx.gz", STORED, b"not looked at"),
    ]);
    fs::write(at.join("x.wacz"), bytes).unwrap();
    let ran = trommel(at, &["wacz", "text", "x.wacz", "-o", "y.wacz"], b"");
    ran.well();
    ran.said("1 of 2 listed pages have an extracted text");
    let lines = rows(&String::from_utf8(entry(&at.join("y.wacz"), "pages/pages.jsonl")).unwrap());
    assert_eq!(lines[0]["hasText"], true);
    assert!(lines[1]["text"].as_str().unwrap().starts_with("The mill stands by the river"));
    assert_eq!(lines[2]["text"], "old");
    assert_eq!(entry(&at.join("y.wacz"), "archive/a.warc.gz"), archive);
    assert_eq!(entry(&at.join("y.wacz"), "indexes/index.cdx.gz"), b"not looked at");
    // It is a container like any other, with right hashes, and the same from the same.
    run(at, &["y.wacz", "-o", "-", "--set", "check_hashes=true"]).well();
    trommel(at, &["wacz", "text", "x.wacz", "-o", "y.wacz"], b"").ended(2, "y.wacz: is there already");
    trommel(at, &["wacz", "text", "x.wacz", "-o", "z.wacz"], b"").well();
    assert!(fs::read(at.join("y.wacz")).unwrap() == fs::read(at.join("z.wacz")).unwrap());
    let onto = trommel(at, &["wacz", "text", "x.wacz", "-o", "x.wacz", "--overwrite"], b"");
    onto.said("is read by the command");
}

/// Checks that WACZ files of other projects are read, or refused in one line, if the shared folder has them.
#[test]
fn shared_containers_are_read_or_refused_with_a_line() {
    let shared = std::env::var_os("TROMMEL_SHARED").map(PathBuf::from);
    let folder = shared.map(|shared| shared.join("warc")).filter(|folder| folder.is_dir());
    let Some(folder) = folder else {
        eprintln!("skipped: TROMMEL_SHARED names no folder of archives");
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "wacz") {
            continue;
        }
        seen += 1;
        let ran = run(out.path(), &[path.to_str().unwrap(), "-o", "-", "--set", "check_hashes=true"]);
        let is_bad = path.to_string_lossy().contains("invalid");
        assert_eq!(ran.code, if is_bad { 2 } else { 0 }, "{}", ran.stderr);
        match is_bad {
            true => assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr),
            false => assert!(!ran.stdout.is_empty()),
        }
    }
    assert!(seen > 0);
}
