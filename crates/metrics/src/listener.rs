//! An answer to `GET /metrics` for programs that have no HTTP server.

use std::{
    fmt::Display,
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{CONTENT_TYPE, Metrics};

/// Bytes of a request that are read.
const HEAD: usize = 8 << 10;
/// Time that a request may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two looks at whether to stop.
const TICK: Duration = Duration::from_millis(100);

/// Answers `GET /metrics` on one address until it is dropped, one request at a time: Prometheus asks
/// every few seconds.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Begins to listen at `address`, such as `127.0.0.1:9464`; port 0 is any free one.
    ///
    /// # Errors
    /// If the address is none, or taken.
    pub fn bind(address: &str, metrics: Arc<Metrics>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || {
                while !flag.load(Ordering::Relaxed) {
                    match listener.accept() {
                        // A client that goes away early is its own loss.
                        Ok((stream, _)) => drop(answer(stream, &metrics)),
                        Err(_) => thread::sleep(TICK),
                    }
                }
            })?;
        Ok(Self {
            address,
            stop,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, metrics: &dyn Display) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let begin = Instant::now();
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece)?;
        if read == 0 || head.len() > HEAD || begin.elapsed() > PATIENCE {
            return Ok(());
        }
        head.extend_from_slice(piece.get(..read).unwrap_or_default());
    }
    let line = String::from_utf8_lossy(&head);
    let mut words = line.split_ascii_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = target.split('?').next().unwrap_or(target);
    let (status, body) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", metrics.to_string()),
        (_, "/metrics") => ("405 Method Not Allowed", String::new()),
        _ => ("404 Not Found", String::new()),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    )?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn metrics_are_answered_and_nothing_else() {
        let metrics = Arc::new(Metrics::new());
        let listener = Listener::bind("127.0.0.1:0", metrics.clone()).unwrap();
        let address = listener.address();
        metrics.record();
        let answer = ask(address, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("\ntrommel_records_total 1\n"), "{answer}");
        let head = ask(address, "HEAD /metrics HTTP/1.1\r\n\r\n");
        assert!(
            head.ends_with("\r\n\r\n") && !head.contains("trommel_records"),
            "{head}"
        );
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n", "404"),
            ("GET /metrics/../x HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
        ] {
            let answer = ask(address, request);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} ")),
                "{answer}"
            );
        }
        drop(listener);
        assert!(TcpStream::connect(address).is_err(), "still listening");
    }

    #[test]
    fn an_address_that_is_taken_is_an_error() {
        let metrics = Arc::new(Metrics::new());
        let first = Listener::bind("127.0.0.1:0", metrics.clone()).unwrap();
        assert!(Listener::bind(&first.address().to_string(), metrics).is_err());
    }
}
