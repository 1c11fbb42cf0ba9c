//! Test client that can send incomplete, broken and slow requests.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// HTTP answer of the service to a test request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Header names, in lower case, with their values.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Sends one request on a new connection, and returns the answer.
pub fn ask(address: SocketAddr, method: &str, target: &str, headers: &str, body: &[u8]) -> Answer {
    ask_on(&mut connect(address), method, target, headers, body)
}

/// Sends a request on an open connection, and returns the answer.
pub fn ask_on<S: Read + Write>(stream: &mut S, method: &str, target: &str, headers: &str, body: &[u8]) -> Answer {
    stream.write_all(head(method, target, headers, body.len()).as_bytes()).unwrap();
    // A service that refuses early may close before it has all.
    let _ = stream.write_all(body);
    answer(stream)
}

pub fn get(address: SocketAddr, target: &str) -> Answer {
    ask(address, "GET", target, "", b"")
}

pub fn post(address: SocketAddr, target: &str, body: &[u8]) -> Answer {
    ask(address, "POST", target, "", body)
}

pub fn head(method: &str, target: &str, headers: &str, length: usize) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n{headers}\r\n")
}

/// Reads one answer from a connection, which may stay open.
pub fn answer(stream: &mut impl Read) -> Answer {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&head));
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut answer = Answer { status, headers, body: Vec::new() };
    match answer.header("content-length") {
        Some(length) => {
            answer.body = vec![0; length.parse().unwrap()];
            stream.read_exact(&mut answer.body).unwrap();
        }
        None => answer.body = chunks(stream),
    }
    answer
}

/// Reads a chunked body; appends `<broken>` if the body breaks off.
fn chunks(stream: &mut impl Read) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let Some(size) = line(stream) else {
            body.extend_from_slice(b"<broken>");
            return body;
        };
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        if stream.read_exact(&mut chunk).is_err() {
            body.extend_from_slice(b"<broken>");
            return body;
        }
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

fn line(stream: &mut impl Read) -> Option<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") {
        match stream.read(&mut byte) {
            Ok(1) => line.push(byte[0]),
            _ => return None,
        }
    }
    String::from_utf8(line).ok()
}

/// Ends sending on a connection, which can still be read from.
pub fn end(stream: &TcpStream) {
    stream.shutdown(Shutdown::Write).unwrap();
}
