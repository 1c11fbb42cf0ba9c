//! Tests requests that a web page of another site could make a browser on this machine send.

use std::{io::Write as _, os::unix::net::UnixStream};

use trommel_web::service::{HostGuard, Listen, ServiceSettings};

use crate::client::{answer, connect, head};
use crate::host::{Host, SECRET, limits, settings};

/// Sends a request with `lines` in its head, and returns the status of the answer.
fn status(host: &Host, method: &str, target: &str, lines: &str) -> u16 {
    let body = b"<p>x";
    let mut stream = connect(host.address);
    let length = body.len();
    let head = format!("{method} {target} HTTP/1.1\r\nContent-Length: {length}\r\n{lines}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    answer(&mut stream).status
}

/// Starts a service without a token that is also reached by a host name.
fn guarded() -> Host {
    let guard = HostGuard::new(["extractor.internal".to_owned()]);
    Host::with(ServiceSettings { guard, ..settings(limits()) }, &[])
}

#[test]
fn pages_of_other_sites_cannot_ask() {
    let host = guarded();
    let local = format!("Host: {}\r\n", host.address);
    for (lines, given) in [
        // A form of another site, as text/plain; a script of it; a sandboxed frame.
        ("Origin: https://evil.example\r\nContent-Type: text/plain\r\n", 403),
        ("Origin: http://localhost:3000\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\n", 403),
        ("", 200),
        ("Sec-Fetch-Site: same-origin\r\n", 200),
    ] {
        for target in ["/extract", "/inspect", "/extract?url=http://victim.example/a"] {
            let lines = format!("{local}{lines}");
            assert_eq!(status(&host, "POST", target, &lines), given, "{lines}");
        }
    }
    let own_page = format!("{local}Origin: http://{}\r\n", host.address);
    assert_eq!(status(&host, "POST", "/inspect", &own_page), 200);
    // A person follows a link to the page for eyes.
    let linked = format!("{local}Sec-Fetch-Site: cross-site\r\n");
    assert_eq!(status(&host, "GET", "/", &linked), 200);
}

#[test]
fn names_that_were_made_to_mean_this_machine_are_not_answered() {
    let host = guarded();
    let port = host.address.port();
    for (name, given) in [
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("localhost", 200),
        ("127.0.0.1", 200),
        ("Extractor.Internal", 200),
    ] {
        for target in ["/about", "/metrics", "/", "/healthz", "/openapi.json"] {
            let lines = format!("Host: {name}:{port}\r\n");
            assert_eq!(status(&host, "GET", target, &lines), given, "{name} {target}");
        }
    }
}

/// Tests that any host name is answered if a token is needed, or through a Unix socket: browsers cannot get in there.
#[test]
fn where_a_browser_cannot_get_in_any_name_is_answered() {
    let host = Host::with_token(limits());
    let token = format!("Host: crawl.example\r\nAuthorization: Bearer {SECRET}\r\n");
    assert_eq!(status(&host, "POST", "/extract", &token), 200);
    let without = "Host: crawl.example\r\n";
    assert_eq!(status(&host, "POST", "/extract", without), 401);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sock");
    let _host = Host::with(settings(limits()), &[Listen::Unix(path.clone())]);
    let mut stream = UnixStream::connect(&path).unwrap();
    let head = head("POST", "/extract", "X-More: 1\r\n", 4).replace("localhost", "trommel");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"<p>x").unwrap();
    assert_eq!(answer(&mut stream).status, 200);
}
