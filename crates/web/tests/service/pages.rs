//! Tests requests with single pages.

use std::{fs, io::Write as _, os::unix::net::UnixStream};

use trommel::{Hints, PageForm};
use trommel_web::service::{Listen, openapi};

use crate::client::{answer, ask, ask_on, connect, get, post};
use crate::host::{Host, extractor, limits, settings};

const MILL: &[u8] = b"<html lang=en><title>The mill | News</title><nav><a href=/>Home</a></nav><h1>The mill</h1>\
    <p>The mill stands by the river, and its wheel has turned there for <b>two hundred years</b>.</p>\
    <p>Nobody knows who built it, though a <a href=/stone>stone</a> over the door bears a date.</p>";

#[test]
fn answers_are_what_extract_prints() {
    let host = Host::new();
    let folder = "../../tests/pages";
    let mut pages: Vec<Vec<u8>> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "html"))
        .map(|path| fs::read(path).unwrap())
        .collect();
    assert!(pages.len() > 3);
    pages.extend([MILL.to_vec(), Vec::new(), b"Bytes \xff\xfe<p>\x80 of no encoding".to_vec()]);
    let url = "https://news.example/mill";
    for page in &pages {
        for (accept, target, form, settings) in [
            ("*/*", "/extract", PageForm::Json, "{}"),
            ("*/*", "/extract?posts=true&text=markdown", PageForm::Json, r#"{"posts": true, "text": "markdown"}"#),
            ("text/plain", "/extract", PageForm::Text, "{}"),
            ("text/markdown", "/extract", PageForm::Markdown, r#"{"text": "markdown"}"#),
            ("text/markdown", "/extract?links=true", PageForm::Markdown, r#"{"links": true}"#),
        ] {
            let headers = format!("Accept: {accept}\r\nX-Page-Url: {url}\r\n");
            let given = ask(host.address, "POST", target, &headers, page);
            let hints = Hints { url: Some(url), ..Hints::default() };
            let document = extractor(settings).document(page, &hints);
            assert_eq!(given.status, 200, "{}", given.text());
            assert_eq!(given.text(), form.print(document, Some(url), None).unwrap());
        }
    }
}

#[test]
fn an_answer_has_the_keys_that_are_documented() {
    let host = Host::new();
    let given = post(host.address, "/extract?url=http://a.example/", MILL);
    let page = given.json();
    assert_eq!(page["title"], "The mill");
    assert_eq!(page["url"], "http://a.example/");
    let document = openapi(&["fast"]);
    let documented = document["components"]["schemas"]["ExtractedPage"]["properties"].as_object().unwrap();
    let page = page.as_object().unwrap();
    assert_eq!(page.len(), documented.len());
    for (key, value) in page {
        let is_of_type = match documented[key]["type"].as_str() {
            Some("string") => value.is_string(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            Some("number" | "integer") => value.is_number(),
            _ => false,
        };
        assert!(is_of_type, "{key}: {value} is no {}", documented[key]);
    }
    assert!(page["text"].as_str().unwrap().starts_with("The mill stands"));
    let confidence: f64 = given.header("x-trommel-confidence").unwrap().parse().unwrap();
    assert!((confidence - page["confidence"].as_f64().unwrap()).abs() < 1e-3);
}

#[test]
fn hints_are_heard() {
    let host = Host::new();
    let page = "<p>Привет, мельница у реки, колесо которой вертится двести лет.</p>";
    let koi8 = encode(page);
    for (target, headers) in [
        ("/extract?charset=koi8-r", ""),
        ("/extract", "X-Page-Charset: koi8-r\r\n"),
        ("/extract", "Content-Type: text/html; charset=koi8-r\r\n"),
    ] {
        let given = ask(host.address, "POST", target, headers, &koi8).json();
        assert_eq!(given["charset"], "koi8-r", "{target} {headers}");
        assert!(given["text"].as_str().unwrap().starts_with("Привет"));
    }
    let dated = b"<meta property=article:published_time content=2031-05-01><p>From the future, it seems, or so.";
    let published = |target: &str| post(host.address, target, dated).json()["published"].clone();
    assert_eq!(published("/extract"), "2031-05-01");
    assert_eq!(published("/extract?date=2024-01-01T00:00:00Z"), "");
    let with = post(host.address, "/extract?headline=include", MILL).json();
    assert!(with["text"].as_str().unwrap().starts_with("The mill\n"));
}

/// Encodes a text in KOI8-R, for the letters that the tests need.
fn encode(text: &str) -> Vec<u8> {
    const LOWER: &str = "юабцдефгхийклмнопярстужвьызшэщчъ";
    let bytes = text.chars().map(|c| {
        let lower: String = c.to_lowercase().collect();
        match LOWER.chars().position(|character| lower.starts_with(character)) {
            Some(at) => (if c.is_uppercase() { 0xe0 } else { 0xc0 }) + u8::try_from(at).unwrap(),
            None => u8::try_from(c).unwrap(),
        }
    });
    bytes.collect()
}

#[test]
fn what_is_wrong_has_its_status() {
    let host = Host::new();
    for (method, target, headers, status) in [
        ("GET", "/extract", "", 405),
        ("PUT", "/extract", "", 405),
        ("DELETE", "/", "", 405),
        ("POST", "/nothing", "", 404),
        ("GET", "/../../etc/passwd", "", 404),
        ("GET", "/assets/../../Cargo.toml", "", 404),
        ("GET", "/assets/..%2f..%2fCargo.toml", "", 404),
        ("GET", "/assets/%2e%2e/%2e%2e/etc/passwd", "", 404),
        ("GET", "//etc/passwd", "", 404),
        ("POST", "/extract?model=/etc/passwd", "", 400),
        ("POST", "/extract?model=../fast", "", 400),
        ("POST", "/extract?modell=fast", "", 400),
        ("POST", "/extract?url=%ff%fe", "", 400),
        ("POST", "/extract?status=42", "", 400),
        ("POST", "/extract?comments=some", "", 400),
        ("POST", "/extract", "X-Page-Url: http://\u{e9}/\r\n", 400),
        ("POST", "/extract", "Accept: image/png\r\n", 406),
        ("POST", "/extract", "Content-Encoding: gzip\r\n", 415),
        ("POST", "/extract", "Content-Type: multipart/form-data; boundary=x\r\n", 415),
        ("POST", "/extract", "Expect: foo\r\n", 417),
        ("POST", "/inspect?threshold=101", "", 400),
    ] {
        let given = ask(host.address, method, target, headers, b"<p>x");
        assert_eq!(given.status, status, "{method} {target} {headers}");
        assert_eq!(given.header("content-type"), Some("application/problem+json"), "{target}");
        let problem = given.json();
        assert_eq!(problem["status"], status);
        assert!(!problem["detail"].as_str().unwrap().contains("root:"));
    }
    assert!(get(host.address, "/extract").header("allow").unwrap().contains("POST"));
    // A URL is a name here, and never fetched; a file neither.
    let given = post(host.address, "/extract?url=file:///etc/passwd", b"").json();
    assert_eq!((&given["url"], &given["text"]), (&"file:///etc/passwd".into(), &"".into()));
    // What is no HTTP at all.
    let mut stream = connect(host.address);
    stream.write_all(b"\x16\x03\x01\x02\x00 nonsense\r\n\r\n").unwrap();
    assert_eq!(answer(&mut stream).status, 400);
    assert_eq!(get(host.address, "/healthz").status, 200);
}

#[test]
fn a_connection_serves_many_requests() {
    let host = Host::new();
    let mut stream = connect(host.address);
    for _ in 0..5 {
        assert_eq!(ask_on(&mut stream, "POST", "/extract", "", MILL).status, 200);
    }
}

#[test]
fn unix_sockets_serve_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.sock");
    let host = Host::with(settings(limits()), &[Listen::Unix(path.clone())]);
    let mut stream = UnixStream::connect(&path).unwrap();
    let text = "Accept: text/plain\r\n";
    let by_unix = ask_on(&mut stream, "POST", "/extract", text, MILL);
    let by_tcp = ask(host.address, "POST", "/extract", text, MILL);
    assert_eq!((by_unix.status, &by_unix.body), (200, &by_tcp.body));
    drop(stream);
    host.ended().unwrap();
    assert!(!path.exists(), "the socket is gone with its service");
}

#[test]
fn the_page_for_eyes_is_one_that_loads_nothing_else() {
    let host = Host::new();
    let page = get(host.address, "/");
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    let loaded: Vec<&str> = ["src=\"", "href=\"/"]
        .iter()
        .flat_map(|mark| page.text().split(mark).skip(1))
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(loaded.len() >= 4 && !page.text().contains("http://"), "{loaded:?}");
    for path in loaded {
        let path = format!("/{}", path.trim_start_matches('/'));
        assert_eq!(get(host.address, &path).status, 200, "{path}");
    }
    let hostile = b"<title><script>alert(1)</script></title><p>\"><img src=x onerror=alert(2)> and some words of text.";
    let shown = post(host.address, "/inspect?url=javascript:alert(3)", hostile).json();
    let html = shown["html"].as_str().unwrap();
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    let all = post(host.address, "/inspect?threshold=0", MILL).json();
    let none = post(host.address, "/inspect?threshold=100", MILL).json();
    assert!(all["text"].as_str().unwrap().contains("Home"));
    assert_eq!(none["text"], "");
}

/// Tests that the service refuses data that `run` drops as `not-html`, whatever the media type says.
#[test]
fn what_is_no_page_is_refused() {
    let host = Host::new();
    for (body, name) in [
        (
            &b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj << /Title (Words that read like a text) >> endobj"[..],
            "application/pdf",
        ),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"PK\x03\x04\x14\0\0\0\0\0aaaabbbbccccdddd\x05\0\0\0a.txt", "application/zip"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "application/gzip"),
        (b"\x01\x02\x03\x04abcdefgh", "application/octet-stream"),
    ] {
        for target in ["/extract", "/inspect"] {
            let given = ask(host.address, "POST", target, "Content-Type: text/html\r\n", body);
            assert_eq!(given.status, 415, "{name}");
            let detail = format!("the body is {name}, not a page");
            assert_eq!(given.json()["detail"], detail);
        }
    }
    assert_eq!(post(host.address, "/extract", b"Plain words.").status, 200);
}
