//! Tests bearer tokens, and the logs and metrics of requests.

use crate::client::{ask, get, post};
use crate::host::{Host, SECRET, limits};

#[test]
fn without_the_token_nothing_is_answered() {
    let host = Host::with_token(limits());
    let with = |method, target, token: &str| {
        let header = format!("Authorization: Bearer {token}\r\n");
        ask(host.address, method, target, &header, b"<p>x").status
    };
    for (method, target) in [
        ("POST", "/extract"),
        ("POST", "/extract/batch"),
        ("POST", "/inspect"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/about"),
        ("GET", "/nothing"),
        ("GET", "/extract"),
    ] {
        let none = ask(host.address, method, target, "", b"");
        assert_eq!(none.status, 401, "{method} {target}");
        assert_eq!(none.header("www-authenticate"), Some("Bearer"));
        assert_eq!(with(method, target, "wrong-horse-battery-staple"), 401);
        assert_ne!(with(method, target, SECRET), 401, "{method} {target}");
    }
    // The length of a body is nobody's business who has no token.
    assert_eq!(post(host.address, "/extract", &vec![b'x'; 2 << 20]).status, 401);
    for open in ["/", "/assets/app.js", "/healthz", "/readyz"] {
        assert_eq!(get(host.address, open).status, 200, "{open}");
    }
}

#[test]
fn requests_are_named_and_counted() {
    let host = Host::new();
    let given = ask(host.address, "POST", "/extract", "X-Request-Id: crawl-7\r\n", b"<p>x");
    assert_eq!(given.header("x-request-id"), Some("crawl-7"));
    let made = get(host.address, "/healthz");
    assert!(made.header("x-request-id").unwrap().len() > 8);
    post(host.address, "/extract?status=5", b"");
    let metrics = get(host.address, "/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    for line in [
        "trommel_pages_total 1",
        "trommel_page_bytes_total 4",
        "trommel_documents_total 1",
        "trommel_requests_total{status=\"400\"} 1",
        "trommel_stage_seconds_count{stage=\"parse\"} 1",
        "trommel_queue 0",
    ] {
        assert!(metrics.text().lines().any(|known| known == line), "{line}\n{}", metrics.text());
    }
}
