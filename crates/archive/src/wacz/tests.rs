//! Tests of WACZ files made by the `zip` crate: intact, truncated and malformed.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::wacz::{Bytes, Container, PageList, StorageMethod, Window, collection, write_texts};

const PAGES: &str = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All\"}\n\
    {\"url\":\"http://a.example/\",\"ts\":\"2024-05-01T00:00:00Z\",\"title\":\"Mill\"}\n\
    no JSON\n\
    {\"url\":\"http://b.example/\",\"ts\":\"2024-05-01T00:00:01Z\",\"title\":\"http://b.example/\"}\n";

fn container(bytes: Vec<u8>) -> Result<Container, crate::wacz::WaczError> {
    let bytes: Arc<[u8]> = bytes.into();
    let open = move || -> std::io::Result<Box<dyn Bytes>> { Ok(Box::new(Cursor::new(bytes.clone()))) };
    Container::new("x.wacz", Arc::new(open))
}

fn zip(entries: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read(container: &Container, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    container.read(container.entry(name).unwrap()).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

const STORED: CompressionMethod = CompressionMethod::Stored;
const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

#[test]
fn stored_archives_are_windows_and_deflated_ones_are_streams() {
    let long = b"WARC/1.0 ".repeat(10_000);
    let bytes = zip(&[
        ("archive/b.warc", DEFLATED, &long),
        ("archive/a.warc.gz", STORED, b"0123456789"),
        ("archive/readme.txt", STORED, b"x"),
        ("other/c.warc", STORED, b"x"),
    ]);
    let container = container(bytes).unwrap();
    let archives = container.archives().unwrap();
    let names: Vec<_> = archives.iter().map(|entry| entry.as_ref().unwrap().name.as_str()).collect();
    assert_eq!(names, ["archive/a.warc.gz", "archive/b.warc"]);
    let mut window = container.stored(archives[0].as_ref().unwrap()).unwrap();
    window.seek(SeekFrom::Start(4)).unwrap();
    let mut rest = String::new();
    window.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "456789");
    assert_eq!(window.seek(SeekFrom::End(-3)).unwrap(), 7);
    assert_eq!(container.entry("archive/b.warc").unwrap().method, StorageMethod::Deflated);
    assert!(read(&container, "archive/b.warc") == long);
}

#[test]
fn windows_have_ends() {
    let mut window = Window::new(Cursor::new(b"0123456789".to_vec()), 2, 5).unwrap();
    let mut text = String::new();
    window.read_to_string(&mut text).unwrap();
    assert_eq!(text, "23456");
    assert_eq!(window.read(&mut [0; 4]).unwrap(), 0);
    assert!(window.seek(SeekFrom::End(-6)).is_err());
}

#[test]
fn a_container_without_its_end_is_refused() {
    let bytes = zip(&[("archive/a.warc", STORED, b"the last one")]);
    let directory = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
    let error = container(bytes[..directory].to_vec()).unwrap_err().to_string();
    assert!(error.starts_with("x.wacz: no WACZ file: "), "{error}");
}

#[test]
fn large_containers_have_a_directory_of_64_bits() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(STORED);
    for number in 0..66_000 {
        zip.start_file(format!("other/{number}"), options).unwrap();
    }
    zip.start_file("archive/a.warc", options.large_file(true)).unwrap();
    zip.write_all(b"in ZIP64").unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    let whole = container(bytes).unwrap();
    assert_eq!(whole.entries().len(), 66_001);
    assert_eq!(read(&whole, "archive/a.warc"), b"in ZIP64");
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let bytes = zip(&[("archive/../../etc/a.warc", STORED, b"x"), ("archive/b.warc", STORED, b"x")]);
    let mut crypt = bytes.clone();
    // The directory says that the second one is encrypted.
    let at = memchr::memmem::rfind(&crypt, b"archive/b.warc").unwrap() - 46 + 8;
    crypt[at] |= 1;
    let container_ = container(crypt).unwrap();
    let refused: Vec<String> =
        container_.archives().unwrap().into_iter().map(|archive| archive.unwrap_err().to_string()).collect();
    assert_eq!(
        refused,
        ["x.wacz!archive/../../etc/a.warc: its name leads out of the container", "x.wacz!archive/b.warc: is encrypted"]
    );
    let error = container(zip(&[("a.txt", STORED, b"x")])).unwrap().archives().unwrap_err();
    assert_eq!(error.to_string(), "x.wacz: no WARC file in archive/");
    for bytes in [&b""[..], b"WARC/1.0\r\n", &[0; 100]] {
        let error = container(bytes.to_vec()).unwrap_err().to_string();
        assert!(error.starts_with("x.wacz: no WACZ file: "), "{error}");
    }
}

#[test]
fn pages_are_known_by_their_url() {
    let extra = "{\"url\":\"http://c.example/\",\"ts\":\"2024\"}\n";
    let bytes =
        zip(&[("pages/pages.jsonl", DEFLATED, PAGES.as_bytes()), ("pages/extraPages.jsonl", STORED, extra.as_bytes())]);
    let list = PageList::of(&container(bytes).unwrap()).unwrap();
    assert_eq!((list.len(), list.bad_lines(), list.is_full()), (3, 1, false));
    assert_eq!(list.title("http://a.example/#top"), Some("Mill"));
    assert_eq!(list.title("http://b.example/"), Some(""));
    assert_eq!(list.title("http://c.example/"), Some(""));
    assert_eq!(list.title("http://a.example/x"), None);
}

#[test]
fn collections_name_their_containers() {
    let json = br#"{"profile":"multi-wacz-package","resources":[
        {"name":"a","path":"https://host/a.wacz","hash":"sha256:0"},{"name":"b.wacz"}]}"#;
    assert_eq!(collection(json), Some(vec!["https://host/a.wacz".into(), "b.wacz".into()]));
    assert_eq!(collection(br#"{"profile":"data-package"}"#), None);
    assert_eq!(collection(b"x"), None);
}

/// Checks that a container with added texts keeps its other contents and has the right hashes.
#[test]
fn texts_are_written_beside_the_pages() {
    let archive = b"WARC/1.0 archive".repeat(100);
    let old = "{\"profile\":\"data-package\",\"title\":\"T\",\"wacz_version\":\"1.0.0\",\"resources\":[]}";
    let bytes = zip(&[
        ("archive/a.warc", DEFLATED, &archive),
        ("pages/pages.jsonl", DEFLATED, PAGES.as_bytes()),
        ("datapackage.json", STORED, old.as_bytes()),
    ]);
    let before = container(bytes).unwrap();
    let mut asked = Vec::new();
    let mut text = |url: &str, ts: &str| {
        asked.push((url.to_owned(), ts.to_owned()));
        (url == "http://a.example/").then(|| "The \"old\" mill\n".to_owned())
    };
    let (out, written) = write_texts(&before, Cursor::new(Vec::new()), &mut text).unwrap();
    assert_eq!((written.pages, written.texts, written.unsigned), (2, 1, false));
    assert_eq!(asked[0].1, "2024-05-01T00:00:00Z");
    let mut bytes = out.into_inner();
    let after = container(bytes.clone()).unwrap();
    assert!(read(&after, "archive/a.warc") == archive);
    assert_eq!(after.entry("archive/a.warc").unwrap().method, StorageMethod::Stored);
    let lines = String::from_utf8(read(&after, "pages/pages.jsonl")).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert!(lines[0].contains("\"hasText\":true"), "{}", lines[0]);
    assert!(lines[1].contains(r#""text":"The \"old\" mill\n""#), "{}", lines[1]);
    assert_eq!(lines[2], "no JSON");
    assert!(!lines[3].contains("text\""), "{}", lines[3]);
    let description: serde_json::Value = serde_json::from_slice(&read(&after, "datapackage.json")).unwrap();
    assert_eq!(description["title"], "T");
    assert_eq!(after.check_hashes().unwrap(), []);
    // One byte of the archive is another now.
    let at = memchr::memmem::find(&bytes, b"WARC/1.0 archive").unwrap();
    bytes[at] = b'w';
    let faults = container(bytes).unwrap().check_hashes().unwrap();
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].entry, "archive/a.warc");
    assert!(faults[0].what.starts_with("SHA-256 is "), "{}", faults[0].what);
}

/// Returns the index of an entry's header in the directory of a ZIP file.
fn in_directory(bytes: &[u8], name: &str) -> usize {
    memchr::memmem::rfind(bytes, name.as_bytes()).unwrap() - 46
}

#[test]
fn copies_share_one_directory() {
    let bytes = zip(&[("archive/a.warc", STORED, b"x"), ("b.txt", STORED, b"x")]);
    let container = container(bytes).unwrap();
    let copy = container.clone();
    assert_eq!(copy.entries().as_ptr(), container.entries().as_ptr());
    let names: Vec<String> = copy.without_other_entries().entries().iter().map(|entry| entry.name.clone()).collect();
    assert_eq!(names, ["archive/a.warc"]);
}

#[test]
fn entries_with_one_name_and_such_that_overlap_are_refused() {
    let whole = zip(&[
        ("archive/a.warc", STORED, b"0123456789"),
        ("archive/b.warc", STORED, b"abcdefghij"),
        ("archive/c.warc", STORED, b"the last"),
    ]);
    let error = |bytes: Vec<u8>| container(bytes).unwrap_err().to_string();
    let mut bytes = whole.clone();
    for name in memchr::memmem::find_iter(&whole, b"archive/b.warc") {
        bytes[name + 8] = b'a';
    }
    assert!(error(bytes).ends_with("archive/a.warc: two entries of that name"));
    // Two entries at one place.
    let mut bytes = whole.clone();
    let of_b = in_directory(&bytes, "archive/b.warc") + 42;
    bytes[of_b..of_b + 4].fill(0);
    assert!(error(bytes).ends_with(": the next entry begins in it"));
    // One that has more bytes than there are up to the next.
    let mut bytes = whole;
    let of_a = in_directory(&bytes, "archive/a.warc") + 20;
    bytes[of_a + 2] = 1;
    assert!(error(bytes).ends_with("archive/a.warc: the next entry begins in it"));
}

#[test]
fn a_line_that_is_too_long_ends_a_list() {
    let pages = format!("{{\"url\":\"http://long.example/\",\"title\":\"{}\"}}\n", "x".repeat(17 << 20));
    let bytes = zip(&[("archive/a.warc", STORED, b"x"), ("pages/pages.jsonl", DEFLATED, pages.as_bytes())]);
    let container = container(bytes).unwrap();
    let told = "x.wacz!pages/pages.jsonl: has a line of 16 MiB";
    assert_eq!(PageList::of(&container).unwrap_err().to_string(), told);
    let error = write_texts(&container, Cursor::new(Vec::new()), &mut |_, _| None).unwrap_err();
    assert_eq!(error.to_string(), told);
}

#[test]
fn a_read_that_fails_is_no_damage() {
    let open = || -> std::io::Result<Box<dyn Bytes>> { Ok(Box::new(Failing)) };
    let error = Container::new("x.wacz", Arc::new(open)).unwrap_err();
    assert_eq!(error.to_string(), "x.wacz: stopped");
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("stopped"))
    }
}

impl Seek for Failing {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Ok(100)
    }
}

/// Checks that an entry that the description lists several times is hashed only once.
#[test]
fn hashes_are_taken_once() {
    let resource = r#"{"path":"archive/a.warc","hash":"sha256:00"}"#;
    let json = format!("{{\"resources\":[{resource},{resource}]}}");
    let bytes = zip(&[("archive/a.warc", STORED, b"x"), ("datapackage.json", STORED, json.as_bytes())]);
    let faults = container(bytes).unwrap().check_hashes().unwrap();
    assert!(faults[0].what.starts_with("SHA-256 is "), "{}", faults[0].what);
    assert_eq!(faults[1].what, "named by datapackage.json more than once");
}
