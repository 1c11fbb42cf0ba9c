//! Pages are shown, labelled by what a browser sends, and labelled on after a restart.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use trommel_extract::Extractor;
use trommel_label::{GoldFile, LabelPages, Labelling, serve};
use trommel_model::Model;

fn archive(folder: &Path) -> std::path::PathBuf {
    let mut bytes = Vec::new();
    let story = "<p>It rained all night, and in the morning the river stood in the streets of the town.</p>";
    for (id, html) in [
        (
            "urn:uuid:a",
            format!(
                "<title>Flood</title><ul class=menu><li><a href=x>Home</a><li><a href=y>News</a></ul><h1>Flood</h1>{}<div class=review><p>Good!</p></div>",
                story.repeat(3)
            ),
        ),
        ("urn:uuid:b", "<p>Second page.</p>".to_owned()),
    ] {
        let http =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{id}>\r\nWARC-Target-URI: http://h.example/{id}\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            http.len()
        );
        bytes.extend_from_slice(format!("{head}{http}\r\n\r\n").as_bytes());
    }
    let path = folder.join("own.warc");
    std::fs::write(&path, bytes).unwrap();
    path
}

struct Host {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Host {
    fn new(archive: &Path, gold: &Path, blank: bool) -> Self {
        let labelling = Labelling {
            pages: LabelPages::read(archive).unwrap(),
            gold: Mutex::new(GoldFile::open(gold).unwrap()),
            extractor: Extractor::new(Arc::new(Model::builtin("fast").unwrap())),
            blank,
        };
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || serve(labelling, &socket, &stopped).unwrap());
        Self {
            address,
            stop,
            thread: Some(thread),
        }
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer[9..12].parse().unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        (status, body.to_owned())
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "Host: localhost\r\n", "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    fn put(&self, path: &str, choice: &Value) -> (u16, String) {
        let headers = "Host: 127.0.0.1:80\r\nContent-Type: application/json\r\n";
        self.ask("PUT", path, headers, &choice.to_string())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn choices_become_gold_and_labelling_continues() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let gold = folder.path().join("own.gold.jsonl.gz");
    let roles = {
        let host = Host::new(&archive, &gold, false);
        let found = host.get("/pages");
        assert_eq!(
            found["pages"][0],
            json!({"url": "http://h.example/urn:uuid:a", "done": false})
        );
        assert_eq!(found["pages"].as_array().unwrap().len(), 2);
        assert_eq!(found["roles"][0], json!({"name": "body", "part": "gold"}));
        let page = host.get("/pages/0");
        let blocks = page["blocks"].as_array().unwrap();
        let texts: Vec<&str> = blocks
            .iter()
            .map(|own| own["text"].as_str().unwrap())
            .collect();
        assert_eq!((texts[0], texts[2], texts[6]), ("Home", "Flood", "Good!"));
        // The three paragraphs are one field.
        assert_eq!(blocks[3]["field"], blocks[5]["field"]);
        assert_ne!(blocks[3]["field"], blocks[0]["field"]);
        assert_eq!(page["choice"], Value::Null);
        assert_eq!(blocks[4]["role"], "body");
        let mut roles = vec![
            "navigation", "navigation", "headline", "body", "body", "other", "review",
        ];
        let choice = json!({"roles": roles, "page_type": "article", "lang": "en"});
        assert_eq!(host.put("/pages/0", &choice).0, 200);
        // Said again, it is one line still.
        roles[4] = "notice";
        let choice = json!({"roles": roles, "page_type": "article"});
        let (status, body) = host.put("/pages/0", &choice);
        assert_eq!((status, body.as_str()), (200, r#"{"labelled":1}"#));
        roles
    };
    let golds = GoldFile::open(&gold).unwrap();
    assert_eq!(golds.len(), 1);
    let mut text = String::new();
    let file = std::fs::File::open(&gold).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["record_id"], "urn:uuid:a");
    let story =
        "It rained all night, and in the morning the river stood in the streets of the town.";
    assert_eq!(line["gold"], format!("Flood\n{story}"));
    assert_eq!(line["gold_comments"], "Good!");
    assert_eq!(
        (&line["page_type"], &line["lang"]),
        (&json!("article"), &Value::Null)
    );
    // Another program continues where this one stopped.
    let host = Host::new(&archive, &gold, true);
    let found = host.get("/pages");
    assert_eq!(
        (&found["pages"][0]["done"], &found["pages"][1]["done"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(host.get("/pages/0")["choice"]["roles"], json!(roles));
    // Blank: nothing is proposed.
    assert_eq!(host.get("/pages/1")["blocks"][0]["role"], "other");
}

#[test]
fn what_cannot_be_taken_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let gold = folder.path().join("own.gold.jsonl");
    std::fs::write(
        &gold,
        "{\"record_id\":\"<urn:uuid:b>\",\"gold\":\"x\",\"mine\":1}\n",
    )
    .unwrap();
    let host = Host::new(&archive, &gold, false);
    assert_eq!(host.get("/pages")["pages"][1]["done"], true);
    let refused = |path: &str, choice: Value, status: u16, message: &str| {
        let (found, body) = host.put(path, &choice);
        assert_eq!(found, status, "{body}");
        assert!(body.contains(message), "{body}");
    };
    refused(
        "/pages/1",
        json!({"roles": []}),
        400,
        "0 roles for a page of 1 blocks",
    );
    refused(
        "/pages/1",
        json!({"roles": ["nothing"]}),
        400,
        "unknown variant",
    );
    refused("/pages/7", json!({"roles": []}), 404, "no such page");
    let choice = r#"{"roles":["body"]}"#;
    let (status, _) = host.ask("PUT", "/pages/1", "Host: localhost\r\n", choice);
    assert_eq!(status, 415, "a form of another site");
    let (status, _) = host.ask("GET", "/pages", "Host: evil.example\r\n", "");
    assert_eq!(status, 403, "a name that was made to mean this machine");
    assert!(
        std::fs::read_to_string(&gold)
            .unwrap()
            .contains("\"gold\":\"x\"")
    );
    // What others wrote beside it stays.
    assert_eq!(host.put("/pages/1", &json!({"roles": ["body"]})).0, 200);
    let text = std::fs::read_to_string(&gold).unwrap();
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&line["mine"], &line["gold"]),
        (&json!(1), &json!("Second page."))
    );
    assert_eq!(line["record_id"], "<urn:uuid:b>");
}

#[test]
fn a_gold_file_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gold.jsonl");
    std::fs::write(&path, "{\"record_id\":\"a\"}\n\n{\"gold\":\"b\"}\n").unwrap();
    let error = GoldFile::open(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("x.gold.jsonl, line 3: no record_id"),
        "{error}"
    );
    assert!(
        GoldFile::open(&folder.path().join("absent"))
            .unwrap()
            .is_empty()
    );
}
