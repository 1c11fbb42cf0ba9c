//! Tests `trommel serve` as a process.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use trommel_html::{Engine, Limits, ScanEngine};
use trommel_model::sites::{PagePrint, SiteMemory};

use crate::program::{rows, signal, trommel, workspace};
#[cfg(feature = "index")]
use crate::sample::ARCHIVE;
use crate::sample::archive_bytes;

const SECRET: &str = "correct-horse-battery-staple";

/// Process of `trommel serve`, which is killed when it is dropped.
pub struct Service {
    child: Child,
    address: String,
    stderr: BufReader<ChildStderr>,
}

impl Service {
    pub fn begin(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trommel"));
        command
            .args(["--log-format", "json", "serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .env_remove("TROMMEL_TOKEN")
            .envs(variables.iter().copied());
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.current_dir(workspace()).env_remove("RUST_LOG").stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended");
            let said: serde_json::Value = serde_json::from_str(&line).unwrap();
            if let Some(address) = said["message"].as_str().unwrap().strip_prefix("listening on http://") {
                break address.to_owned();
            }
        };
        Self { address, child, stderr }
    }

    /// Sends a POST request and returns the status and body of the response.
    pub fn post(&self, target: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
        self.ask("POST", target, headers, body)
    }

    /// Sends a GET request and returns the JSON of the response, after a check that the status is 200.
    #[cfg(feature = "index")]
    fn json(&self, target: &str) -> serde_json::Value {
        let (status, body) = self.ask("GET", target, "", b"");
        assert_eq!(status, 200, "{target}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    fn ask(&self, method: &str, target: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // HTTP/1.0 answers come in one piece that ends with the connection.
        let length = body.len();
        let head = format!("{method} {target} HTTP/1.0\r\nContent-Length: {length}\r\n{headers}\r\n");
        let mut sending = stream.try_clone().unwrap();
        let mut answer = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let _ = sending.write_all(head.as_bytes());
                let _ = sending.write_all(body);
            });
            stream.read_to_end(&mut answer).unwrap();
        });
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap(), answer.split_off(end + 4))
    }

    /// Stops the service. Returns its exit code and the rest of its standard error.
    fn ended(mut self) -> (i32, String) {
        signal(&self.child, "TERM");
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code().unwrap(), said)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn answers_are_those_of_the_other_commands() {
    let service = Service::begin(&[], &[]);
    for page in ["tests/pages/lists.html", "tests/pages/breaks.html"] {
        let bytes = fs::read(workspace().join(page)).unwrap();
        for (format, accept) in [("text", "text/plain"), ("markdown", "text/markdown"), ("json", "application/json")] {
            let url = "https://example.org/a";
            let printed = trommel(&workspace(), &["extract", "-f", format, "--url", url, page], b"");
            let accept = format!("Accept: {accept}\r\n");
            let (status, body) = service.post(&format!("/extract?url={url}"), &accept, &bytes);
            assert_eq!(status, 200);
            assert_eq!(String::from_utf8(body).unwrap(), printed.well(), "{page} {format}");
        }
    }
    let archive = archive_bytes();
    let run = trommel(Path::new("/"), &["run", "-", "-o", "-", "-f", "jsonl"], &archive);
    let (status, body) = service.post("/extract/batch", "", &archive);
    assert_eq!(status, 200);
    assert_eq!(String::from_utf8(body).unwrap(), run.well());
    let (code, said) = service.ended();
    assert_eq!(code, 0, "{said}");
    let mut requests = rows(&said);
    requests.retain(|line| line["message"] == "request");
    assert!(requests.iter().all(|line| line["request_id"].as_str().unwrap().len() > 8 && line["status"] == 200));
    assert_eq!((requests.len(), &requests[6]["path"]), (7, &"/extract/batch".into()));
}

/// Checks that `/about` counts the documents of an index, and that searches have pages, links and filters.
#[cfg(feature = "index")]
#[test]
fn an_index_is_searched_by_language_and_site() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("idx").to_str().unwrap().to_owned();
    trommel(&workspace(), &["index", ARCHIVE, "--index", &index], b"").well();
    let service = Service::begin(&["--index", &index, "--archives", "samples"], &[]);
    assert_eq!(service.json("/about")["indexed"], 32);
    let found = service.json("/search?q=your");
    let hits = found["hits"].as_array().unwrap();
    assert!(hits.len() == 10 && found["documents"].as_u64().unwrap() > 10, "{found}");
    for hit in hits {
        assert!(hit["url"].as_str().unwrap().starts_with("https://") && hit["title"].is_string(), "{hit}");
        assert!(hit["snippet"].as_array().unwrap().iter().any(|piece| piece["hit"] == true), "{hit}");
    }
    let further = service.json("/search?q=your&offset=10");
    assert!(!hits.iter().any(|hit| hit["id"] == further["hits"][0]["id"]), "{further}");
    let of_site = service.json("/search?q=your&site=utrecsports.org");
    assert_eq!((of_site["hits"].as_array().unwrap().len(), &of_site["documents"]), (1, &1.into()), "{of_site}");
    let hit = &of_site["hits"][0];
    assert!(hit["url"].as_str().unwrap().starts_with("https://www.utrecsports.org/"), "{hit}");
    assert_eq!(service.json("/search?q=your&lang=en&site=utrecsports.org")["hits"][0], *hit);
    assert_eq!(service.json("/search?q=your&lang=de")["documents"], 0);
    let stored = service.json(&format!("/stored?id={}", hit["id"].as_str().unwrap()));
    assert!(stored["page"] == true && stored["text"].as_str().unwrap().contains("One-on-One Training"), "{stored}");
}

#[test]
fn a_token_of_the_environment_is_needed_and_never_said() {
    let service = Service::begin(&[], &[("TROMMEL_TOKEN", SECRET)]);
    assert_eq!(service.post("/extract", "", b"<p>x").0, 401);
    assert_eq!(service.post("/extract", &format!("Authorization: Bearer {SECRET}\r\n"), b"<p>x").0, 200);
    let (code, said) = service.ended();
    assert_eq!(code, 0);
    assert!(!said.contains(SECRET), "{said}");
}

/// Checks that the service uses a socket that systemd passes as open file descriptor 3.
#[cfg(unix)]
#[test]
fn a_socket_that_is_handed_over_is_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg("export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$0\" --log-format json serve 3<&0 </dev/null")
        .arg(env!("CARGO_BIN_EXE_trommel"))
        .env_remove("TROMMEL_TOKEN")
        .stdin(OwnedFd::from(listener));
    let service = Service::of(command);
    assert_eq!(service.address, address);
    let text = "The mill stands by the river, and its wheel has turned for two hundred years.";
    let page = format!("<p>{text}");
    let (status, body) = service.post("/extract", "Accept: text/plain\r\n", page.as_bytes());
    assert_eq!((status, String::from_utf8(body).unwrap().trim_end()), (200, text));
    assert_eq!(service.ended().0, 0);
}

/// Checks that a site memory drops text that all pages of a site share, and that requests do not change its counts.
#[test]
fn a_site_memory_is_read_and_stays() {
    const CLAIM: &str = "The bakery opened eighty shops this year, with one hundred and fifty planned for the next.";
    let page = |number: u32| {
        format!(
            "<title>T{number}</title><nav><a href=/>Home</a></nav><article><h1>Story {number}</h1>\
             <p>The committee considers the annual report number {number}, and nobody objects to it today.</p>\
             <p class=claim>{CLAIM}</p><p>The second paragraph of {number} tells what happened in the council.</p></article>"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known.sites");
    let file = path.to_str().unwrap();
    trommel(&workspace(), &["serve", "--sites", file], b"").ended(2, "No such file");
    let mut memory = SiteMemory::new(1 << 20);
    for number in 100..104 {
        let read = ScanEngine.read(&page(number), &Limits::default());
        memory.add(&format!("http://known.example/{number}"), &PagePrint::of(&read), None);
    }
    let mut bytes = Vec::new();
    memory.write(&mut bytes).unwrap();
    fs::write(&path, &bytes).unwrap();

    let service = Service::begin(&["--sites", file], &[]);
    for number in 1..4 {
        for (host, is_kept) in [("known", false), ("other", true)] {
            let target = format!("/extract?url=http://{host}.example/{number}");
            let (status, body) = service.post(&target, "", page(number).as_bytes());
            assert_eq!((status, String::from_utf8(body).unwrap().contains(CLAIM)), (200, is_kept), "{target}");
        }
    }
    assert_eq!(service.ended().0, 0);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}
