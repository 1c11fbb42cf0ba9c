//! Tests of the endpoint, with a small server that behaves like a busy one.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

/// The documents of the server, and the refusals that it answers before it does its work.
#[derive(Default)]
struct State {
    index: Option<Value>,
    documents: BTreeMap<String, Value>,
    /// Statuses that it gives to requests to `_bulk`, without looking at them.
    refusals: Vec<u16>,
    /// Documents of these ids are answered 429 that many times.
    busy: BTreeMap<String, u32>,
    /// Largest request it takes.
    most: usize,
    requests: Vec<(String, usize)>,
}

struct Server {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    fn start(state: State) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/pages", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(&stream.unwrap(), &shared));
            }
        });
        Self { url, state }
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::with_pause(&self.url, Duration::from_millis(1)).unwrap()
    }
}

/// Answers the requests of one connection.
fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let (mut length, mut kind) = (0, String::new());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if let Some(value) = line.strip_prefix("content-type:") {
                kind = value.trim().to_owned();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let (status, text) = answer(first.trim(), &kind, &body, &mut state.lock().unwrap());
        let shown = if first.starts_with("HEAD") { "" } else { &text };
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", shown.len());
        let mut out = stream;
        out.write_all(format!("{head}{shown}").as_bytes()).unwrap();
    }
}

fn answer(first: &str, kind: &str, body: &[u8], state: &mut State) -> (u16, String) {
    let (method, path) = first.split_once(' ').unwrap();
    match (method, path.split(' ').next().unwrap()) {
        ("HEAD", "/pages") => (if state.index.is_some() { 200 } else { 404 }, String::new()),
        ("PUT", "/pages") => {
            state.index = Some(serde_json::from_slice(body).unwrap());
            (200, "{\"acknowledged\":true}".into())
        }
        ("POST", "/pages/_bulk") => {
            state.requests.push((kind.to_owned(), body.len()));
            if !state.refusals.is_empty() {
                return (state.refusals.remove(0), "busy".into());
            }
            if state.most > 0 && body.len() > state.most {
                return (413, "too large".into());
            }
            (200, bulk(body, state))
        }
        _ => (400, format!("unexpected {first}")),
    }
}

fn bulk(body: &[u8], state: &mut State) -> String {
    assert!(body.ends_with(b"\n"));
    let lines: Vec<Value> = body
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let mut items = Vec::new();
    for pair in lines.chunks(2) {
        let id = pair[0]["create"]["_id"].as_str().unwrap().to_owned();
        let (status, error) = if let Some(left) = state.busy.get_mut(&id).filter(|left| **left > 0) {
            *left -= 1;
            (429, json!({"type": "es_rejected_execution_exception", "reason": "queue"}))
        } else if pair[1]["text"] == "bad" {
            (400, json!({"type": "mapper_parsing_exception", "reason": "no"}))
        } else if state.documents.contains_key(&id) {
            (409, json!({"type": "version_conflict_engine_exception", "reason": "there"}))
        } else {
            state.documents.insert(id.clone(), pair[1].clone());
            (201, Value::Null)
        };
        items.push(json!({"create": {"_id": id, "status": status, "error": error}}));
    }
    json!({"took": 1, "errors": true, "items": items}).to_string()
}

fn record(id: &str, text: &str) -> OutputRecord {
    OutputRecord { id: id.into(), text: text.into(), title: Some("T".into()), ..OutputRecord::default() }
}

#[test]
fn documents_arrive_however_busy_the_server_is() {
    let server = Server::start(State {
        refusals: vec![429, 503, 502],
        busy: BTreeMap::from([("b".to_owned(), 3)]),
        ..State::default()
    });
    let send = || {
        let mut endpoint = server.endpoint();
        for document in [record("a", "one"), record("b", "two"), record("c", "bad")] {
            assert!(endpoint.add(&document).unwrap());
        }
        assert!(!endpoint.add(&record("d", "")).unwrap());
        endpoint.finish().unwrap()
    };
    let refused = Refused { id: "c".into(), status: 400, reason: "mapper_parsing_exception: no".into() };
    let mut expected = Sent { created: 2, existing: 0, refused: 1, named: vec![refused] };
    assert_eq!(send(), expected);
    {
        let state = server.state.lock().unwrap();
        assert_eq!(state.documents["b"]["text"], "two");
        assert_eq!(state.documents.len(), 2);
        assert_eq!(state.index.as_ref().unwrap()["mappings"]["date_detection"], false);
        assert_eq!(state.requests[0].0, "application/x-ndjson");
        // Three times refused as a whole, then four times until there is room for `b`.
        assert_eq!(state.requests.len(), 7);
        // Only the document that there was no room for is sent again.
        assert!(state.requests[4].1 < state.requests[3].1);
    }
    // Sent again, they are there already.
    (expected.created, expected.existing) = (0, 2);
    assert_eq!(send(), expected);
}

#[test]
fn requests_are_divided() {
    let large = "x".repeat(4 << 20);
    let server = Server::start(State { most: 9 << 20, ..State::default() });
    let mut endpoint = server.endpoint();
    for id in ["a", "b", "c", "d"] {
        endpoint.add(&record(id, &large)).unwrap();
    }
    assert_eq!(endpoint.finish().unwrap().created, 4);
    // Two documents fit into a request.
    assert_eq!(server.state.lock().unwrap().requests.len(), 2);

    server.state.lock().unwrap().most = 5 << 20;
    let mut endpoint = server.endpoint();
    let huge = "x".repeat(6 << 20);
    endpoint.add(&record("e", &large)).unwrap();
    endpoint.add(&record("f", "small")).unwrap();
    endpoint.add(&record("g", &huge)).unwrap();
    let sent = endpoint.finish().unwrap();
    assert_eq!((sent.created, sent.refused), (2, 1));
    assert_eq!((sent.named[0].id.as_str(), sent.named[0].status), ("g", 413));
}

#[test]
fn answers_are_bounded_and_passwords_not_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(Mutex::new(0));
    let seen = Arc::clone(&requests);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            *seen.lock().unwrap() += 1;
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let head = "HTTP/1.1 200 X\r\nConnection: close\r\n\r\n";
            // A client that has enough goes away.
            let mut sent = stream.write_all(head.as_bytes());
            while !first.starts_with("HEAD") && sent.is_ok() {
                sent = stream.write_all(&[b' '; 1 << 16]);
            }
        }
    });
    let url = format!("http://me:hush@{address}/pages");
    let mut endpoint = Endpoint::with_pause(&url, Duration::ZERO).unwrap();
    endpoint.add(&record("a", "one")).unwrap();
    let error = endpoint.finish().unwrap_err().to_string();
    assert!(!error.contains("hush") && error.contains(&address.to_string()), "{error}");
    // What is too long once is so again.
    assert_eq!(*requests.lock().unwrap(), 2, "{error}");
}

#[test]
fn a_server_that_stays_busy_or_away_is_an_error() {
    let server = Server::start(State { refusals: vec![503; 100], ..State::default() });
    let mut endpoint = server.endpoint();
    endpoint.add(&record("a", "one")).unwrap();
    let error = endpoint.finish().unwrap_err();
    assert!(matches!(error, EndpointError::Status { status: 503, .. }), "{error}");
    assert_eq!(server.state.lock().unwrap().requests.len(), 8);

    // The port is free again once the listener is dropped.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let away = Endpoint::with_pause(&format!("http://{port}/pages"), Duration::ZERO);
    assert!(matches!(away, Err(EndpointError::Http { .. })));
}
