//! Tests the recipe that sends documents to a search engine, with a small server of our own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::{Value, json};

use crate::program::{trommel, workspace};
use crate::sample::{archive_path, documents};

/// A request: its first line, its content type, its body.
type Request = (String, String, Vec<u8>);

/// The next request of a connection; none at its end.
fn request(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let line = |reader: &mut BufReader<&TcpStream>| {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        Some(line.trim().to_owned())
    };
    let first = line(reader)?;
    let (mut length, mut kind) = (0, String::new());
    while let Some(header) = line(reader).filter(|header| !header.is_empty()) {
        let (name, value) = header.split_once(':').unwrap();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "content-type" => kind = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Some((first, kind, body))
}

/// Answers as Elasticsearch does: it is busy at the first documents, and takes the rest.
fn serve(stream: &TcpStream, bulks: &AtomicU32, seen: &Sender<Request>) {
    let mut reader = BufReader::new(stream);
    while let Some((first, kind, body)) = request(&mut reader) {
        let is_busy = first.starts_with("POST ") && bulks.fetch_add(1, Ordering::SeqCst) == 0;
        let status = if is_busy { 429 } else { 200 };
        seen.send((first, kind, body)).unwrap();
        let mut stream = stream;
        stream.write_all(format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\n{{}}").as_bytes()).unwrap();
    }
}

/// The lines of `docs/search.md` do what they say.
#[test]
fn documents_are_sent_as_a_search_engine_wants_them() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped: no program curl");
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (seen, requests) = channel();
    thread::spawn(move || {
        let bulks = Arc::new(AtomicU32::new(0));
        for stream in listener.incoming() {
            let (bulks, seen) = (bulks.clone(), seen.clone());
            thread::spawn(move || serve(&stream.unwrap(), &bulks, &seen));
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let manual = fs::read_to_string(workspace().join("docs/search.md")).unwrap();
    let recipe = manual.split("```sh\n").find(|block| block.contains("_bulk")).unwrap().split("```").next().unwrap();
    let recipe =
        recipe.replace("crawl/*.warc.gz", &archive_path()).replace("host:9200", &address).replace("20M", "64K");
    assert_eq!(recipe.lines().count(), 3, "{recipe}");
    let (first, rest) = recipe.split_once('\n').unwrap();
    let words: Vec<&str> = first.split(' ').skip(1).collect();
    trommel(folder.path(), &words, b"").well();
    let sent = Command::new("sh").args(["-ec", rest]).current_dir(folder.path()).output().unwrap();
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));

    let requests: Vec<Request> = requests.try_iter().collect();
    let (put, posts) = requests.split_first().unwrap();
    assert_eq!((put.0.as_str(), put.1.as_str()), ("PUT /pages HTTP/1.1", "application/json"));
    let mapping: Value = serde_json::from_slice(&put.2).unwrap();
    assert_eq!(mapping["mappings"]["properties"]["text"]["type"], "text");
    // What was answered by 429 is sent again as it was.
    assert!(posts.len() > 3 && posts[0] == posts[1]);
    let mut lines: Vec<Value> = Vec::new();
    for (first, kind, body) in &posts[1..] {
        assert_eq!((first.as_str(), kind.as_str()), ("POST /pages/_bulk HTTP/1.1", "application/x-ndjson"));
        assert!(body.ends_with(b"\n") && (body.len() <= 64 << 10 || body.split(|byte| *byte == b'\n').count() == 3));
        lines.extend(
            body.split_inclusive(|&byte| byte == b'\n').map(|line| serde_json::from_slice::<Value>(line).unwrap()),
        );
    }
    let with_text = documents(&workspace());
    let with_text: Vec<&Value> = with_text.iter().filter(|d| d["text"] != "").collect();
    assert_eq!(lines.len(), 2 * with_text.len());
    for (pair, expected) in lines.chunks(2).zip(with_text) {
        assert_eq!(pair[0], json!({"create": {"_id": expected["id"]}}));
        for key in ["id", "url", "title", "text", "lang", "date"] {
            assert_eq!(pair[1][key], expected[key], "{key}");
        }
    }
}
