//! Tests the recipe that sends documents to a search engine, with a small test server.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::{fs, io::Write as _, net::TcpListener, process::Command};

use serde_json::{Value, json};

use crate::program::{rows, trommel, workspace};
use crate::sample::{archive_path, documents};
use crate::servers::{Request, serve};

/// Runs the commands of `docs/search.md` and checks the requests that they send.
#[test]
fn documents_are_sent_as_a_search_engine_wants_them() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped: no program curl");
        return;
    }
    let ((seen, requests), bulks) = (channel(), AtomicU32::new(0));
    // As Elasticsearch does: it is busy at the first documents, and takes the rest.
    let port = serve(TcpListener::bind("127.0.0.1:0").unwrap(), move |request, stream| {
        let is_busy = request.method == "POST" && bulks.fetch_add(1, Ordering::SeqCst) == 0;
        let status = if is_busy { 429 } else { 200 };
        seen.send(request).unwrap();
        write!(stream, "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}")
    });
    let address = format!("127.0.0.1:{port}");
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
    let head = |request: &Request| format!("{} {} {}", request.method, request.path, request.headers["content-type"]);
    assert_eq!(head(put), "PUT /pages application/json");
    let mapping: Value = serde_json::from_slice(&put.body).unwrap();
    assert_eq!(mapping["mappings"]["properties"]["text"]["type"], "text");
    // What was answered by 429 is sent again as it was.
    assert!(posts.len() > 3 && head(&posts[0]) == head(&posts[1]) && posts[0].body == posts[1].body);
    let mut lines: Vec<Value> = Vec::new();
    for post in &posts[1..] {
        assert_eq!(head(post), "POST /pages/_bulk application/x-ndjson");
        let body = &post.body;
        assert!(body.ends_with(b"\n") && (body.len() <= 64 << 10 || body.split(|byte| *byte == b'\n').count() == 3));
        lines.extend(rows(std::str::from_utf8(body).unwrap()));
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
