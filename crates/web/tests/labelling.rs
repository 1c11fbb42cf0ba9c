//! Tests that pages are shown, labelled by requests of a browser, and labelled on after a restart.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use trommel::extract::Extractor;
use trommel::learn::{Scores, read_set};
use trommel::{CommentPolicy, ContentPolicy, DocumentOptions, Hints, Model};
use trommel_text::words::Rule;
use trommel_web::label::{GoldFile, LabelPages, Labelling, PageLabels, serve};
use trommel_web::service::{HostGuard, Socket};

/// Creates a record with an HTML page; without a WARC-Record-ID if `id` is empty.
fn record(id: &str, html: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    let id_line = match id {
        "" => String::new(),
        id => format!("WARC-Record-ID: <{id}>\r\n"),
    };
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\n{id_line}WARC-Target-URI: http://h.example/{id}\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        http.len()
    );
    format!("{head}{http}\r\n\r\n").into_bytes()
}

fn archive(folder: &Path) -> PathBuf {
    let mut bytes = Vec::new();
    // Not the same three times: copies are left out of the text.
    let story = ["first", "second", "third"].map(|night| {
        format!(
            "<p>It rained all the {night} night, and in the morning the river stood in the streets of the town.</p>"
        )
    });
    for (id, html) in [
        (
            "urn:uuid:a",
            format!(
                "<title>Flood</title><ul class=menu><li><a href=x>Home</a><li><a href=y>News</a></ul><h1>Flood</h1>{}<div class=review><p>Good!</p></div>",
                story.concat()
            ),
        ),
        ("urn:uuid:b", "<p>Second page.</p>".to_owned()),
    ] {
        bytes.extend(record(id, &html));
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
            model: Arc::new(Model::builtin("fast").unwrap()),
            blank,
            guard: HostGuard::default(),
            next: vec!["trommel eval --pages own.warc".into()],
        };
        let socket = Socket::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
        let address = socket.to_string().parse().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            serve(Arc::new(labelling), vec![socket], &stopped).unwrap();
        });
        Self { address, stop, thread: Some(thread) }
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let (status, _, body) = self.answer(method, path, headers, body);
        (status, body)
    }

    /// Sends a request, and returns the status, head and body of the answer.
    fn answer(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
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
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (status, head.to_owned(), body.to_owned())
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
        assert_eq!(found["pages"][0], json!({"url": "http://h.example/urn:uuid:a", "done": false}));
        assert_eq!(found["pages"].as_array().unwrap().len(), 2);
        assert_eq!(found["roles"][0], json!({"name": "body", "part": "gold"}));
        let page = host.get("/pages/0");
        let blocks = page["blocks"].as_array().unwrap();
        let texts: Vec<&str> = blocks.iter().map(|value| value["text"].as_str().unwrap()).collect();
        assert_eq!((texts[0], texts[2], texts[6]), ("Home", "Flood", "Good!"));
        // The three paragraphs are one field.
        assert_eq!(blocks[3]["field"], blocks[5]["field"]);
        assert_ne!(blocks[3]["field"], blocks[0]["field"]);
        assert_eq!(page["choice"], Value::Null);
        assert_eq!(blocks[4]["role"], "body");
        let mut roles = vec!["navigation", "navigation", "headline", "body", "body", "other", "review"];
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
    assert_eq!(golds.labelled(), 1);
    let mut text = String::new();
    let file = std::fs::File::open(&gold).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["record_id"], "urn:uuid:a");
    let story = "It rained all the first night, and in the morning the river stood in the streets of the town.";
    assert_eq!(line["gold"], format!("Flood\n{story}"));
    assert_eq!(line["gold_comments"], "Good!");
    assert_eq!((&line["page_type"], &line["lang"]), (&json!("article"), &Value::Null));
    // Another program continues where this one stopped.
    let host = Host::new(&archive, &gold, true);
    let found = host.get("/pages");
    assert_eq!((&found["pages"][0]["done"], &found["pages"][1]["done"]), (&json!(true), &json!(false)));
    assert_eq!(host.get("/pages/0")["choice"]["roles"], json!(roles));
    // Blank: nothing is proposed.
    assert_eq!(host.get("/pages/1")["blocks"][0]["role"], "other");
}

/// Tests that the page is shown as it is stored next to its blocks, and can run no scripts.
#[test]
fn the_page_itself_is_shown_without_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let host = Host::new(&archive, &folder.path().join("own.gold.jsonl"), false);
    let (status, head, body) = host.answer("GET", "/pages/1/original", "Host: localhost\r\n", "");
    assert_eq!((status, body.as_str()), (200, "<p>Second page.</p>"));
    let head = head.to_lowercase();
    assert!(head.contains("content-type: text/html; charset=utf-8"), "{head}");
    let policy = head.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).unwrap();
    let rules: Vec<&str> = policy.split("; ").collect();
    // A sandbox that allows nothing, and no source from which scripts, frames or requests may come.
    assert!(rules.contains(&"sandbox") && rules.contains(&"default-src 'none'"), "{policy}");
    assert!(!policy.contains("script-src") && !policy.contains("allow-") && !policy.contains("http"), "{policy}");
    assert!(rules.contains(&"frame-ancestors 'self'"), "{policy}");
    let (_, _, frame) = host.answer("GET", "/", "Host: localhost\r\n", "");
    assert!(frame.contains("<iframe id=\"frame\" title=\"The page itself\" sandbox=\"\""), "{frame}");
    assert_eq!(host.ask("GET", "/pages/7/original", "Host: localhost\r\n", "").0, 404);
    let (status, _) = host.ask("GET", "/pages/1/original", "Host: evil.example\r\n", "");
    assert_eq!(status, 403, "a name that was made to mean this machine");
}

#[test]
fn what_cannot_be_taken_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let gold = folder.path().join("own.gold.jsonl");
    std::fs::write(&gold, "{\"record_id\":\"<urn:uuid:b>\",\"gold\":\"x\",\"mine\":1}\n").unwrap();
    let host = Host::new(&archive, &gold, false);
    assert_eq!(host.get("/pages")["pages"][1]["done"], true);
    let refused = |path: &str, choice: Value, status: u16, message: &str| {
        let (found, body) = host.put(path, &choice);
        assert_eq!(found, status, "{body}");
        assert!(body.contains(message), "{body}");
    };
    refused("/pages/1", json!({"roles": []}), 400, "0 roles for a page of 1 blocks");
    refused("/pages/1", json!({"roles": ["nothing"]}), 400, "unknown variant");
    refused("/pages/1", json!({"roles": ["footer"]}), 400, "footer is not for people to choose");
    refused("/pages/7", json!({"roles": []}), 404, "no such page");
    let choice = r#"{"roles":["body"]}"#;
    let (status, _) = host.ask("PUT", "/pages/1", "Host: localhost\r\n", choice);
    assert_eq!(status, 415, "a form of another site");
    let (status, _) = host.ask("GET", "/pages", "Host: evil.example\r\n", "");
    assert_eq!(status, 403, "a name that was made to mean this machine");
    let foreign = "Host: localhost\r\nContent-Type: application/json\r\nOrigin: https://evil.example\r\n";
    let (status, _) = host.ask("PUT", "/pages/1", foreign, choice);
    assert_eq!(status, 403, "a page of another site");
    assert!(std::fs::read_to_string(&gold).unwrap().contains("\"gold\":\"x\""));
    // What others wrote beside it stays.
    assert_eq!(host.put("/pages/1", &json!({"roles": ["body"]})).0, 200);
    let text = std::fs::read_to_string(&gold).unwrap();
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&line["mine"], &line["gold"]), (&json!(1), &json!("Second page.")));
    assert_eq!(line["record_id"], "<urn:uuid:b>");
}

#[test]
fn a_gold_file_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gold.jsonl");
    std::fs::write(&path, "{\"record_id\":\"a\"}\n\n{\"gold\":\"b\"}\n").unwrap();
    let error = GoldFile::open(&path).unwrap_err().to_string();
    assert!(error.ends_with("x.gold.jsonl, line 3: no record_id"), "{error}");
    assert_eq!(GoldFile::open(&folder.path().join("absent")).unwrap().labelled(), 0);
}

/// Tests that two servers on one gold file, and a person who edits the file meanwhile, lose no labels.
#[test]
fn nobody_loses_the_labels_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let gold = folder.path().join("own.gold.jsonl");
    let [one, other] = [(); 2].map(|()| Host::new(&archive, &gold, false));
    let save = |host: &Host, at: usize, role: &str| {
        let page = host.get(&format!("/pages/{at}"));
        let roles: Vec<&str> = page["blocks"].as_array().unwrap().iter().map(|_| role).collect();
        host.put(&format!("/pages/{at}"), &json!({"roles": roles})).0
    };
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(&gold).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!((save(&one, 0, "body"), save(&other, 1, "body")), (200, 200));
    assert_eq!(lines().len(), 2);
    assert_eq!(one.get("/pages")["pages"][1]["done"], true);
    let mut text = std::fs::read_to_string(&gold).unwrap();
    text.push_str("{\"record_id\":\"by-hand\",\"gold\":\"x\"}\n");
    std::fs::write(&gold, text).unwrap();
    assert_eq!(save(&one, 0, "caption"), 200);
    assert_eq!(lines().len(), 3);

    // Who saves over what he has not seen is told so.
    let headers = "Host: localhost\r\n";
    let (_, head, _) = one.answer("GET", "/pages/1", headers, "");
    let mark = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("etag").then_some(value)
    });
    let headers = format!("{headers}Content-Type: application/json\r\nIf-Match: {}\r\n", mark.unwrap());
    let choice = json!({"roles": ["other"]}).to_string();
    assert_eq!(save(&other, 1, "step"), 200);
    let (status, body) = one.ask("PUT", "/pages/1", &headers, &choice);
    assert_eq!(status, 412, "{body}");
    assert!(body.contains("labelled by somebody else"), "{body}");
    assert_eq!(lines()[1]["gold"], "Second page.");

    // All at once.
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (host, at) = ([&one, &other][number % 2], number / 2 % 2);
            let save = &save;
            scope.spawn(move || assert_eq!(save(host, at, "body"), 200));
        }
    });
    assert_eq!(lines().len(), 3);
}

#[test]
fn a_link_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let (gold, elsewhere) = (folder.path().join("own.gold.jsonl"), folder.path().join("far"));
    std::fs::create_dir(&elsewhere).unwrap();
    let target = elsewhere.join("shared.jsonl");
    std::fs::write(&target, "{\"record_id\":\"mine\"}\n").unwrap();
    std::os::unix::fs::symlink(&target, &gold).unwrap();
    let host = Host::new(&archive, &gold, false);
    assert_eq!(host.put("/pages/1", &json!({"roles": ["body"]})).0, 200);
    assert!(gold.is_symlink());
    assert_eq!(std::fs::read_to_string(&target).unwrap().lines().count(), 2);
}

#[test]
fn pages_that_gold_cannot_name_are_told_and_damage_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.warc");
    let page = |number: u32| format!("<p>The committee considers report {number}.</p>");
    let mut bytes = Vec::new();
    for (number, id) in (0..).zip(["urn:a", "urn:a", "", "", "urn:b", "urn:c"]) {
        if id == "urn:c" {
            bytes.extend_from_slice(b"these bytes are no record\r\n\r\n");
        }
        bytes.extend(record(id, &page(number)));
    }
    std::fs::write(&path, &bytes).unwrap();
    let gold = folder.path().join("odd.gold.jsonl");
    let host = Host::new(&path, &gold, false);
    let found = host.get("/pages");
    let urls: Vec<&str> = found["pages"].as_array().unwrap().iter().map(|page| page["url"].as_str().unwrap()).collect();
    assert_eq!(urls, ["http://h.example/urn:a", "http://h.example/urn:b", "http://h.example/urn:c"]);
    let told: Vec<&str> = found["left_out"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    assert!(told.len() == 3 && told[0].contains("odd.warc"), "{told:?}");
    assert!(told[1].starts_with("2 pages are not shown: without a WARC-Record-ID"), "{told:?}");
    assert!(told[2].starts_with("1 page is not shown: "), "{told:?}");
    for at in 0..3 {
        let saved = host.put(&format!("/pages/{at}"), &json!({"roles": ["body"]}));
        assert_eq!(saved.0, 200, "{}", saved.1);
    }
    // The labels are of use: `eval` and `train` pass over the damage as well.
    let set = read_set(&path, &gold).unwrap();
    let golds: Vec<&str> = set.pages.iter().map(|page| page.gold.gold.as_deref().unwrap()).collect();
    assert_eq!(golds, [0, 4, 5].map(|number| format!("The committee considers report {number}.")));
}

/// Returns the folder of labelled pages; prints a line and returns `None` if the folder is absent.
fn shared_data() -> Option<PathBuf> {
    let shared = std::env::var_os("TROMMEL_SHARED").map_or("../../../shared".into(), PathBuf::from);
    let data = shared.join("data");
    if !data.is_dir() {
        eprintln!("skipped: no labelled pages in {}", data.display());
        return None;
    }
    Some(data)
}

/// Tests that accepting every proposal gives the text that `run` writes, except for comments.
#[test]
fn proposals_that_are_accepted_are_what_the_model_keeps() {
    let Some(data) = shared_data() else { return };
    let model = Arc::new(Model::builtin("fast").unwrap());
    for set in ["zhweb", "products", "wcxb-dev"] {
        let archive = data.join(format!("{set}.warc.gz"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.gold.jsonl");
        let mut gold = GoldFile::open(&path).unwrap();
        let mut list = LabelPages::read(&archive).unwrap().pages;
        // Pages of all kinds, and no more than a test may take.
        let step = list.len().div_ceil(40);
        list = list.into_iter().step_by(step).collect();
        let mut of_scripts = 0;
        for page in &list {
            let (_, blocks) = page.blocks(&model);
            of_scripts += blocks.iter().filter(|block| block.of_script).count();
            let labels = PageLabels { roles: blocks.iter().map(|block| block.role).collect(), ..PageLabels::default() };
            gold.save(page, &blocks, &labels, None).unwrap();
            assert_eq!(gold.choice(page, &blocks), Some(labels));
        }
        let labelled = read_set(&archive, &path).unwrap();
        assert_eq!(labelled.pages.len(), list.len());
        // Comments apart from the text, as labels have them.
        let policy = ContentPolicy { comments: CommentPolicy::Separate, ..ContentPolicy::default() };
        let extractor = Extractor::new(Arc::clone(&model)).with_policy(policy);
        let (mut scores, mut with_comments) = (Vec::new(), 0);
        for page in &labelled.pages {
            let hints = Hints { url: page.gold.address(), http_charset: Some("utf-8"), ..Hints::default() };
            let extraction = extractor.extract(page.html.as_bytes(), &hints);
            scores.push(Scores::of(&extraction.text(), &page.gold.text(false), Rule::Characters));
            let comments = extraction.document(&DocumentOptions::default()).comments.unwrap_or_default();
            with_comments += usize::from(!comments.is_empty());
            let of_gold = page.gold.gold_comments.as_deref().unwrap_or_default();
            scores.push(Scores::of(&comments, of_gold, Rule::Characters));
        }
        eprintln!("{set}: {} pages, {of_scripts} texts of scripts, {with_comments} with comments", list.len());
        let mean = Scores::mean(&scores);
        // Writing the text numbers items, and leaves edit links and the like out of kept blocks.
        assert!(mean.precision > 0.999 && mean.recall > 0.998, "{set}: {mean:?}");
    }
}
