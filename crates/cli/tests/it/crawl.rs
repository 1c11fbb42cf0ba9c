//! Tests a whole crawl: a server offers the sample pages, a real crawler fetches them, and a run extracts them as they
//! arrive. scripts/check-crawlers.py does the same with more crawlers and pages.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::{fs, process::Command, sync::Arc};

use serde_json::Value;
use trommel::archive::{PayloadOptions, ReadOptions, Reader, RecordType, payload};

use crate::program::{rows, trommel, workspace};
use crate::sample::ARCHIVE;
use crate::servers::{Request, serve};

/// Content type and body of each page of a site, by path.
type Site = BTreeMap<String, (String, Vec<u8>)>;

/// Returns a site with the sample pages under short paths, and an index page that links them.
fn site() -> Site {
    let mut site = Site::new();
    let mut index = "<!DOCTYPE html><title>Index</title><ul>".to_owned();
    for record in Reader::open(&workspace().join(ARCHIVE), ReadOptions::default()).unwrap() {
        let record = record.unwrap();
        if record.kind != RecordType::Response {
            continue;
        }
        let page = payload(&record, &PayloadOptions::default()).unwrap();
        let charset = page.charset().unwrap();
        let path = format!("/{:03}.html", site.len());
        index.push_str(&format!("<li><a href=\"{path}\">{path}</a>"));
        site.insert(path, (format!("text/html; charset={charset}"), page.body.to_vec()));
    }
    site.insert("/".to_owned(), ("text/html; charset=utf-8".to_owned(), index.into_bytes()));
    site
}

fn answer(request: &Request, stream: &mut TcpStream, site: &Site) -> std::io::Result<()> {
    let (status, kind, body) = match site.get(&request.path) {
        Some((kind, body)) => ("200 OK", kind.as_str(), body.as_slice()),
        None => ("404 Not Found", "text/plain", b"gone".as_slice()),
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}

/// Returns documents by URL, without keys that depend on the day and the archive.
fn by_url(lines: &str) -> BTreeMap<String, Value> {
    let documents = rows(lines).into_iter().map(|mut document| {
        let keys = document.as_object_mut().unwrap();
        for apart in ["id", "date", "source"] {
            keys.remove(apart);
        }
        (keys["url"].as_str().unwrap().to_owned(), document)
    });
    documents.collect()
}

/// Tests the recipe for wget, whose archive is passed to a run through a named pipe.
#[test]
fn what_wget_crawls_gives_the_documents_of_the_archive() {
    if !Command::new("wget").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: wget is not installed");
        return;
    }
    let site = Arc::new(site());
    let served = Arc::clone(&site);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = serve(listener, move |request, stream| answer(&request, stream, &served));
    let folder = tempfile::tempdir().unwrap();
    // No date of a page is after its capture, which wget makes now.
    let now = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output();
    let now = String::from_utf8(now.unwrap().stdout).unwrap();
    let now = now.trim();
    let mut archive = Vec::new();
    for (path, (kind, body)) in site.iter() {
        let length = body.len();
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        let block = [http.as_bytes(), body].concat();
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{path}>\r\n\
             WARC-Target-URI: http://127.0.0.1:{port}{path}\r\nWARC-Date: {now}\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        archive.extend_from_slice(&[head.as_bytes(), &block, b"\r\n\r\n"].concat());
    }
    let wanted = by_url(trommel(folder.path(), &["run", "-", "-o", "-", "-f", "jsonl"], &archive).well());
    assert!(wanted.len() > 30, "{}", wanted.len());

    let out = folder.path().join("crawl.jsonl");
    let crawl = Command::new(workspace().join("examples/crawlers/wget/crawl.sh"))
        .arg(format!("http://127.0.0.1:{port}/"))
        .arg(&out)
        .env("TROMMEL", env!("CARGO_BIN_EXE_trommel"))
        .env_remove("RUST_LOG")
        .env_remove("http_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&crawl.stderr);
    assert!(crawl.status.success(), "{said}");
    let mut found = by_url(&fs::read_to_string(out).unwrap());
    // wget asks for robots.txt, too.
    found.retain(|_, document| document["status"] == 200);
    assert!(found.keys().eq(wanted.keys()), "{said}");
    for (url, document) in &wanted {
        for (key, value) in document.as_object().unwrap() {
            assert_eq!(&found[url][key], value, "{url} {key}");
        }
    }
}
