//! Tests WACZ files: stored, deflated, large, truncated and malformed ones; their pages, hashes and revisits; and
//! texts written into them.

use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use trommel::archive::write::gzip_member;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

#[cfg(feature = "remote")]
use crate::program::trommel_under;
use crate::program::{RunResult, trommel, workspace};
use crate::sample::{ARCHIVE, archive_bytes, record};
use crate::servers::{BreakingServer, ServerBehaviour};

pub const STORED: CompressionMethod = CompressionMethod::Stored;
pub const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

fn run(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, &[&["run"], arguments].concat(), b"")
}

pub fn zip(entries: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn entry(path: &Path, name: &str) -> Vec<u8> {
    let mut zip = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The lines of a run, with another name of the archive in each.
fn lines(text: &str, file: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["source"]["file"] = file.into();
        line["source"]["name"] = file.into();
        line
    });
    lines.collect()
}

/// What the sample archive gives by itself.
fn expected(folder: &Path) -> Vec<Value> {
    lines(run(folder, &[workspace().join(ARCHIVE).to_str().unwrap(), "-o", "-"]).well(), "x")
}

/// A record of its own gzip member.
fn member(kind: &str, number: usize, url: &str, more: &[(&str, &str)], block: &str) -> Vec<u8> {
    gzip_member(&record(kind, number, url, more, block.as_bytes()), 6).unwrap()
}

/// An HTTP response with a page, whose title is optional.
fn page(title: &str, word: &str) -> String {
    let text = format!("The {word} stands by the river, and it has been there for many years. ");
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>{title}<body><p>{}</p></body></html>",
        text.repeat(5)
    )
}

#[test]
fn archives_in_a_container_give_what_they_give_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    let sample = archive_bytes();
    for (name, method) in [("stored.wacz", STORED), ("deflated.wacz", DEFLATED)] {
        fs::write(at.join(name), zip(&[("archive/data.warc.gz", method, &sample)])).unwrap();
        let ran = run(at, &[name, "-o", "-"]);
        let first: Value = serde_json::from_str(ran.well().lines().next().unwrap()).unwrap();
        assert_eq!(first["source"]["file"], format!("{name}!archive/data.warc.gz"));
        assert!(lines(ran.text(), "x") == expected, "{name}");
    }
    // A container of ZIP64, known by its first bytes rather than by its name.
    let mut large = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(STORED);
    for number in 0..66_000 {
        large.start_file(format!("other/{number}"), options).unwrap();
    }
    large.start_file("archive/data.warc.gz", options.large_file(true)).unwrap();
    large.write_all(&sample).unwrap();
    fs::write(at.join("large.zip"), large.finish().unwrap().into_inner()).unwrap();
    assert!(lines(run(at, &["large.zip", "-o", "-"]).well(), "x") == expected);
}

#[test]
fn a_cut_container_gives_what_is_left_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    let sample = archive_bytes();
    let whole = zip(&[("archive/data.warc.gz", STORED, &sample)]);
    // Behind the archive: only the directory is gone.
    let end = 30 + "archive/data.warc.gz".len() + sample.len();
    fs::write(at.join("tail.wacz"), &whole[..end]).unwrap();
    let ran = run(at, &["tail.wacz", "-o", "-"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("tail.wacz!archive/data.warc.gz: offset 0: the directory of the container is missing or damaged"),
        "{}",
        ran.stderr
    );
    assert!(lines(ran.text(), "x") == expected);
    // In the middle of the archive.
    fs::write(at.join("half.wacz"), &whole[..end / 2]).unwrap();
    let ran = run(at, &["half.wacz", "-o", "-"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let found = lines(ran.text(), "x");
    assert!(found.len() > 2 && found.len() < expected.len(), "{}", found.len());
    assert!(found[..found.len() - 1] == expected[..found.len() - 1]);
}

#[test]
fn hashes_are_checked_on_wish() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let description = r#"{"profile":"data-package","resources":[
        {"path":"archive/data.warc.gz","hash":"sha256:00","bytes":1},
        {"path":"pages/pages.jsonl","hash":"sha256:00"}]}"#;
    let bytes = zip(&[
        ("archive/data.warc.gz", STORED, &archive_bytes()),
        ("pages/pages.jsonl", STORED, b"{}"),
        ("datapackage.json", STORED, description.as_bytes()),
    ]);
    fs::write(at.join("x.wacz"), bytes).unwrap();
    let unchecked = run(at, &["x.wacz", "-o", "-"]);
    let checked = run(at, &["x.wacz", "-o", "-", "--check-hashes"]);
    assert_eq!(checked.code, 1);
    assert_eq!(checked.text(), unchecked.well());
    let faults = checked.stderr.lines().filter(|line| line.contains("datapackage.json says"));
    assert_eq!(faults.count(), 2, "{}", checked.stderr);
    checked.said("archive/data.warc.gz: ");
    fs::write(at.join("y.wacz"), zip(&[("archive/data.warc.gz", STORED, &archive_bytes())])).unwrap();
    let checked = run(at, &["y.wacz", "-o", "-", "--check-hashes"]);
    assert_eq!(checked.code, 1);
    checked.said("y.wacz!datapackage.json: is missing");
}

#[test]
fn what_cannot_be_read_is_one_line_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let archive = member("response", 1, "http://a.example/", &[], &page("", "mill"));
    let bytes = zip(&[("archive/../../evil.warc.gz", STORED, &archive), ("archive/good.warc.gz", STORED, &archive)]);
    fs::write(at.join("names.wacz"), bytes).unwrap();
    fs::write(at.join("none.wacz"), zip(&[("a.txt", STORED, b"x")])).unwrap();
    fs::write(at.join("no.wacz"), "no ZIP file").unwrap();
    let ran = run(at, &["names.wacz", "none.wacz", "no.wacz", "gone.wacz", "-o", "-"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(lines(ran.text(), "x").len(), 1, "{}", ran.stderr);
    for line in [
        "names.wacz!archive/../../evil.warc.gz: its name leads out of the container",
        "none.wacz: no WARC file in archive/",
        "no.wacz: no WACZ file: ",
        "gone.wacz: ",
    ] {
        let told = ran.stderr.lines().filter(|told| told.contains(line)).count();
        assert_eq!(told, 1, "{line}\n{}", ran.stderr);
    }
    assert!(!at.join("evil.warc.gz").exists());
}

#[test]
fn pages_of_the_list_only_with_the_titles_that_it_gives() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let archive = [
        member("response", 1, "http://a.example/", &[], &page("", "mill")),
        member("response", 2, "http://a.example/frame", &[], &page("", "frame")),
        member("response", 3, "http://a.example/own", &[], &page("<title>Own</title>", "house")),
    ]
    .concat();
    let pages = "{\"format\":\"json-pages-1.0\"}\n\
        {\"url\":\"http://a.example/\",\"title\":\"Listed\"}\n";
    let extra = "{\"url\":\"http://a.example/own#top\",\"title\":\"Listed\"}\n";
    let bytes = zip(&[
        ("archive/a.warc.gz", STORED, &archive),
        ("pages/pages.jsonl", DEFLATED, pages.as_bytes()),
        ("pages/extraPages.jsonl", DEFLATED, extra.as_bytes()),
    ]);
    fs::write(at.join("x.wacz"), bytes).unwrap();
    let title = |line: &Value| line["title"].as_str().map(str::to_owned);
    let titles: Vec<_> = lines(run(at, &["x.wacz", "-o", "-"]).well(), "").iter().map(title).collect();
    assert_eq!(titles, ["Listed", "", "Own"].map(|title| Some(title.into())));
    let listed = run(at, &["x.wacz", "-o", "-", "--pages-only"]);
    let titles: Vec<_> = lines(listed.well(), "").iter().map(title).collect();
    assert_eq!(titles, [Some("Listed".into()), Some("Own".into())]);
    listed.said("dropped: 1 not-listed");
    fs::write(at.join("y.wacz"), zip(&[("archive/a.warc.gz", STORED, &archive)])).unwrap();
    run(at, &["y.wacz", "-o", "-", "--pages-only"]).ended(2, "y.wacz: lists no pages");
}

/// A revisit stands in one container, before the capture that it is equal to, in another.
#[test]
fn revisits_have_their_content_within_a_collection() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let digest = ("WARC-Payload-Digest", "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
    let revisit = [
        member("revisit", 1, "http://b.example/", &[digest], "HTTP/1.1 200 OK\r\n\r\n"),
        member("revisit", 2, "http://c.example/", &[("WARC-Payload-Digest", "sha1:UNKNOWN")], ""),
    ]
    .concat();
    let original = [
        member("response", 3, "http://z.example/", &[], &page("", "first")),
        member("response", 4, "http://a.example/", &[digest], &page("", "mill")),
    ]
    .concat();
    fs::write(at.join("1.wacz"), zip(&[("archive/a.warc.gz", STORED, &revisit)])).unwrap();
    fs::write(at.join("2.wacz"), zip(&[("archive/b.warc.gz", STORED, &original)])).unwrap();
    let json = r#"{"profile":"multi-wacz-package","resources":[{"path":"1.wacz"},{"path":"2.wacz"}]}"#;
    fs::write(at.join("all.json"), json).unwrap();
    assert_eq!(lines(run(at, &["all.json", "-o", "-"]).well(), "").len(), 2);
    let resolved = run(at, &["all.json", "-o", "-", "--resolve-revisits"]);
    let found = lines(resolved.well(), "");
    assert_eq!(found.len(), 3, "{}", resolved.stderr);
    assert_eq!(found[0]["url"], "http://b.example/");
    assert_eq!(found[0]["id"], "urn:uuid:00000000-0000-4000-8000-000000000001");
    assert!(found[0]["text"].as_str().unwrap().starts_with("The mill stands"));
    assert_eq!(found[0]["text"], found[2]["text"]);
    let notes = found[0]["notes"].to_string();
    assert!(notes.contains("revisit with the content of 2.wacz!archive/b.warc.gz:"), "{notes}");
    resolved.said("dropped: 1 revisit");
    // Of archives without a container, too.
    fs::write(at.join("1.warc.gz"), &revisit).unwrap();
    fs::write(at.join("2.warc.gz"), &original).unwrap();
    let resolved = run(at, &["1.warc.gz", "2.warc.gz", "-o", "-", "--resolve-revisits"]);
    assert_eq!(lines(resolved.well(), "")[0]["text"], found[0]["text"]);
}

#[test]
fn folders_globs_and_collections_hold_containers() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let archive = |number| member("response", number, "http://a.example/", &[], &page("", "mill"));
    fs::create_dir(at.join("in")).unwrap();
    let two = zip(&[("archive/a.warc.gz", STORED, &archive(1)), ("archive/b.warc.gz", STORED, &archive(2))]);
    fs::write(at.join("in/two.wacz"), two).unwrap();
    fs::write(at.join("in/one.WACZ"), zip(&[("archive/a.warc.gz", STORED, &archive(3))])).unwrap();
    fs::write(at.join("in/alone.warc.gz"), archive(4)).unwrap();
    for (input, count) in [("in", 4), ("in/*.wacz", 2), ("in/two.wacz", 2)] {
        assert_eq!(lines(run(at, &[input, "-o", "-"]).well(), "").len(), count, "{input}");
    }
    run(at, &["in", "-o", "out", "-f", "jsonl", "--compress", "none"]).well();
    let mut names: Vec<String> = fs::read_dir(at.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".jsonl"))
        .collect();
    names.sort();
    assert_eq!(names, ["alone.jsonl", "one.jsonl", "two-a.jsonl", "two-b.jsonl"]);
    // A collection must not lead out of its folder.
    let json = r#"{"profile":"multi-wacz-package","resources":[{"path":"in/one.WACZ"},{"path":"../x.wacz"},
        {"path":"ftp://host/x.wacz"}]}"#;
    fs::write(at.join("all.json"), json).unwrap();
    let ran = run(at, &["all.json", "-o", "-"]);
    assert_eq!(ran.code, 1);
    assert_eq!(lines(ran.text(), "").len(), 1);
    ran.said("../x.wacz: its name leads out of the folder");
    ran.said("ftp://host/x.wacz: only http(s)://");
}

/// Bytes of all ranges that were asked for.
#[cfg(feature = "remote")]
fn asked(server: &BreakingServer) -> u64 {
    let requests = server.requests.lock().unwrap();
    let ranges = requests.iter().map(|range| {
        let (from, to) = range.trim_start_matches("bytes=").split_once('-').unwrap();
        to.parse::<u64>().unwrap() - from.parse::<u64>().unwrap() + 1
    });
    ranges.sum()
}

/// In a stand-in for S3 that has one object and knows ranges.
#[cfg(feature = "remote")]
#[test]
fn containers_in_buckets_are_read_by_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    let bytes = zip(&[("other/large", STORED, &vec![7; 20 << 20]), ("archive/data.warc.gz", STORED, &archive_bytes())]);
    let manners = ServerBehaviour { most: usize::MAX, ranges: true, tag: true, ..ServerBehaviour::default() };
    let server = BreakingServer::start(bytes, manners);
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let variables = [("AWS_ENDPOINT", endpoint.as_str()), ("AWS_ALLOW_HTTP", "true"), ("AWS_SKIP_SIGNATURE", "true")];
    let url = "s3://crawl/a/x.wacz";
    let ran = trommel_under(at, &["run", url, "-o", "-"], b"", &variables);
    assert!(lines(ran.well(), "x") == expected);
    let first: Value = serde_json::from_str(ran.text().lines().next().unwrap()).unwrap();
    assert_eq!(first["source"]["file"], format!("{url}!archive/data.warc.gz"));
    let asked = asked(&server);
    assert!(asked < 12 << 20, "{asked} bytes asked for");
}

#[cfg(feature = "remote")]
#[test]
fn containers_behind_a_network_are_read_by_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let expected = expected(at);
    // Much in it that nobody needs.
    let bytes = zip(&[
        ("other/large", STORED, &vec![7; 20 << 20]),
        ("archive/data.warc.gz", STORED, &archive_bytes()),
        ("archive/deflated.warc.gz", DEFLATED, &archive_bytes()),
    ]);
    let whole = ServerBehaviour { most: usize::MAX, ..ServerBehaviour::default() };
    let server = BreakingServer::start(bytes.clone(), ServerBehaviour { ranges: true, ..whole });
    let url = format!("http://127.0.0.1:{}/x.wacz", server.port);
    let ran = run(at, &[&url, "-o", "-"]);
    let found = lines(ran.well(), "x");
    assert_eq!(found.len(), 2 * expected.len());
    assert!(found[..expected.len()] == expected && found[expected.len()..] == expected);
    let first: Value = serde_json::from_str(ran.text().lines().next().unwrap()).unwrap();
    assert_eq!(first["source"]["file"], format!("{url}!archive/data.warc.gz"));
    let asked = asked(&server);
    assert!(asked < 12 << 20, "{asked} bytes asked for");
    let server = BreakingServer::start(bytes, whole);
    let ran = run(at, &[&format!("http://127.0.0.1:{}/x.wacz", server.port), "-o", "-"]);
    ran.ended(2, "x.wacz: the server gives no parts of it");
}

#[test]
fn texts_are_written_into_the_list_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let archive = [
        member("response", 1, "http://a.example/", &[], &page("", "mill")),
        member("response", 2, "http://a.example/x", &[], &page("", "house")),
    ]
    .concat();
    let pages = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All\"}\n\
        {\"id\":\"1\",\"url\":\"http://a.example/\",\"ts\":\"2024-05-18T01:58:10Z\",\"text\":\"old\"}\n\
        {\"id\":\"2\",\"url\":\"http://gone.example/\",\"ts\":\"2024-05-18T01:58:10Z\",\"text\":\"old\"}\n";
    let bytes = zip(&[
        ("archive/a.warc.gz", DEFLATED, &archive),
        ("pages/pages.jsonl", DEFLATED, pages.as_bytes()),
        ("indexes/index.cdx.gz", STORED, b"not looked at"),
    ]);
    fs::write(at.join("x.wacz"), bytes).unwrap();
    let ran = trommel(at, &["wacz", "text", "x.wacz", "-o", "y.wacz"], b"");
    ran.well();
    ran.said("1 of 2 listed pages have an extracted text");
    let lines = String::from_utf8(entry(&at.join("y.wacz"), "pages/pages.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["hasText"], true);
    assert!(lines[1]["text"].as_str().unwrap().starts_with("The mill stands by the river"));
    assert_eq!(lines[2]["text"], "old");
    assert_eq!(entry(&at.join("y.wacz"), "archive/a.warc.gz"), archive);
    assert_eq!(entry(&at.join("y.wacz"), "indexes/index.cdx.gz"), b"not looked at");
    // It is a container like any other, with right hashes, and the same from the same.
    run(at, &["y.wacz", "-o", "-", "--check-hashes"]).well();
    trommel(at, &["wacz", "text", "x.wacz", "-o", "y.wacz"], b"").ended(2, "y.wacz: is there already");
    trommel(at, &["wacz", "text", "x.wacz", "-o", "z.wacz"], b"").well();
    assert!(fs::read(at.join("y.wacz")).unwrap() == fs::read(at.join("z.wacz")).unwrap());
    let onto = trommel(at, &["wacz", "text", "x.wacz", "-o", "x.wacz", "--overwrite"], b"");
    onto.said("is read by the command");
}

/// Containers of other projects, where these are at hand.
#[test]
fn shared_containers_are_read_or_refused_with_a_line() {
    let shared = std::env::var_os("TROMMEL_SHARED").map(PathBuf::from);
    let folder = shared.map(|shared| shared.join("warc")).filter(|folder| folder.is_dir());
    let Some(folder) = folder else {
        eprintln!("skipped: TROMMEL_SHARED names no folder of archives");
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "wacz") {
            continue;
        }
        seen += 1;
        let ran = run(out.path(), &[path.to_str().unwrap(), "-o", "-", "--check-hashes"]);
        let is_bad = path.to_string_lossy().contains("invalid");
        assert_eq!(ran.code, if is_bad { 2 } else { 0 }, "{}", ran.stderr);
        match is_bad {
            true => assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr),
            false => assert!(!ran.stdout.is_empty()),
        }
    }
    assert!(seen > 0);
}

/// Of two archives of one name, one is read; what is not read is told, and never written away.
#[test]
fn of_two_entries_with_one_name_none_is_lost_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut bytes = zip(&[
        ("archive/data.warc.gz", STORED, &archive_bytes()),
        ("archive/DATA.warc.gz", STORED, &archive_bytes()),
        ("pages/pages.jsonl", STORED, b"{\"format\":\"json-pages-1.0\"}\n"),
    ]);
    let name = b"archive/DATA.warc.gz";
    let places: Vec<usize> =
        bytes.windows(name.len()).enumerate().filter_map(|(place, window)| (window == name).then_some(place)).collect();
    for place in places {
        bytes[place..place + name.len()].copy_from_slice(b"archive/data.warc.gz");
    }
    fs::write(at.join("x.wacz"), bytes).unwrap();
    let ran = run(at, &["x.wacz", "-o", "-"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(lines(ran.text(), "x") == expected(at));
    ran.said("archive/data.warc.gz: not read, as an entry of that name comes later");
    trommel(at, &["wacz", "text", "x.wacz", "-o", "y.wacz"], b"").ended(2, "would be lost");
    assert!(!at.join("y.wacz").exists());
}
