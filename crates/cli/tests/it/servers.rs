//! Starts servers for the tests of network inputs, each on its own port.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, io, thread};

/// HTTP request that a test server received.
pub struct Request {
    /// Local IP address at which the server received the request.
    pub host: String,
    pub method: String,
    /// Path and query of the URL.
    pub path: String,
    /// Values of the headers, by names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    fn read(stream: &TcpStream) -> io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = || {
            let mut line = String::new();
            reader.read_line(&mut line).map(|_| line)
        };
        let first = line()?;
        let mut words = first.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = HashMap::new();
        while let Some((name, value)) = line()?.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body)?;
        Ok(Self { host: stream.local_addr()?.ip().to_string(), method, path, headers, body })
    }
}

/// Answers the first request of each connection on its own thread, until the process ends. Returns the port.
pub fn serve(
    listener: TcpListener,
    answer: impl Fn(Request, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> u16 {
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A client that goes away early is none of the server's business.
            thread::spawn(move || Request::read(&stream).and_then(|request| answer(request, &mut stream)));
        }
    });
    port
}

/// Server process that is killed when it is dropped.
pub struct Server {
    pub port: u16,
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Server {
    /// Starts a server program on a free port; `None` if the program is not installed. If the program ends at once,
    /// because its port was taken, tries the next port.
    fn start(mut command: impl FnMut(u16) -> Command) -> Option<Self> {
        for _ in 0..5 {
            let port = free_port();
            let mut command = command(port);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            let child = command.stderr(Stdio::null()).spawn().ok()?;
            let mut server = Self { port, child };
            if server.listens() {
                return Some(server);
            }
        }
        panic!("a server does not listen");
    }

    /// Waits at most 60 s until the server listens. Returns false if it ended or another process has the port.
    fn listens(&mut self) -> bool {
        for _ in 0..1200 {
            thread::sleep(Duration::from_millis(50));
            let connected = TcpStream::connect(("127.0.0.1", self.port)).is_ok();
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if connected {
                return true;
            }
        }
        false
    }
}

impl Server {
    /// Stores an object in the S3 server moto.
    pub fn put(&self, path: &str, body: &[u8]) {
        let answer = self.request("PUT", path, body);
        let shown = String::from_utf8_lossy(&answer);
        assert!(shown.starts_with("HTTP/1.1 200"), "{path}: {shown}");
    }

    /// Reads an object of the S3 server moto; `None` if there is no such object.
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        let answer = self.request("GET", path, b"");
        let end = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
        answer.starts_with(b"HTTP/1.1 200").then(|| answer[end + 4..].to_vec())
    }

    fn request(&self, method: &str, path: &str, body: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             x-amz-acl: public-read\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }
}

/// Returns a free port below 32768, where the kernel begins to assign ports. Never returns the same port twice in a
/// process.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let port = 20_000 + (std::process::id() * 64 + NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let port = u16::try_from(port).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Starts nginx for the files in `folder/www`, with a log of `STATUS BYTES` lines in `folder/access.log`. Prints a
/// notice and returns `None` if nginx is not installed.
pub fn nginx(folder: &Path) -> Option<Server> {
    nginx_with(folder, "")
}

/// Starts nginx with TLS and an untrusted certificate. Prints a notice and returns `None` if a program is missing.
pub fn nginx_with_a_certificate_of_its_own(folder: &Path) -> Option<Server> {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=127.0.0.1", "-keyout", "key.pem", "-out", "own.pem"])
        .current_dir(folder)
        .stderr(Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: openssl is not installed");
        return None;
    }
    nginx_with(folder, "ssl")
}

fn nginx_with(folder: &Path, tls: &str) -> Option<Server> {
    let certificate = match tls {
        "" => String::new(),
        _ => format!("ssl_certificate {0}/own.pem; ssl_certificate_key {0}/key.pem;", folder.display()),
    };
    let at = folder.display();
    let config = |port: u16| {
        format!(
            "user root root;\ndaemon off;\nworker_processes 1;\npid {at}/nginx.pid;\n\
             error_log {at}/error.log;\nevents {{ worker_connections 64; }}\n\
             http {{\n  log_format brief '$status $body_bytes_sent';\n  access_log {at}/access.log brief;\n\
             client_body_temp_path {at}/t1;\n  proxy_temp_path {at}/t2;\n  fastcgi_temp_path {at}/t3;\n\
             uwsgi_temp_path {at}/t4;\n  scgi_temp_path {at}/t5;\n\
             server {{ listen 127.0.0.1:{port} {tls}; {certificate} root {at}/www; }}\n}}\n"
        )
    };
    let file = folder.join("nginx.conf");
    let server = ["nginx", "/usr/sbin/nginx"].into_iter().find_map(|program| {
        Server::start(|port| {
            fs::write(&file, config(port)).unwrap();
            let mut command = Command::new(program);
            command.args(["-p", &at.to_string(), "-c"]).arg(&file);
            command
        })
    });
    if server.is_none() {
        eprintln!("skipped: nginx is not installed");
    }
    server
}

/// Starts the S3 server moto with `archive` at `s3://crawl/a/b.warc.gz`. Prints a notice and returns `None` if moto is
/// not installed.
pub fn moto(archive: &[u8]) -> Option<Server> {
    let Some(server) = Server::start(|port| {
        let mut command = Command::new("moto_server");
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        command
    }) else {
        eprintln!("skipped: moto_server (PyPI: moto[server]) is not on the path");
        return None;
    };
    for (path, body) in [("/crawl", &b""[..]), ("/crawl/a/b.warc.gz", archive)] {
        server.put(path, body);
    }
    Some(server)
}

/// Behaviour of a [`BreakingServer`].
#[derive(Clone, Copy, Default)]
pub struct ServerBehaviour {
    /// Number of bytes of a body after which the server closes the connection.
    pub most: usize,
    /// True if the server supports byte ranges.
    pub ranges: bool,
    /// True if the server states an `ETag` for the version of its file.
    pub tag: bool,
    /// Number of requests after which the server has another version of its file; 0 means never.
    pub change: usize,
}

/// Server with one file that closes connections in the middle of bodies.
pub struct BreakingServer {
    pub port: u16,
    /// Value of the header `Range` of each request so far; empty if there was none.
    pub requests: Arc<Mutex<Vec<String>>>,
}

impl BreakingServer {
    /// Starts a server of `file`, which runs until the process ends.
    pub fn start(file: Vec<u8>, manners: ServerBehaviour) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = serve(listener, move |request, stream| answer(&request, stream, &file, manners, &seen));
        Self { port, requests }
    }

    /// Returns the URL of the server's file, which has every name.
    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }
}

fn answer(
    request: &Request,
    stream: &mut TcpStream,
    file: &[u8],
    manners: ServerBehaviour,
    seen: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let range = request.headers.get("range").cloned().unwrap_or_default();
    let wanted_tag = request.headers.get("if-match");
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(range.clone());
        seen.len()
    };
    let changed = manners.change > 0 && number > manners.change;
    let tag = if changed { "\"two\"" } else { "\"one\"" };
    if manners.tag && wanted_tag.is_some_and(|wanted| wanted != tag) {
        let head = "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(head.as_bytes());
    }
    let second = u8::from(changed);
    let mut head = format!("Last-Modified: Sat, 21 Nov 2026 00:00:0{second} GMT\r\nConnection: close\r\n");
    if manners.tag {
        head.push_str(&format!("ETag: {tag}\r\n"));
    }
    let bounds = range.strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let body = match bounds.filter(|_| manners.ranges) {
        Some((first, last)) => {
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let end = (last + 1).min(file.len());
            let size = file.len();
            head.insert_str(
                0,
                &format!("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{}/{size}\r\n", end - 1),
            );
            &file[first..end]
        }
        None => {
            head.insert_str(0, "HTTP/1.1 200 OK\r\n");
            file
        }
    };
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body[..body.len().min(manners.most)])
}
