//! Tests of payloads: framing, codings, limits, media types.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use proptest::prelude::*;
use trommel_archive::write::gzip_member;
use trommel_archive::{
    Coding, MediaType, Payload, PayloadError, PayloadNote, PayloadOptions, Record, RecordType, TypeSource, media_type,
    payload,
};

use crate::make::{TestRecord, noise, plain, read};

const PAGE: &str = "<!DOCTYPE html><html><body><p>One paragraph of text.</p>\n<p>And one more of it, and of it, and of it.</p></body></html>";

fn record(kind: &str, extra: &[(&'static str, &str)], block: &[u8]) -> Record {
    let mut fields = vec![("WARC-Type", kind.to_owned())];
    fields.extend(extra.iter().map(|(k, v)| (*k, (*v).to_owned())));
    let (mut records, errors) = read(plain(&TestRecord { fields, block: block.to_vec() }));
    assert!(errors.is_empty());
    records.remove(0)
}

fn response(headers: &str, body: &[u8]) -> Record {
    let mut block = format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes();
    block.extend_from_slice(body);
    record("response", &[("Content-Type", "application/http; msgtype=response")], &block)
}

fn undo(headers: &str, body: &[u8]) -> Payload<'static> {
    undo_within(&PayloadOptions::default(), headers, body)
}

fn undo_within(options: &PayloadOptions, headers: &str, body: &[u8]) -> Payload<'static> {
    let record = response(headers, body);
    let undone = payload(&record, options).unwrap();
    Payload { body: undone.body.into_owned().into(), ..undone }
}

fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in body.chunks(size) {
        write!(out, "{:x}\r\n", chunk.len()).unwrap();
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

fn brotli(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 5, 20);
    encoder.write_all(body).unwrap();
    drop(encoder);
    out
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn gz(body: &[u8]) -> Vec<u8> {
    gzip_member(body, 6).unwrap()
}

fn zst(body: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(body, 3).unwrap()
}

type Coder = fn(&[u8]) -> Vec<u8>;

const CODERS: [(&str, Coding, Coder); 6] = [
    ("gzip", Coding::Gzip, gz),
    ("X-GZIP", Coding::Gzip, gz),
    ("deflate", Coding::Deflate, zlib),
    ("deflate", Coding::Deflate, deflate),
    ("br", Coding::Brotli, brotli),
    ("zstd", Coding::Zstd, zst),
];

#[test]
fn codings_are_undone() {
    for (name, coding, encode) in CODERS {
        let header = format!("Content-Encoding: {name}\r\nContent-Type: text/html\r\n");
        let undone = undo(&header, &encode(PAGE.as_bytes()));
        assert_eq!(undone.body, PAGE.as_bytes(), "{name}");
        assert_eq!((undone.status, undone.codings), (Some(200), vec![coding]));
        assert_eq!(undone.notes, []);

        let both = format!("{header}Transfer-Encoding: chunked\r\n");
        let undone = undo(&both, &chunked(&encode(PAGE.as_bytes()), 20));
        assert_eq!(undone.body, PAGE.as_bytes(), "{name}");
        assert_eq!(undone.codings, [Coding::Chunked, coding]);

        let transfer = format!("Transfer-Encoding: {name}, chunked\r\n");
        let undone = undo(&transfer, &chunked(&encode(PAGE.as_bytes()), 20));
        assert_eq!(undone.body, PAGE.as_bytes(), "{name}");
        assert_eq!(undone.codings, [Coding::Chunked, coding]);
    }
    let undone = undo("Content-Encoding: gzip, br\r\n", &brotli(&gz(PAGE.as_bytes())));
    assert_eq!(undone.body, PAGE.as_bytes());
    assert_eq!(undone.codings, [Coding::Brotli, Coding::Gzip]);
    let members = [gz(&PAGE.as_bytes()[..50]), gz(&PAGE.as_bytes()[50..])].concat();
    assert_eq!(undo("Content-Encoding: gzip\r\n", &members).body, PAGE.as_bytes());
}

#[test]
fn headers_that_lie_change_nothing() {
    for (name, coding, _) in CODERS {
        for body in [PAGE.as_bytes(), b"plain words", "ein wörtchen".as_bytes(), b"\x89PNG\r\n\x1a\n"] {
            let undone = undo(&format!("Content-Encoding: {name}\r\n"), body);
            assert_eq!(undone.body, body, "{name}");
            assert_eq!(undone.notes, [PayloadNote::HeaderLied(coding)], "{name}");
            assert_eq!(undone.codings, []);
        }
    }
    let undone = undo("Transfer-Encoding: chunked\r\n", PAGE.as_bytes());
    assert_eq!(undone.body, PAGE.as_bytes());
    assert_eq!(undone.notes, [PayloadNote::HeaderLied(Coding::Chunked)]);
    let undone = undo("Content-Encoding: utf-8\r\n", PAGE.as_bytes());
    assert_eq!(undone.notes, [PayloadNote::UnknownCoding("utf-8".into())]);
    assert_eq!(undo("Content-Encoding: gzip\r\n", b"").notes, []);
}

#[test]
fn names_of_codings_without_end_leave_few_notes() {
    for names in ["x,".repeat(20_000), "gzip,".repeat(9000), format!("{},br", "y".repeat(60_000))] {
        let undone = undo(&format!("Content-Encoding: {names}\r\n"), PAGE.as_bytes());
        assert_eq!(undone.body, PAGE.as_bytes());
        let notes: usize = undone.notes.iter().map(|note| note.to_string().len()).sum();
        assert!(undone.notes.len() <= 9 && notes < 600, "{:?}", undone.notes);
    }
    let undone = undo(&"A: b\r\n".repeat(100_000), PAGE.as_bytes());
    assert_eq!(undone.notes, [PayloadNote::HeadTooLong]);
    assert_eq!(undone.body, PAGE.as_bytes());
    assert!(undone.headers.len() < 20_000);
}

#[test]
fn gzip_without_a_header_is_undone_for_pages_only() {
    let undone = undo("Content-Type: text/html\r\n", &gz(&gz(PAGE.as_bytes())));
    assert_eq!(undone.body, PAGE.as_bytes());
    let note = PayloadNote::Undeclared(Coding::Gzip);
    assert_eq!(undone.notes, [note.clone(), note]);
    let file = gz(PAGE.as_bytes());
    assert_eq!(undo("Content-Type: application/gzip\r\n", &file).body, file);
}

#[test]
fn cut_bodies_keep_what_decodes() {
    let long: String = (0..20_000u64).map(|i| format!("<p>paragraph {}</p>\n", i * i * 7919 % 100_003)).collect();
    for (name, coding, encode) in CODERS {
        let whole = encode(long.as_bytes());
        let undone = undo(&format!("Content-Encoding: {name}\r\n"), &whole[..whole.len() * 2 / 3]);
        assert!(long.as_bytes().starts_with(&undone.body), "{name}");
        assert!(undone.body.len() > long.len() / 2, "{name}: {}", undone.body.len());
        assert_eq!(undone.notes, [PayloadNote::BodyCut(coding)], "{name}");
    }
}

#[test]
fn limits_hold() {
    let bomb = vec![b'a'; 3_000_000];
    let options = PayloadOptions { max_payload: 100_000 };
    for (name, coding, encode) in CODERS {
        let headers = format!("Content-Encoding: {name}\r\n");
        let undone = undo_within(&options, &headers, &encode(&bomb));
        assert_eq!(undone.body.len(), 100_000, "{name}");
        assert_eq!(undone.notes, [PayloadNote::LimitHit], "{name}");
        assert_eq!(undone.codings, [coding]);
        assert!(undone.body.into_owned().capacity() < 400_000);
    }
    let exact = PayloadOptions { max_payload: PAGE.len() as u64 };
    let coded = gz(PAGE.as_bytes());
    let undone = undo_within(&exact, "Content-Encoding: gzip\r\n", &coded);
    assert_eq!(undone.notes, []);
    let undone = undo_within(&options, "", &bomb);
    assert_eq!((undone.body.len(), undone.notes), (100_000, vec![PayloadNote::LimitHit]));
}

#[test]
fn a_bomb_in_a_bomb_is_bounded() {
    let options = PayloadOptions { max_payload: 1_000_000 };
    let bomb = gz(&gz(&vec![0; 40_000_000]));
    assert!(bomb.len() < 1000);
    let headers = "Content-Encoding: gzip, gzip\r\n";
    let undone = undo_within(&options, headers, &bomb);
    assert_eq!(undone.body.len(), 1_000_000);
    assert!(undone.body.into_owned().capacity() < 3_000_000);
    assert_eq!(undone.notes, [PayloadNote::LimitHit]);
}

#[test]
fn the_number_of_codings_is_bounded() {
    let mut body = PAGE.as_bytes().to_vec();
    for _ in 0..20 {
        body = gz(&body);
    }
    let headers = format!("Content-Encoding: {}gzip\r\n", "gzip, ".repeat(2000));
    let undone = undo(&headers, &body);
    assert_eq!(undone.notes[0], PayloadNote::TooManyCodings);
    // Eight that are declared, two more that are seen.
    assert_eq!(undone.codings, [Coding::Gzip; 10]);
}

#[test]
fn chunk_sizes_that_lie_lose_no_text() {
    for body in [
        "4\r\nWiki\r\nffffffffffffffff\r\npedia",
        "4\r\nWiki\r\n7fffffffffffffff\r\npedia",
        "4\r\nWiki\r\n-5\r\npedia\r\n0\r\n\r\n",
        "4\r\nWiki\r\n00000000000000000000000000000005\r\npedia\r\n0\r\n\r\n",
        "4\r\nWiki5\r\npedia\r\n0\r\n\r\n",
        "4\r\nWikipedia\r\n0\r\n\r\n",
        "ff\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n",
        "0x4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n",
        "ffffffffffffffff\r\nWiki\r\npedia",
        "0\r\nWiki\r\npedia",
        "\r\n4\r\nWiki\r\npedia",
    ] {
        let undone = undo("Transfer-Encoding: chunked\r\n", body.as_bytes());
        let text = String::from_utf8(undone.body.into_owned()).unwrap();
        assert!(text.contains("Wiki") && text.contains("pedia"), "{body:?}: {text:?}");
        assert_ne!(undone.notes, [], "{body:?}");
    }
}

#[test]
fn many_chunks_before_many_blanks_take_linear_time() {
    // Quadratic, this would not come to an end.
    let body = ["1\r\na\r\n".repeat(1_000_000), " ".repeat(8_000_000)].concat();
    let undone = undo("Transfer-Encoding: chunked\r\n", body.as_bytes());
    assert_eq!(undone.body.len(), 1_000_000);
}

#[test]
fn records_of_each_type() {
    let options = PayloadOptions::default();
    let bare = record("response", &[("Content-Type", "text/html")], PAGE.as_bytes());
    let found = payload(&bare, &options).unwrap();
    assert_eq!((found.status, &*found.body), (None, PAGE.as_bytes()));
    let resource = record("resource", &[("Content-Type", "text/html")], b"HTTP/1.1 is a title");
    assert_eq!(&*payload(&resource, &options).unwrap().body, b"HTTP/1.1 is a title");
    let request = record("request", &[], b"GET / HTTP/1.1\r\n\r\n");
    let error = payload(&request, &options).unwrap_err();
    assert_eq!(error, PayloadError::NoPayload(RecordType::Request));
    assert_eq!(request.block, b"GET / HTTP/1.1\r\n\r\n");
    let revisit = record("revisit", &[], b"HTTP/1.1 304 Not Modified\r\nA: b\r\n\r\n");
    let found = payload(&revisit, &options).unwrap();
    assert_eq!((found.status, found.body.len(), found.headers.get("a")), (Some(304), 0, Some("b")));
}

#[test]
fn charset_of_the_header() {
    for (value, expected) in [
        ("text/html; charset=utf-8", Some("utf-8")),
        ("text/html;charset=\"ISO-8859-1\"", Some("ISO-8859-1")),
        ("text/html; q=1; CHARSET = 'gbk' ", Some("gbk")),
        ("text/html; charset=", None),
        ("text/html", None),
    ] {
        let found = undo(&format!("Content-Type: {value}\r\n"), b"x");
        assert_eq!(found.charset(), expected, "{value}");
    }
}

fn kind(identified: &str, http: &str, body: &str) -> (MediaType, TypeSource) {
    let mut block = b"HTTP/1.1 200 OK\r\n".to_vec();
    if !http.is_empty() {
        write!(block, "Content-Type: {http}\r\n").unwrap();
    }
    write!(block, "\r\n{body}").unwrap();
    let fields = [("Content-Type", "application/http"), ("WARC-Identified-Payload-Type", identified)];
    let record = record("response", &fields, &block);
    let payload = payload(&record, &PayloadOptions::default()).unwrap();
    media_type(&record, &payload)
}

#[test]
fn media_types_in_their_order() {
    use TypeSource::{Http, Identified, Record, Sniffed};
    let other = |name: &str| MediaType::Other(name.into());
    assert_eq!(kind("text/html", "text/plain", ""), (MediaType::Html, Identified));
    assert_eq!(kind("application/pdf", "text/html", ""), (other("application/pdf"), Identified));
    assert_eq!(kind("", "Text/HTML; charset=x", ""), (MediaType::Html, Http));
    assert_eq!(kind("", "application/xhtml+xml", ""), (MediaType::Xhtml, Http));
    for page in ["<html>", " \n<!DOCTYPE HTML><p>", "\u{feff}<!-- a --><title>b</title>", "<BODY class=a>"] {
        assert_eq!(kind("", "text/plain; charset=x", page), (MediaType::Html, Sniffed), "{page}");
    }
    // Markdown begins like this, and words about HTML.
    for text in ["<p align=center>a</p>", "<htmlx>", "a <html>", "<!-- <html>", ""] {
        assert_eq!(kind("", "text/plain", text), (other("text/plain"), Http), "{text}");
    }
    for nothing in ["", "html", "application/octet-stream", "unknown/unknown", "no-type"] {
        assert_eq!(kind("", nothing, "<html>"), (MediaType::Html, Sniffed), "{nothing}");
        assert_eq!(kind("", nothing, "words"), (other(""), Sniffed), "{nothing}");
    }
    let page = |fields: &[(&'static str, &str)], kind| {
        let record = record(kind, fields, PAGE.as_bytes());
        let payload = payload(&record, &PayloadOptions::default()).unwrap();
        media_type(&record, &payload)
    };
    assert_eq!(page(&[("Content-Type", "text/html")], "resource"), (MediaType::Html, Record));
    assert_eq!(page(&[("Content-Type", "image/png")], "resource"), (other("image/png"), Record));
    assert_eq!(page(&[("Content-Type", "application/http")], "response"), (MediaType::Html, Sniffed));
    assert_eq!(page(&[], "resource"), (MediaType::Html, Sniffed));
    let text = [("Content-Type", "text/plain")];
    assert_eq!(page(&text, "resource"), (MediaType::Html, Sniffed));
    // Whoever made the text of a capture says what it is.
    assert_eq!(page(&text, "conversion"), (other("text/plain"), Record));
}

#[test]
fn what_only_is_called_a_page_is_what_its_bytes_say() {
    let sniffed = |name: &str| (MediaType::Other(name.into()), TypeSource::Sniffed);
    for (body, name) in [
        ("%PDF-1.4\n1 0 obj", "application/pdf"),
        ("GIF89a\u{1}\0", "image/gif"),
        ("PK\u{3}\u{4}\u{14}\0", "application/zip"),
        ("{\\rtf1 words", "application/rtf"),
    ] {
        for stated in ["text/html; charset=utf-8", "application/xhtml+xml"] {
            assert_eq!(kind("", stated, body), sniffed(name), "{stated} {body}");
            assert_eq!(kind("text/html", stated, body), sniffed(name));
        }
        // What is called something else was never taken for a page.
        let other = MediaType::Other("text/css".into());
        assert_eq!(kind("", "text/css", body), (other, TypeSource::Http));
    }
    assert_eq!(kind("", "text/html", "words about GIF89a").0, MediaType::Html);
}

#[test]
fn first_bytes_tell() {
    let sniff = |body: &str| kind("", "", body).0;
    for page in [
        "<!doctype HTML>", " \n<html lang=en>", "\u{feff}<head>", "<!-- a --> <!-- b --><body>", "<p>x",
        "<div class=a>", "<h1>", "<br/>", "<a href=x>", "<title>", "<script>", "<IFRAME src=x>", "<table>",
    ] {
        assert_eq!(sniff(page), MediaType::Html, "{page}");
    }
    let xhtml = "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'>\n<html>";
    assert_eq!(sniff(xhtml), MediaType::Xhtml);
    for (body, name) in [
        ("<?xml version='1.0'?><rss>", "text/xml"),
        ("<paragraph>", ""),
        ("%PDF-1.4", "application/pdf"),
        ("a < b", ""),
        ("", ""),
    ] {
        assert_eq!(sniff(body), MediaType::Other(name.into()), "{body}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bodies_never_panic(
        which in 0..CODERS.len(),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 1u8..), 0..6),
        chunk in 1usize..50,
    ) {
        let (name, _, encode) = CODERS[which];
        let mut body = chunked(&encode(PAGE.as_bytes()), chunk);
        for (index, flip) in flips {
            let at = index.index(body.len());
            body[at] ^= flip;
        }
        let headers = format!("Transfer-Encoding: chunked\r\nContent-Encoding: {name}\r\n");
        let found = undo(&headers, &body);
        let cut = found.notes.iter().any(|note| matches!(note, PayloadNote::BodyCut(_)));
        prop_assert!(cut || !found.body.is_empty());
    }

    #[test]
    fn any_size_of_chunks_is_joined(length in 0usize..3000, size in 1usize..500) {
        let body = noise(length);
        let found = undo("Transfer-Encoding: chunked\r\n", &chunked(&body, size));
        prop_assert_eq!(found.body, body);
        prop_assert_eq!(found.codings, [Coding::Chunked]);
        prop_assert_eq!(found.notes, []);
    }
}
