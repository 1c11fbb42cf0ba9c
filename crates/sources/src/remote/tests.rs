//! Tests of remote objects, with a server whose behaviour each test chooses.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use object_store::{aws::AmazonS3Builder, path::Path};
use tokio::runtime::Runtime;

use super::Remote;
use super::object::Object;
use super::requests::{Redirects, RetryingConnector};
use super::store::names;
use crate::{NetworkOptions, SourceError, StopFlag};

/// First lines and headers of all requests so far.
type Seen = Arc<Mutex<Vec<String>>>;

/// Starts a server that calls `answer` with the number of each request, counted from 0. Returns its port and requests.
fn serve(answer: impl Fn(usize, &mut TcpStream) + Send + 'static) -> (u16, Seen) {
    serve_at("127.0.0.1", move |number, _, stream| answer(number, stream))
}

/// Starts a server at a local address that calls `answer` with the number and the head of each request.
fn serve_at(address: &str, answer: impl Fn(usize, &str, &mut TcpStream) + Send + 'static) -> (u16, Seen) {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let mut stream = stream;
            let mut head = String::new();
            for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                let line = line.unwrap_or_default();
                if line.is_empty() {
                    break;
                }
                head.push_str(&line);
                head.push('\n');
            }
            log.lock().unwrap().push(head.clone());
            answer(number, &head, &mut stream);
        }
    });
    (port, seen)
}

fn say(stream: &mut TcpStream, text: &str) {
    // A client that goes away early is none of the server's business.
    let _ = stream.write_all(text.as_bytes());
}

const BODY: &str = "0123456789abcdef";

/// Writes a status with header lines and a body, as the last response of a connection.
fn answer(stream: &mut TcpStream, head: &str, body: &str) {
    say(stream, &format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n{body}"));
}

/// Writes the whole object as a response, whatever range was requested.
fn whole(stream: &mut TcpStream) {
    answer(stream, "200 OK\r\nETag: \"1\"\r\nContent-Length: 16", BODY);
}

fn options() -> NetworkOptions {
    NetworkOptions { idle: Duration::from_secs(1), retry_for: Duration::from_secs(20), ..NetworkOptions::default() }
}

fn read(options: NetworkOptions, url: &str) -> Result<String, String> {
    let remote = Remote::new(options);
    let mut text = String::new();
    let mut reader = remote.open(url).map_err(|error| error.to_string())?;
    match reader.read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn a_server_that_asks_for_fewer_requests_is_asked_again() {
    let (port, seen) = serve(|number, stream| match number {
        0 => answer(stream, "503 Slow Down\r\nContent-Length: 27", "Reduce your request rate. \n"),
        1 => answer(stream, "429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0", ""),
        4 => answer(stream, "502 Bad Gateway\r\nContent-Length: 0", ""),
        _ => whole(stream),
    });
    assert_eq!(read(options(), &format!("http://127.0.0.1:{port}/a")).as_deref(), Ok(BODY));
    assert!(seen.lock().unwrap().len() >= 4);
}

#[test]
fn patience_has_an_end() {
    let (port, seen) = serve(|_, stream| answer(stream, "503 Slow Down\r\nContent-Length: 14", "\x1b[2Jslow\r\ndown"));
    let brief = NetworkOptions { retry_for: Duration::from_millis(300), ..options() };
    let error = read(brief, &format!("http://127.0.0.1:{port}/a")).unwrap_err();
    assert!(error.contains("503") && !error.contains('\x1b'), "{error:?}");
    assert!(error.contains("slow down"), "{error:?}");
    // Nobody is asked in another way who asks for fewer requests.
    assert!(seen.lock().unwrap().len() <= 4);
}

#[test]
fn objects_without_a_length_are_read() {
    let chunks = "a\r\n0123456789\r\n6\r\nabcdef\r\n0\r\n\r\n";
    for (head, body) in [("200 OK", BODY), ("200 OK\r\nTransfer-Encoding: chunked", chunks)] {
        let (port, _) = serve(move |_, stream| answer(stream, head, body));
        let url = format!("http://127.0.0.1:{port}/a");
        assert_eq!(read(options(), &url).as_deref(), Ok(BODY), "{head}");
        assert_eq!(Remote::new(options()).open(&url).unwrap().length(), None);
    }
}

#[test]
fn a_server_that_is_too_slow_is_given_up() {
    let (port, seen) = serve(|_, stream| {
        answer(stream, "200 OK\r\nETag: \"1\"\r\nContent-Length: 10000", "");
        let mut stream = stream.try_clone().unwrap();
        thread::spawn(move || {
            while stream.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
        });
    });
    let quick = NetworkOptions { idle: Duration::from_millis(400), ..options() };
    let error = read(quick, &format!("http://127.0.0.1:{port}/a")).unwrap_err();
    assert_eq!(error, SourceError::TooSlow(1024).to_string());
    assert!(seen.lock().unwrap().len() >= 3);
}

/// Returns the bytes of an object that is requested in ranges.
fn long() -> Vec<u8> {
    (0..300_000_u32).map(|at| (at % 251) as u8).collect()
}

/// Starts a server of byte ranges of [`long`], whose `ETag` changes at request `change`. Returns its URL and requests.
fn in_ranges(change: usize) -> (String, Seen) {
    let (port, seen) = serve_at("127.0.0.1", move |number, head, stream| {
        let range = header(head, "range: ").unwrap().rsplit_once('=').unwrap().1.split_once('-').unwrap();
        let body = long();
        let (start, end): (usize, usize) = (range.0.parse().unwrap(), range.1.parse().unwrap());
        let (end, all) = (end.min(body.len() - 1), body.len());
        let (tag, length) = (number >= change, end + 1 - start);
        let range = format!("Content-Length: {length}\r\nContent-Range: bytes {start}-{end}/{all}");
        answer(stream, &format!("206 Partial Content\r\nETag: \"{tag}\"\r\n{range}"), "");
        let _ = stream.write_all(&body[start..=end]);
    });
    (format!("http://127.0.0.1:{port}/a"), seen)
}

#[test]
fn objects_are_sought_in() {
    let (url, seen) = in_ranges(usize::MAX);
    let remote = Remote::new(options());
    let mut reader = remote.open(&url).unwrap();
    let mut read = |to| {
        let mut bytes = [0; 4];
        reader.seek(to).unwrap();
        reader.read_exact(&mut bytes).unwrap();
        bytes
    };
    let at = |at: usize| long()[at..at + 4].to_vec();
    assert_eq!(read(SeekFrom::Start(250_000)).to_vec(), at(250_000));
    assert_eq!(read(SeekFrom::Current(0)).to_vec(), at(250_004));
    assert_eq!(read(SeekFrom::End(-4)).to_vec(), at(299_996));
    assert_eq!(read(SeekFrom::Start(7)).to_vec(), at(7));
    // For its length, and for each place that is not the next.
    assert_eq!(seen.lock().unwrap().len(), 4);
    assert_eq!(remote.length(&url), Some(300_000));
    let (port, _) = serve(|_, stream| whole(stream));
    assert_eq!(remote.length(&format!("http://127.0.0.1:{port}/a")), None);
}

#[test]
fn what_is_read_in_several_places_is_of_one_version() {
    let (url, _) = in_ranges(2);
    let remote = Remote::new(options());
    let mut blocks = remote.seekable(&url).unwrap();
    blocks.read_exact(&mut [0; 4]).unwrap();
    let error = remote.open(&url).unwrap().read(&mut [0; 4]).unwrap_err();
    assert_eq!(error.to_string(), SourceError::Changed.to_string());
}

#[test]
fn waiting_ends_with_the_flag() {
    // Never an answer; then a head and never a body.
    for head in ["", "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10000\r\n\r\n"] {
        let open: Mutex<Vec<TcpStream>> = Mutex::default();
        let (port, _) = serve(move |_, stream| {
            say(stream, head);
            open.lock().unwrap().push(stream.try_clone().unwrap());
        });
        let stop = StopFlag::default();
        let patient = NetworkOptions { stop: stop.clone(), idle: Duration::from_secs(3600), ..options() };
        let setter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            stop.set();
        });
        let error = read(patient, &format!("http://127.0.0.1:{port}/a")).unwrap_err();
        assert_eq!(error, SourceError::Stopped.to_string());
        setter.join().unwrap();
    }
}

#[test]
fn credentials_are_used_and_not_shown() {
    let (port, seen) = serve(|_, stream| whole(stream));
    let url = format!("http://me:p%40ss@127.0.0.1:{port}/a?token=TOP&part=1");
    assert_eq!(read(options(), &url).as_deref(), Ok(BODY));
    for head in seen.lock().unwrap().iter() {
        assert!(head.starts_with("GET /a?token=TOP&part=1 "), "{head}");
        let header = head.lines().find(|line| line.starts_with("authorization: "));
        // me:p@ss
        assert_eq!(header, Some("authorization: Basic bWU6cEBzcw=="), "{head}");
    }
    // A port where nobody listens, an address that is none, a bucket with keys before it.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = nobody.local_addr().unwrap().port();
    drop(nobody);
    for url in [
        format!("http://me:hush@127.0.0.1:{closed}/a?sig=hush"),
        "http://me:hush@127.0.0.1:99999/a?sig=hush".to_owned(),
        "s3://me:hush@bucket/a".to_owned(),
    ] {
        let error = read(options(), &url).unwrap_err();
        assert!(!error.contains("hush"), "{error}");
    }
}

/// Returns options with fixed addresses on this machine: 127.0.0.1 for `named.test`, 127.0.0.2 for `other.test`.
fn hosts(follow_hosts: bool) -> NetworkOptions {
    let at = |address: &str| format!("{address}:0").parse().unwrap();
    NetworkOptions {
        follow_hosts,
        addresses: vec![("named.test".to_owned(), at("127.0.0.1")), ("other.test".to_owned(), at("127.0.0.2"))],
        ..options()
    }
}

fn redirect(stream: &mut TcpStream, location: &str) {
    answer(stream, &format!("307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0"), "");
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines();
    lines.find(|line| line.to_ascii_lowercase().starts_with(name))
}

#[test]
fn redirects_go_to_other_hosts_only_if_asked_for() {
    let (other_port, other) = serve_at("127.0.0.2", |_, _, stream| whole(stream));
    for elsewhere in ["other.test", "127.0.0.2"] {
        let to = format!("http://you:hush@{elsewhere}:{other_port}/b#x");
        let (port, _) = serve(move |_, stream| redirect(stream, &to));
        let url = format!("http://me:hush@named.test:{port}/a");
        let error = read(hosts(false), &url).unwrap_err();
        assert_eq!(error, SourceError::OtherHost(elsewhere.to_owned()).to_string());
        assert!(other.lock().unwrap().is_empty(), "asked all the same");
        assert_eq!(read(hosts(true), &url).as_deref(), Ok(BODY));
        for head in std::mem::take(&mut *other.lock().unwrap()) {
            assert!(head.starts_with("GET /b HTTP"), "{head}");
            assert_eq!(header(&head, "authorization"), None);
            assert!(header(&head, "host").is_some_and(|host| host.contains(elsewhere)), "{head}");
        }
    }
}

#[test]
fn redirects_on_one_host_are_followed_to_an_end() {
    let (port, seen) = serve(|number, stream| match number {
        number if number % 2 == 0 => redirect(stream, "/b?part=1"),
        _ => whole(stream),
    });
    let url = format!("http://me:hush@named.test:{port}/a");
    assert_eq!(read(hosts(false), &url).as_deref(), Ok(BODY));
    let last = seen.lock().unwrap().pop().unwrap();
    assert!(last.starts_with("GET /b?part=1 "), "{last}");
    assert!(header(&last, "authorization").is_some());
    let (port, seen) = serve(|_, stream| redirect(stream, "/a"));
    let error = read(hosts(true), &format!("http://named.test:{port}/a")).unwrap_err();
    assert_eq!(error, "more than 10 redirects");
    // Asked once, not again and again.
    assert_eq!(seen.lock().unwrap().len(), 11);
    let (port, _) = serve(|_, stream| redirect(stream, "file:///etc/passwd"));
    let error = read(hosts(true), &format!("http://named.test:{port}/a")).unwrap_err();
    assert!(error.contains("307"), "{error}");
}

/// Returns the settings of a client for the bucket `b` on a server.
fn bucket(endpoint: &str, options: NetworkOptions) -> AmazonS3Builder {
    let connector = RetryingConnector { options, authorization: None, redirects: Redirects::SameServer };
    AmazonS3Builder::new()
        .with_endpoint(endpoint)
        .with_allow_http(true)
        .with_region("here")
        .with_bucket_name("b")
        .with_http_connector(connector)
}

/// Checks that redirects of bucket requests to other servers are refused, both for signed and for unsigned requests.
#[test]
fn signed_requests_stay_at_their_server() {
    let (other_port, other) = serve_at("127.0.0.2", |_, _, stream| whole(stream));
    let (second_port, second) = serve(|_, stream| whole(stream));
    for (host, port, is_signed) in
        [("other.test", other_port, true), ("named.test", second_port, true), ("other.test", other_port, false)]
    {
        let to = format!("http://{host}:{port}/b/k");
        let (port, seen) = serve(move |_, stream| redirect(stream, &to));
        let options = hosts(true);
        let store = bucket(&format!("http://named.test:{port}"), options.clone())
            .with_access_key_id("KEY")
            .with_secret_access_key("SECRET")
            .with_token("TOKEN")
            .with_skip_signature(!is_signed)
            .with_request_payer(true)
            .build()
            .unwrap();
        let path = Path::parse("k").unwrap();
        let mut object = Object::new(Arc::new(store), path, "s3://b/k".to_owned(), &options);
        let size = Runtime::new().unwrap().block_on(object.size());
        let head = seen.lock().unwrap().pop().unwrap();
        assert_eq!(header(&head, "x-amz-security-token").is_some(), is_signed, "{head}");
        assert_eq!(size, Err(SourceError::OtherServer(host.to_owned())));
        assert!(other.lock().unwrap().is_empty() && second.lock().unwrap().is_empty());
    }
}

#[test]
fn a_list_that_gives_new_tokens_for_ever_has_an_end() {
    let (port, seen) = serve(|number, stream| {
        // Only the first page has a name.
        let name = "<Contents><Key>a</Key><LastModified>2026-11-21T00:00:00Z</LastModified><Size>1</Size></Contents>";
        let name = if number == 0 { name } else { "" };
        let body = format!(
            "<ListBucketResult><Name>b</Name>{name}<IsTruncated>true</IsTruncated>\
             <NextContinuationToken>t{number}</NextContinuationToken></ListBucketResult>"
        );
        answer(stream, &format!("200 OK\r\nContent-Length: {}", body.len()), &body);
    });
    // As the first object of a network does.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let store = bucket(&format!("http://127.0.0.1:{port}"), options()).with_skip_signature(true).build().unwrap();
    let patience = Duration::from_millis(500);
    let listed = Runtime::new().unwrap().block_on(names(&store, "s3://b", &Path::default(), patience));
    assert_eq!(listed.unwrap_err().to_string(), "a list without a name for 0 s");
    assert!(seen.lock().unwrap().len() > 1);
}

#[test]
fn interim_answers_without_end_do_not_hold_a_reader() {
    let (port, _) = serve(|_, stream| {
        while stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_ok() {
            thread::sleep(Duration::from_millis(2));
        }
    });
    let brief = NetworkOptions { idle: Duration::from_millis(300), retry_for: Duration::ZERO, ..options() };
    let begin = Instant::now();
    assert!(read(brief, &format!("http://127.0.0.1:{port}/a")).is_err());
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}
