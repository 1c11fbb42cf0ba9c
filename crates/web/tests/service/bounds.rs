//! Tests requests that are too large, too slow, or break off.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::time::Duration;

use trommel_web::service::ServiceLimits;

use crate::client::{answer, ask, ask_on, connect, end, get, head, post};
use crate::host::{Host, SECRET, limits, settings};

#[test]
fn long_bodies_are_refused_at_once_or_when_they_are_too_long() {
    let host = Host::new();
    assert_eq!(post(host.address, "/extract", &vec![b'x'; 1 << 20]).status, 200);
    // A gigabyte is refused by its header: none of it is sent.
    let mut stream = connect(host.address);
    stream.write_all(head("POST", "/extract", "", 1 << 30).as_bytes()).unwrap();
    let given = answer(&mut stream);
    assert_eq!(given.status, 413);
    assert!(given.json()["detail"].as_str().unwrap().contains("1048576 bytes"));
    // Without a length it is refused when it has come.
    let mut stream = connect(host.address);
    stream.write_all(b"POST /extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    while stream.write_all(&chunk).is_ok() {
        stream.set_nonblocking(true).unwrap();
        let came = stream.peek(&mut [0]);
        stream.set_nonblocking(false).unwrap();
        if came.is_ok() {
            break;
        }
    }
    assert_eq!(answer(&mut stream).status, 413);
    assert_eq!(get(host.address, "/healthz").status, 200);
}

/// Tests that transfer codings below the chunks are refused, because the service does not undo them.
#[test]
fn transfer_codings_are_refused() {
    let host = Host::new();
    for (coding, status) in [("gzip, chunked", 415), ("Chunked", 200)] {
        let mut stream = connect(host.address);
        let head = format!("POST /extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: {coding}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(b"4\r\n<p>x\r\n0\r\n\r\n").unwrap();
        assert_eq!(answer(&mut stream).status, status, "{coding}");
    }
}

#[test]
fn slow_clients_are_let_go() {
    let limits = ServiceLimits { timeout: Duration::from_millis(300), ..limits() };
    let host = Host::with(settings(limits), &[]);
    // A body that does not come.
    let mut slow = connect(host.address);
    slow.write_all(head("POST", "/extract", "", 100).as_bytes()).unwrap();
    slow.write_all(b"<p>").unwrap();
    // A head that does not end, the start of one, and nothing at all.
    let starts: [&[u8]; 3] = [b"POST /extract HTTP/1.1\r\nHost: localhost\r\n", b"PRI * HTT", b""];
    let silent = starts.map(|start| {
        let mut stream = connect(host.address);
        stream.write_all(start).unwrap();
        stream
    });
    assert_eq!(answer(&mut slow).status, 408);
    for mut stream in silent {
        let mut rest = Vec::new();
        let read = stream.read_to_end(&mut rest);
        let is_closed = read.is_ok_and(|_| rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"));
        assert!(is_closed, "{}", String::from_utf8_lossy(&rest));
    }
    assert_eq!(get(host.address, "/healthz").status, 200);
}

/// Tests that heads of requests take memory while the bodies are awaited, so that all requests stay within the limit.
#[test]
fn heads_hold_memory_until_they_are_answered() {
    let limits = ServiceLimits { timeout: Duration::from_secs(5), max_memory: 32 << 20, ..limits() };
    let host = Host::with(settings(limits), &[]);
    let named = format!("X-Page-Url: http://e.example/{}\r\n", "x".repeat(40_000));
    let ask = |_| {
        let mut stream = connect(host.address);
        stream.write_all(head("POST", "/extract", &named, 100).as_bytes()).unwrap();
        stream
    };
    let mut crowd: Vec<TcpStream> = (0..40).map(ask).collect();
    let statuses: Vec<u16> = crowd.iter_mut().map(|stream| answer(stream).status).collect();
    assert!(statuses.iter().all(|status| [408, 429].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&408) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(post(host.address, "/extract", b"<p>x").status, 200);
}

#[test]
fn connections_that_break_off_leave_nothing_behind() {
    let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 0, ..limits() };
    let host = Host::with(settings(limits), &[]);
    for _ in 0..20 {
        let mut stream = connect(host.address);
        stream.write_all(head("POST", "/extract", "", 1000).as_bytes()).unwrap();
        stream.write_all(b"<p>half").unwrap();
        drop(stream);
        let mut stream = connect(host.address);
        stream.write_all(head("POST", "/extract", "", 1000).as_bytes()).unwrap();
        end(&stream);
        drop(stream);
    }
    // Their places are free again as soon as the service has seen them go.
    let served = (0..200).any(|_| {
        let status = post(host.address, "/extract", b"<p>whole").status;
        std::thread::sleep(Duration::from_millis(20));
        status == 200
    });
    assert!(served);
}

#[test]
fn over_capacity_requests_are_told_to_come_back() {
    let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 1, ..limits() };
    let host = Host::with(settings(limits), &[]);
    // One is judged, one waits.
    let page = b"<li><a href=x>One of many links</a> and a sentence that says something.".repeat(12_000);
    let given: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..6).map(|_| scope.spawn(|| post(host.address, "/extract", &page))).collect();
        let is_full = || get(host.address, "/readyz").status == 503;
        while !is_full() && !asked.iter().all(std::thread::ScopedJoinHandle::is_finished) {}
        assert_eq!(get(host.address, "/healthz").status, 200);
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let refused: Vec<_> = given.iter().filter(|answer| answer.status == 429).collect();
    assert!((1..5).contains(&refused.len()), "{} refused", refused.len());
    assert!(refused.iter().all(|answer| answer.header("retry-after") == Some("1")));
    // Nothing of those inside is lost.
    let mut others = given.iter().filter(|answer| answer.status != 429);
    assert!(others.all(|answer| answer.json()["text"].as_str().unwrap().len() > 100_000));
    assert_eq!(ask(host.address, "POST", "/extract", "", b"<p>x").status, 200);
    assert_eq!(get(host.address, "/readyz").status, 200);
}

/// Tests that clients that send a whole request before reading get an early answer, and that the connection continues.
#[test]
fn early_answers_reach_clients_that_are_still_sending() {
    let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 0, ..limits() };
    let host = Host::with_token(limits);
    let token = format!("Authorization: Bearer {SECRET}\r\n");
    let send = |stream: &mut TcpStream, target: &str, headers: &str, length: usize| {
        ask_on(stream, "POST", target, headers, &vec![b'x'; length])
    };
    // Longer than what the buffers of sockets hold.
    let (long, longer) = (1 << 20, 3 << 20);
    let mut stream = connect(host.address);
    for (target, headers, length, status) in [
        ("/extract", "", long, 401),
        ("/extract?model=none", token.as_str(), long, 400),
        ("/nothing", &token, long, 404),
        ("/extract/batch", &token, long, 400),
    ] {
        let given = send(&mut stream, target, headers, length);
        assert_eq!(given.status, status, "{target}");
    }
    assert_eq!(send(&mut stream, "/extract", &token, longer).status, 413);
    assert_eq!(send(&mut stream, "/extract", &token, long).status, 200);
    // More than it would read on is left, and the answer comes before.
    let mut endless = connect(host.address);
    endless.write_all(head("POST", "/extract", &token, 1 << 30).as_bytes()).unwrap();
    assert_eq!(answer(&mut endless).status, 413);
    let mebibyte = vec![b'x'; 1 << 20];
    let sent = (0..1024).take_while(|_| endless.write_all(&mebibyte).is_ok());
    assert!(sent.count() < 64, "the connection is not closed");
}
