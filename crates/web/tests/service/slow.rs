//! Tests clients that send or read slowly, and the memory that they may take.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use trommel_web::service::ServiceLimits;

use crate::client::{answer, connect, get, head, post};
use crate::host::{Host, limits, settings};

/// Returns whether a service answers `/healthz` on a new connection within `seconds`.
fn answers_within(host: &Host, seconds: u64) -> bool {
    let mut stream = TcpStream::connect(host.address).unwrap();
    let time = Duration::from_secs(seconds);
    stream.set_read_timeout(Some(time)).unwrap();
    stream.write_all(head("GET", "/healthz", "", 0).as_bytes()).unwrap();
    let mut start = [0; 15];
    stream.read_exact(&mut start).is_ok() && &start == b"HTTP/1.1 200 OK"
}

/// Sends requests until the service takes no more of them, because its answers are not read.
fn ask_until_stuck(stream: &TcpStream, request: &[u8]) {
    stream.set_nonblocking(true).unwrap();
    let begin = Instant::now();
    let mut quiet = 0;
    while quiet < 10 && begin.elapsed() < Duration::from_secs(20) {
        match (&*stream).write(request) {
            Ok(sent) if sent > 0 => quiet = 0,
            _ => {
                quiet += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
    stream.set_nonblocking(false).unwrap();
}

/// Returns whether the service closes the connection within `seconds`, while the client reads nothing.
fn is_closed_within(stream: &TcpStream, seconds: u64) -> bool {
    stream.set_nonblocking(true).unwrap();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        // To a closed connection nothing can be sent, after what was sent first was refused.
        match (&*stream).write(b"G") {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return true,
            Ok(sent) => assert!(sent <= 1),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn who_takes_nothing_of_an_answer_is_let_go() {
    let limits = ServiceLimits { timeout: Duration::from_millis(600), ..limits() };
    let host = Host::with(settings(limits), &[]);
    let stream = connect(host.address);
    let request = head("GET", "/openapi.json", "", 0).repeat(50);
    ask_until_stuck(&stream, request.as_bytes());
    assert!(is_closed_within(&stream, 20));
    assert!(answers_within(&host, 10));
}

/// Tests that idle connections are closed after the timeout to make room when all connections are taken.
#[test]
fn deaf_and_silent_clients_keep_nobody_out() {
    let limits = ServiceLimits { timeout: Duration::from_secs(2), connections: 8, ..limits() };
    let host = Host::with(settings(limits), &[]);
    let request = head("GET", "/openapi.json", "", 0).repeat(50);
    let crowd: Vec<TcpStream> = (0..16)
        .map(|number| {
            let stream = connect(host.address);
            match number % 4 {
                0 => ask_until_stuck(&stream, request.as_bytes()),
                1 => (&stream).write_all(b"GET /hea").unwrap(),
                2 => {
                    let head = head("POST", "/extract", "", 1000);
                    (&stream).write_all(head.as_bytes()).unwrap();
                }
                _ => {}
            }
            stream
        })
        .collect();
    for _ in 0..3 {
        assert!(answers_within(&host, 60));
    }
    drop(crowd);
}

#[test]
fn who_sends_slowly_takes_no_place() {
    let limits = ServiceLimits { jobs: std::num::NonZeroUsize::MIN, queue: 0, ..limits() };
    let host = Host::with(settings(limits), &[]);
    let halves: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = connect(host.address);
            let head = head("POST", "/extract", "Expect: 100-continue\r\n", 100);
            stream.write_all(head.as_bytes()).unwrap();
            // It is inside, and its body has begun.
            stream.read_exact(&mut [0; 25]).unwrap();
            stream.write_all(b"<p>").unwrap();
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(post(host.address, "/extract", b"<p>whole").status, 200);
    }
    assert_eq!(get(host.address, "/readyz").status, 200);
    drop(halves);
}

/// Tests that unread answers hold their memory and other requests are refused, until the slow clients are dropped.
#[test]
fn answers_hold_their_memory_until_they_are_taken() {
    let limits = ServiceLimits {
        timeout: Duration::from_secs(5),
        // Room for one such report at a time.
        max_memory: 512 << 20,
        ..limits()
    };
    let host = Host::with(settings(limits), &[]);
    // Its report has some 10 MB, more than the buffers of sockets take.
    let page = b"<p>a <a href=x>b</a>".repeat(20_000);
    let ask = || {
        let mut stream = connect(host.address);
        let head = head("POST", "/inspect", "", page.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&page).unwrap();
        stream
    };
    let crowd: Vec<TcpStream> = (0..12).map(|_| ask()).collect();
    // Refused or answered, but within the time that the deaf ones are given.
    let begin = Instant::now();
    let mut statuses = Vec::new();
    while statuses.last() != Some(&200) {
        assert!(begin.elapsed() < Duration::from_secs(100), "{statuses:?}");
        statuses.push(answer(&mut ask()).status);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(statuses.iter().all(|status| [200, 429].contains(status)));
    drop(crowd);
}

/// Tests that markup takes more memory than text of the same length, and is refused with status 413 if too large.
#[test]
fn pages_for_which_there_is_no_memory_are_refused() {
    let limits = ServiceLimits { max_memory: 32 << 20, max_body: 16 << 20, ..limits() };
    let host = Host::with(settings(limits), &[]);
    let about = get(host.address, "/about").json();
    let most = about["max_body"].as_u64().unwrap();
    assert!((500_000..2 << 20).contains(&most), "{most}");
    let refused = post(host.address, "/extract", &vec![b'x'; most as usize + 1]);
    assert_eq!(refused.status, 413);
    let text = post(host.address, "/extract", &vec![b'x'; most as usize / 2]);
    assert_eq!(text.status, 200);
    let mut markup = b"<p>x".repeat(most as usize / 4);
    markup.truncate(most as usize);
    let heavy = post(host.address, "/extract", &markup);
    assert_eq!(heavy.status, 413, "{}", heavy.text());
    assert!(heavy.text().contains("memory"), "{}", heavy.text());
}
