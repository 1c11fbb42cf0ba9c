//! Tests `trommel index --url` with a small server of our own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::{Value, json};

use crate::program::{trommel, workspace};
use crate::sample::{ARCHIVE, documents};

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

/// Answers as Elasticsearch does: it has no index at first, is busy at the first documents, has one of
/// them already, and takes the rest.
fn serve(stream: &TcpStream, bulks: &AtomicU32, seen: &Sender<Request>) {
    let mut reader = BufReader::new(stream);
    while let Some((first, kind, body)) = request(&mut reader) {
        let (status, answer) = if first.starts_with("HEAD ") {
            (404, String::new())
        } else if first.starts_with("PUT ") {
            (200, "{}".to_owned())
        } else if bulks.fetch_add(1, Ordering::SeqCst) == 0 {
            (429, "{}".to_owned())
        } else {
            (200, taken(&body))
        };
        seen.send((first, kind, body)).unwrap();
        let length = answer.len();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n");
        let mut stream = stream;
        stream.write_all((head + &answer).as_bytes()).unwrap();
    }
}

fn taken(body: &[u8]) -> String {
    let actions = body.split(|&byte| byte == b'\n').step_by(2).filter(|line| !line.is_empty()).enumerate();
    let items: Vec<Value> = actions
        .map(|(at, line)| {
            let action: Value = serde_json::from_slice(line).unwrap();
            let status = if at == 0 { 409 } else { 201 };
            json!({"create": {"_id": action["create"]["_id"], "status": status}})
        })
        .collect();
    json!({"errors": true, "items": items}).to_string()
}

#[test]
fn documents_are_sent_as_a_search_engine_wants_them() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/pages", listener.local_addr().unwrap());
    let (seen, requests) = channel();
    thread::spawn(move || {
        let bulks = Arc::new(AtomicU32::new(0));
        for stream in listener.incoming() {
            let (bulks, seen) = (bulks.clone(), seen.clone());
            thread::spawn(move || serve(&stream.unwrap(), &bulks, &seen));
        }
    });
    let ran = trommel(&workspace(), &["index", ARCHIVE, "--url", &url], b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let with_text = documents(&workspace());
    let with_text: Vec<&Value> = with_text.iter().filter(|d| d["text"] != "").collect();
    ran.said(&format!("{} new in the index, 1 there already, 0 refused", with_text.len() - 1));

    let requests: Vec<Request> = requests.try_iter().collect();
    let lines: Vec<&str> = requests.iter().map(|(first, ..)| first.as_str()).collect();
    let bulk = "POST /pages/_bulk HTTP/1.1";
    assert_eq!(lines, ["HEAD /pages HTTP/1.1", "PUT /pages HTTP/1.1", bulk, bulk]);
    let mapping: Value = serde_json::from_slice(&requests[1].2).unwrap();
    assert_eq!(mapping["mappings"]["properties"]["text"]["type"], "text");
    // What was answered by 429 is sent again as it was.
    assert!(requests[2] == requests[3]);
    let (_, kind, body) = &requests[3];
    assert_eq!(kind, "application/x-ndjson");
    let lines: Vec<Value> =
        body.split_inclusive(|&byte| byte == b'\n').map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert!(body.ends_with(b"\n") && lines.len() == 2 * with_text.len());
    for (pair, expected) in lines.chunks(2).zip(with_text) {
        assert_eq!(pair[0], json!({"create": {"_id": expected["id"]}}));
        for key in ["id", "url", "title", "text", "lang", "date", "source"] {
            assert_eq!(pair[1][key], expected[key], "{key}");
        }
    }
}
