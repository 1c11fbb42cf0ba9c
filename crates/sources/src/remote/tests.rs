//! Against a server that behaves as each test wants it to.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use super::Remote;
use crate::{NetworkOptions, SourceError, StopFlag};

/// Head lines of all requests so far.
type Seen = Arc<Mutex<Vec<String>>>;

/// Serves each connection with `answer`, which gets the number of the request, from 0; until the process
/// ends.
fn serve(answer: impl Fn(usize, &mut TcpStream) + Send + 'static) -> (u16, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
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
            log.lock().unwrap().push(head);
            answer(number, &mut stream);
        }
    });
    (port, seen)
}

fn say(stream: &mut TcpStream, text: &str) {
    // A client that goes away early is none of the server's business.
    let _ = stream.write_all(text.as_bytes());
}

const BODY: &str = "0123456789abcdef";

/// The whole object, whatever range was asked for.
fn whole(stream: &mut TcpStream) {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"1\"\r\nContent-Length: 16\r\n\r\n";
    say(stream, &format!("{head}{BODY}"));
}

fn options() -> NetworkOptions {
    NetworkOptions {
        idle: Duration::from_secs(1),
        retry_for: Duration::from_secs(20),
        ..NetworkOptions::default()
    }
}

fn read(options: NetworkOptions, url: &str) -> Result<String, String> {
    let remote = Remote::new(options).unwrap();
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
        0 => say(
            stream,
            "HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Length: 27\r\n\r\n\
             Reduce your request rate. \n",
        ),
        1 => say(
            stream,
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nConnection: close\r\n\
             Content-Length: 0\r\n\r\n",
        ),
        4 => say(
            stream,
            "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        ),
        _ => whole(stream),
    });
    let url = format!("http://127.0.0.1:{port}/a");
    assert_eq!(read(options(), &url).as_deref(), Ok(BODY));
    assert!(seen.lock().unwrap().len() >= 4);
}

#[test]
fn patience_has_an_end() {
    let (port, seen) = serve(|_, stream| {
        say(
            stream,
            "HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Length: 14\r\n\r\n\x1b[2Jslow\r\ndown",
        );
    });
    let brief = NetworkOptions {
        retry_for: Duration::from_millis(300),
        ..options()
    };
    let error = read(brief, &format!("http://127.0.0.1:{port}/a")).unwrap_err();
    assert!(
        error.contains("503") && !error.contains('\x1b'),
        "{error:?}"
    );
    assert!(error.contains("slow down"), "{error:?}");
    // Nobody is asked in another way who asks for fewer requests.
    assert!(seen.lock().unwrap().len() <= 4);
}

#[test]
fn objects_without_a_length_are_read() {
    for chunked in [false, true] {
        let (port, _) = serve(move |_, stream| match chunked {
            true => say(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n\
                 a\r\n0123456789\r\n6\r\nabcdef\r\n0\r\n\r\n",
            ),
            false => say(
                stream,
                &format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{BODY}"),
            ),
        });
        let url = format!("http://127.0.0.1:{port}/a");
        assert_eq!(read(options(), &url).as_deref(), Ok(BODY), "{chunked}");
        let remote = Remote::new(options()).unwrap();
        assert_eq!(remote.open(&url).unwrap().length(), None);
    }
}

#[test]
fn a_server_that_is_too_slow_is_given_up() {
    let (port, seen) = serve(|_, stream| {
        say(
            stream,
            "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"1\"\r\nContent-Length: 10000\r\n\r\n",
        );
        let mut stream = stream.try_clone().unwrap();
        thread::spawn(move || {
            while stream.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
        });
    });
    let quick = NetworkOptions {
        idle: Duration::from_millis(400),
        ..options()
    };
    let url = format!("http://127.0.0.1:{port}/a");
    let error = read(quick, &url).unwrap_err();
    assert_eq!(error, SourceError::TooSlow(1024).to_string());
    assert!(seen.lock().unwrap().len() >= 3);
}

#[test]
fn an_object_whose_network_is_gone_has_no_clean_end() {
    let open: Mutex<Vec<TcpStream>> = Mutex::default();
    let (port, _) = serve(move |_, stream| {
        say(
            stream,
            "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10000\r\n\r\nabc",
        );
        open.lock().unwrap().push(stream.try_clone().unwrap());
    });
    let remote = Remote::new(options()).unwrap();
    let mut reader = remote.open(&format!("http://127.0.0.1:{port}/a")).unwrap();
    let mut start = [0; 3];
    reader.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"abc");
    drop(remote);
    let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("closed before"), "{error}");
}

#[test]
fn waiting_ends_with_the_flag() {
    // Never an answer; then a head and never a body.
    for head in [
        "",
        "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10000\r\n\r\n",
    ] {
        let open: Mutex<Vec<TcpStream>> = Mutex::default();
        let (port, _) = serve(move |_, stream| {
            say(stream, head);
            open.lock().unwrap().push(stream.try_clone().unwrap());
        });
        let stop = StopFlag::default();
        let patient = NetworkOptions {
            stop: stop.clone(),
            idle: Duration::from_secs(3600),
            ..options()
        };
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
        let header = head
            .lines()
            .find(|line| line.starts_with("authorization: "));
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
