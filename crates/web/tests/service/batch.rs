//! Tests requests with archives.

use std::{fs, io::Write as _, sync::Arc};

use trommel::record::filters::Filters;

use crate::client::{Answer, answer, ask, connect, end, post};
use crate::host::{Host, limits, settings};

fn sample() -> Vec<u8> {
    fs::read("../../samples/wcxb-sample.warc.gz").unwrap()
}

fn lines(answer: &Answer) -> Vec<serde_json::Value> {
    let lines = answer.text().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn record(number: usize, page: &str) -> String {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n\
         WARC-Target-URI: https://news.example/{number}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

#[test]
fn every_record_is_a_line_or_counted() {
    let host = Host::new();
    let answer = post(host.address, "/extract/batch?summary=true", &sample());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let mut lines = lines(&answer);
    let summary = lines.pop().unwrap()["summary"].clone();
    assert_eq!((&summary["records"], &summary["documents"]), (&33.into(), &32.into()));
    assert_eq!(summary["drops"]["warcinfo"], 1);
    assert_eq!(lines.len(), 32);
    assert!(lines.iter().all(|line| line["source"]["file"] == "-"));
    let markdown = post(host.address, "/extract/batch?markdown=true&blocks=true", &sample());
    let first = &self::lines(&markdown)[0];
    assert!(first["text"].as_str().unwrap().starts_with("# "));
    assert!(first["blocks"].as_array().unwrap().len() > 5);
}

#[test]
fn lines_come_while_the_archive_is_still_being_sent() {
    let host = Host::new();
    let mut stream = connect(host.address);
    stream
        .write_all(b"POST /extract/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
        .unwrap();
    let mut send = |bytes: &str| {
        stream.write_all(format!("{:x}\r\n{bytes}\r\n", bytes.len()).as_bytes()).unwrap();
    };
    // A response waits for the record after it, which may tell its charset.
    send(&record(1, "<p>The first of three pages, with some words."));
    send(&record(2, "<p>The second of three pages, with some words."));
    let mut reader = stream.try_clone().unwrap();
    let mut seen = Vec::new();
    while !seen.ends_with(b"}\n\r\n") {
        let mut byte = [0];
        std::io::Read::read_exact(&mut reader, &mut byte).unwrap();
        seen.push(byte[0]);
    }
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("The first of") && !seen.contains("The second of"), "{seen}");
    // The rest after that.
    let mut send = |bytes: &str| {
        stream.write_all(format!("{:x}\r\n{bytes}\r\n", bytes.len()).as_bytes()).unwrap();
    };
    send(&record(3, "<p>The third of three pages, with some words."));
    send("");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut reader, &mut rest).unwrap();
    assert!(rest.contains("The second of") && rest.contains("The third of"), "{rest}");
    assert!(rest.ends_with("0\r\n\r\n"));
}

#[test]
fn what_is_no_archive_is_refused_and_a_cut_one_does_not_look_whole() {
    let host = Host::new();
    for (body, words) in [(b"<html><p>a page".as_slice(), "not a WARC or ARC archive"), (b"", "empty archive")] {
        let given = post(host.address, "/extract/batch", body);
        assert_eq!(given.status, 400);
        assert!(given.json()["detail"].as_str().unwrap().contains(words), "{}", given.text());
    }
    let coded = ask(host.address, "POST", "/extract/batch", "Content-Encoding: gzip\r\n", &sample());
    assert_eq!(coded.status, 415);
    let mut stream = connect(host.address);
    let sample = sample();
    let head = crate::client::head("POST", "/extract/batch", "", sample.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&sample[..sample.len() / 2]).unwrap();
    end(&stream);
    let given = answer(&mut stream);
    assert!(given.body.ends_with(b"<broken>"), "{}", given.body.len());
    assert!(given.body.len() > 1000, "what came before is there");
}

#[test]
fn filters_drop_by_reason() {
    let mut settings = settings(limits());
    let rules = trommel::FilterSettings { min_words: Some(100_000), ..trommel::FilterSettings::default() };
    settings.filters = Arc::new(Filters::new(&rules));
    let host = Host::with(settings, &[]);
    let answer = post(host.address, "/extract/batch?summary=true", &sample());
    let lines = lines(&answer);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["summary"]["drops"]["too-short"], 32);
    let single = post(host.address, "/extract", b"<p>A short page.");
    assert_eq!((single.status, single.header("x-trommel-dropped")), (200, Some("too-short")));
}
