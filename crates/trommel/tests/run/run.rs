//! Whole runs over small archives.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use serde_json::Value;
use trommel::run::{
    Destination, DropReason, Encoding, Environment, Existing, FailureKind, Input, Outcome, Output, ProgressState,
    Summary, run,
};
use trommel::{ErrorKind, OutputSettings};
use trommel_archive::write::gzip_member;
use trommel_record::{Compression, Format, record_id};

use crate::make::*;

fn to_stdout(inputs: &[&Path], format: Format) -> (Summary, Vec<u8>) {
    let mut out = Vec::new();
    let plan = plan(inputs, Destination::Stdout, format);
    let summary = run(&plan, &extract, Environment::new(&mut out, &mut ())).unwrap();
    assert!(summary.adds_up(), "{summary:?}");
    (summary, out)
}

#[test]
fn documents_keep_the_order_and_the_place_of_their_records() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.warc.gz"), folder.path().join("b.warc"));
    let records: Vec<Vec<u8>> = (0..60).map(page).collect();
    fs::write(&a, gzip(&records)).unwrap();
    fs::write(&b, page(60)).unwrap();
    let (summary, out) = to_stdout(&[&a, &b], Format::Jsonl);
    let lines = lines(&out);
    assert_eq!((summary.records, summary.documents), (61, 61));
    assert_eq!(summary.outcome(), Outcome::Clean);
    assert_eq!(lines.len(), 61);
    let mut offset = 0;
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["id"], id(number));
        assert_eq!(line["url"], format!("http://example.com/{number}"));
        assert_eq!(line["text"], format!("Page {number}"));
        assert_eq!((&line["date"], &line["status"]), (&DATE.into(), &200.into()));
        assert_eq!(line["charset_source"], "utf-8");
        if number < 60 {
            let member = gzip_member(&records[number], 6).unwrap().len();
            let place = serde_json::json!({
                "name": a.file_name().unwrap().to_str(),
                "file": a,
                "offset": offset,
                "length": member,
                "inner": 0,
            });
            assert_eq!(line["source"], place);
            offset += member;
        } else {
            assert_eq!(line["source"]["file"], b.to_string_lossy().as_ref());
            assert_eq!(line["source"]["offset"], 0);
        }
    }
    let files: Vec<_> = summary.files.iter().map(|file| (file.records, file.documents, file.stored_bytes)).collect();
    assert_eq!(files, [(60, 60, offset as u64), (1, 1, page(60).len() as u64)]);
    assert_eq!(summary.stored_bytes, (offset + page(60).len()) as u64);
}

#[test]
fn the_number_of_workers_does_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.warc.gz"), folder.path().join("b.warc.gz"));
    // Larger than the window between reader and writer.
    fs::write(&a, gzip(&(0..300).map(page).collect::<Vec<_>>())).unwrap();
    fs::write(&b, gzip(&(300..310).map(page).collect::<Vec<_>>())).unwrap();
    for (format, compression, name) in [
        (Format::Jsonl, Compression::Zstd, "a.jsonl.zst"),
        (Format::Jsonl, Compression::Gzip, "a.jsonl.gz"),
        (Format::Msgpack, Compression::Zstd, "a.msgpack.zst"),
        (Format::Wet, Compression::Gzip, "a.warc.wet.gz"),
    ] {
        let mut outputs = Vec::new();
        for (turn, jobs) in [1, 4, 4].into_iter().enumerate() {
            let out = folder.path().join(format!("{name}-{turn}"));
            let mut plan = plan(&[&a, &b], Destination::Folder(out.clone()), format);
            plan.output.encodings[0].compression = compression;
            plan.settings.limits.jobs = NonZeroUsize::new(jobs);
            let summary = run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
            assert!(summary.adds_up());
            assert_eq!(summary.documents, 310);
            let contents: BTreeMap<String, Vec<u8>> =
                names(&out).into_iter().map(|name| (name.clone(), fs::read(out.join(name)).unwrap())).collect();
            // The manifest and its mark are there as well.
            assert_eq!(contents.len(), 4);
            assert!(contents[name].len() > 1000);
            outputs.push(contents);
        }
        assert!(outputs[0] == outputs[1], "{name}: 1 and 4 workers differ");
        assert!(outputs[1] == outputs[2], "{name}: two runs differ");
    }
}

#[test]
fn one_file_for_all_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.warc"), folder.path().join("b.warc"));
    fs::write(&a, page(1)).unwrap();
    fs::write(&b, page(2)).unwrap();
    let out = folder.path().join("all.jsonl.zst");
    let mut plan = plan(&[&a, &b], Destination::File(out.clone()), Format::Jsonl);
    plan.output.encodings[0].compression = Compression::Zstd;
    run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
    let bytes = zstd::stream::decode_all(fs::read(&out).unwrap().as_slice()).unwrap();
    let texts: Vec<Value> = lines(&bytes).iter().map(|line| line["text"].clone()).collect();
    assert_eq!(texts, ["Page 1", "Page 2"]);
    assert_eq!(names(folder.path()), ["a.warc", "all.jsonl.zst", "b.warc"]);
}

#[test]
fn every_record_is_accounted_for() {
    let html = [("Content-Type", "text/html")];
    let records = [
        record("warcinfo", 1, &[], b"isPartOf: x\r\n"),
        record("request", 2, &[], b"GET / HTTP/1.1\r\n\r\n"),
        page(3),
        metadata(4, 3, "", "fetchTimeMs: 1\r\n"),
        record("revisit", 5, &[], b"HTTP/1.1 200 OK\r\n\r\n"),
        record("conversion", 6, &[], b"text"),
        record("continuation", 7, &[], b"rest"),
        record("screenshot", 8, &[], b"png"),
        response(9, "text/html", b"", &[]),
        response(10, "image/png", b"\x89PNG", &[]),
        record("resource", 11, &html, b"<p>Resource"),
        response(12, "text/html", b"<p>Cut", &[("WARC-Truncated", "length")]),
        response(13, "text/html", b"<b>no text", &[]),
        record("response", 14, &[], b""),
    ]
    .concat();
    let (_folder, path) = archive("a.warc", records);
    let (summary, out) = to_stdout(&[&path], Format::Jsonl);
    let drops = BTreeMap::from([
        (DropReason::Warcinfo, 1),
        (DropReason::Request, 1),
        (DropReason::Metadata, 1),
        (DropReason::Revisit, 1),
        (DropReason::Conversion, 1),
        (DropReason::Continuation, 1),
        (DropReason::UnknownType, 1),
        (DropReason::NoPayload, 2),
        (DropReason::NotHtml, 1),
    ]);
    assert_eq!(summary.drops, drops);
    assert_eq!((summary.records, summary.pages), (14, 4));
    assert_eq!((summary.documents, summary.empty), (4, 1));
    assert_eq!(summary.truncated, BTreeMap::from([("length".to_owned(), 1)]));
    assert_eq!(summary.outcome(), Outcome::Clean);
    let lines = lines(&out);
    let texts: Vec<&Value> = lines.iter().map(|line| &line["text"]).collect();
    assert_eq!(texts, ["Page 3", "Resource", "Cut", ""]);
    assert_eq!(lines[2]["truncated"], "length");

    let (summary, _) = to_stdout(&[&path], Format::Wet);
    assert_eq!((summary.documents, summary.empty), (3, 0));
    assert_eq!(summary.drops.get(&DropReason::NoText), Some(&1));
}

#[test]
fn the_encoding_that_the_crawler_detected_reaches_the_page_before() {
    let records = [
        page(1),
        metadata(2, 9, &format!("<{}>", id(1)), "charset-detected: windows-1251\r\n"),
        page(3),
        metadata(4, 3, "<urn:uuid:other>", "charset-detected: EUC-KR\r\n"),
        page(5),
        metadata(6, 9, "<urn:uuid:other>", "charset-detected: Big5\r\n"),
        page(7),
        page(8),
    ];
    let (_folder, path) = archive("a.warc.gz", gzip(&records));
    let (summary, out) = to_stdout(&[&path], Format::Jsonl);
    let charsets: Vec<Value> = lines(&out).iter().map(|line| line["charset"].clone()).collect();
    assert_eq!(charsets, ["windows-1251", "EUC-KR", "none", "none", "none"]);
    assert_eq!(summary.drops, BTreeMap::from([(DropReason::Metadata, 3)]));
}

#[test]
fn a_cut_archive_gives_what_is_readable() {
    let members = gzip(&(0..20).map(page).collect::<Vec<_>>());
    let last = gzip_member(&page(20), 6).unwrap();
    let (folder, path) = archive("a.warc.gz", [&members, &last[..last.len() / 3]].concat());
    let out = folder.path().join("out");
    let plan = plan(&[&path], Destination::Folder(out.clone()), Format::Jsonl);
    let summary = run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
    assert!(summary.adds_up());
    assert_eq!(summary.outcome(), Outcome::Partial);
    assert_eq!(summary.damaged, 1, "{:?}", summary.damage);
    assert_eq!(summary.damage[0].file, path.to_string_lossy());
    assert!(summary.damage[0].offset >= members.len() as u64);
    let lines = lines(&fs::read(out.join("a.jsonl")).unwrap());
    assert!(lines.len() >= 20);
    for (number, line) in lines.iter().take(20).enumerate() {
        assert_eq!(line["text"], format!("Page {number}"));
    }
}

#[test]
fn what_cannot_be_read_is_reported_and_passed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("good.warc"), page(1)).unwrap();
    fs::write(at("empty.warc"), "").unwrap();
    fs::write(at("text.warc"), "Dear reader,\nthis is a letter.\n").unwrap();
    let out = at("out");
    let bad = [at("gone.warc"), at("empty.warc"), at("text.warc")];
    let mut inputs: Vec<&Path> = bad.iter().map(|path| path.as_path()).collect();
    let good = at("good.warc");
    inputs.insert(2, &good);
    let mut plan = plan(&inputs, Destination::Folder(out.clone()), Format::Jsonl);
    plan.inputs.push(Input::Nothing { argument: "*.none".into(), reason: "no file matches".to_owned() });
    let summary = run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
    assert!(summary.adds_up());
    assert_eq!(summary.outcome(), Outcome::Partial);
    assert_eq!(summary.documents, 1);
    let errors: Vec<bool> = summary.files.iter().map(|file| file.error.is_some()).collect();
    assert_eq!(errors, [true, true, false, true, true]);
    for file in summary.files.iter().filter(|file| file.error.is_some()) {
        let error = file.error.as_deref().unwrap();
        assert!(error.starts_with(&file.file) && !error.contains('\n'), "{error}");
    }
    assert_eq!(names(&out), ["_MANIFEST", "_SUCCESS", "good.jsonl"]);

    for path in &bad {
        let (summary, out) = to_stdout(&[path], Format::Wet);
        assert_eq!(summary.outcome(), Outcome::Nothing, "{}", path.display());
        assert!(out.is_empty());
    }
}

#[test]
fn a_panic_fails_its_record_only() {
    let (_folder, path) = archive("a.warc", [page(1), response(2, "text/html", b"<p>panic", &[]), page(3)].concat());
    let (summary, out) = to_stdout(&[&path], Format::Jsonl);
    assert_eq!(lines(&out).len(), 2);
    assert_eq!(summary.failures, BTreeMap::from([(FailureKind::Panic, 1)]));
    assert_eq!(summary.files[0].failures, 1);
    assert_eq!(summary.outcome(), Outcome::Partial);
}

/// Writer that fails after a number of bytes.
struct Broken(usize, io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(self.1.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_ends_the_run_and_another_error_fails_it() {
    let (_folder, path) = archive("a.warc", (0..500).flat_map(page).collect::<Vec<u8>>());
    let plan = plan(&[&path], Destination::Stdout, Format::Jsonl);
    let mut pipe = Broken(1000, io::ErrorKind::BrokenPipe);
    let summary = run(&plan, &extract, Environment::new(&mut pipe, &mut ())).unwrap();
    assert!(summary.closed && summary.adds_up());
    assert!((1..20).contains(&summary.documents), "{summary:?}");
    assert_eq!(summary.outcome(), Outcome::Clean);

    let mut full = Broken(1000, io::ErrorKind::StorageFull);
    let error = run(&plan, &extract, Environment::new(&mut full, &mut ())).unwrap_err();
    assert!(error.to_string().starts_with("standard output: "), "{error}");
}

#[test]
fn a_failed_run_leaves_no_output_under_its_name() {
    let (folder, path) = archive("a.warc", page(1));
    let out = folder.path().join("out.jsonl");
    let plan = plan(&[&path], Destination::File(out.clone()), Format::Jsonl);
    // A folder that comes to stand where the output should appear, so that the renaming fails.
    let in_the_way = |bytes: &[u8], hints: &trommel_extract::Hints<'_>| {
        fs::create_dir(&out).unwrap();
        extract(bytes, hints)
    };
    let environment = |existing| {
        let (stdout, progress) = (Box::leak(Box::new(io::sink())), Box::leak(Box::new(())));
        Environment { existing, ..Environment::new(stdout, progress) }
    };
    let error = run(&plan, &in_the_way, environment(Existing::Refuse)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Output, "{error}");
    // Everything but the name is done: it can be continued.
    assert_eq!(names(folder.path()), [".out.jsonl.tmp", "a.warc", "out.jsonl"]);
    assert!(plan.state_file().unwrap().exists());
    // A folder is not replaced by a file.
    let error = run(&plan, &extract, environment(Existing::Overwrite)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Output, "{error}");
    fs::remove_dir(&out).unwrap();
    run(&plan, &extract, environment(Existing::Resume)).unwrap();
    assert_eq!(lines(&fs::read(&out).unwrap()).len(), 1);
}

#[test]
fn wet_is_exact() {
    let info = b"software: crawler\r\nisPartOf: TEST-2024\r\n";
    let (folder, path) = archive("x.warc", [record("warcinfo", 1, &[], info), page(2)].concat());
    let out = folder.path().join("out");
    let mut plan = plan(&[&path], Destination::Folder(out.clone()), Format::Wet);
    plan.output.encodings[0].compression = Compression::Gzip;
    plan.epoch = Some(1_716_000_000);
    run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
    let info = format!(
        "Software-Info: trommel/{}\r\n\
         Extracted-Date: Sat, 18 May 2024 02:40:00 GMT\r\n\
         isPartOf: TEST-2024\r\n",
        env!("CARGO_PKG_VERSION")
    );
    let expected = [
        format!(
            "WARC/1.0\r\n\
             WARC-Type: warcinfo\r\n\
             WARC-Date: 2024-05-18T02:40:00Z\r\n\
             WARC-Filename: x.warc.wet.gz\r\n\
             WARC-Record-ID: <{}>\r\n\
             Content-Type: application/warc-fields\r\n\
             Content-Length: {}\r\n\
             \r\n\
             {info}\r\n\r\n",
            record_id(&["warcinfo", "x.warc.wet.gz"]),
            info.len()
        ),
        format!(
            "WARC/1.0\r\n\
             WARC-Type: conversion\r\n\
             WARC-Target-URI: http://example.com/2\r\n\
             WARC-Date: {DATE}\r\n\
             WARC-Record-ID: <{}>\r\n\
             WARC-Refers-To: <{}>\r\n\
             WARC-Block-Digest: sha1:M3JZWYXEYKSX2JVDN6LNWTFHD7XRSXFH\r\n\
             WARC-Identified-Content-Language: eng\r\n\
             Content-Type: text/plain\r\n\
             Content-Length: 6\r\n\
             \r\n\
             Page 2\r\n\r\n",
            record_id(&["conversion", &id(2)]),
            id(2)
        ),
    ];
    let stored = fs::read(out.join("x.warc.wet.gz")).unwrap();
    let mut rest = stored.as_slice();
    for expected in expected {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        let mut text = String::new();
        member.read_to_string(&mut text).unwrap();
        assert_eq!(text, expected);
        rest = member.into_inner();
    }
    assert!(rest.is_empty());
}

#[test]
fn records_without_an_id_get_the_same_one_each_time() {
    let block = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Old";
    let info = "1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n";
    let bytes = format!(
        "filedesc://a.arc 0.0.0.0 20080430204825 text/plain {}\n{info}\n\
         http://example.com/ 192.0.2.1 20080430204826 text/html {}\n{block}\n",
        info.len(),
        block.len()
    );
    let (_folder, path) = archive("a.arc", bytes);
    let (summary, first) = to_stdout(&[&path], Format::Jsonl);
    assert_eq!((summary.records, summary.documents), (2, 1));
    let line = &lines(&first)[0];
    assert_eq!(line["text"], "Old");
    assert_eq!(line["date"], "2008-04-30T20:48:26Z");
    assert!(line["id"].as_str().unwrap().starts_with("urn:uuid:"));
    assert_eq!(to_stdout(&[&path], Format::Jsonl).1, first);
}

#[test]
fn progress_ends_at_the_end() {
    let (_folder, path) = archive("a.warc", [page(1), page(2)].concat());
    struct Last(ProgressState);
    impl trommel::run::Progress for Last {
        fn update(&mut self, state: &ProgressState) {
            assert!(state.bytes >= self.0.bytes && state.records >= self.0.records);
            self.0 = *state;
        }
    }
    let mut last = Last(ProgressState::default());
    let plan = plan(&[&path], Destination::Stdout, Format::Jsonl);
    run(&plan, &extract, Environment::new(&mut io::sink(), &mut last)).unwrap();
    let bytes = fs::metadata(&path).unwrap().len();
    let done = ProgressState { bytes, total: Some(bytes), records: 2, pages: 2, documents: 2, ..last.0 };
    assert_eq!((last.0, last.0.archives, last.0.dropped, last.0.failures), (done, 0, 0, 0));
}

#[test]
fn the_name_of_the_output_is_understood() {
    let (folder, path) = archive("a.warc", page(1));
    let name = folder.path().join("deep/out");
    let output = Output::new(&name.to_string_lossy(), &OutputSettings::default(), &OutputSettings::default()).unwrap();
    let mut plan = plan(&[&path], Destination::Stdout, Format::Jsonl);
    plan.output = output;
    let summary = run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
    let shard = name.join("a.jsonl.zst");
    assert_eq!(summary.files[0].outputs, [shard.to_string_lossy()]);
    assert!(shard.exists());
}

#[test]
fn several_formats_are_written_as_each_alone() {
    let empty = response(9, "text/html", b"<p>", &[]);
    let (folder, path) = archive("a.warc", [page(1), empty, page(2)].concat());
    let encoding = |format, compression| Encoding { format, compression, by_page: false };
    let encodings = [
        encoding(Format::Jsonl, Compression::Zstd),
        encoding(Format::Wet, Compression::Gzip),
        encoding(Format::Bulk, Compression::None),
    ];
    let written = |name: &str, encodings: &[Encoding]| {
        let out = folder.path().join(name);
        let mut plan = plan(&[&path], Destination::Folder(out.clone()), Format::Jsonl);
        plan.output.encodings = encodings.to_vec();
        let summary = run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap();
        assert!(summary.adds_up());
        (summary, out)
    };
    let (summary, all) = written("all", &encodings);
    let files = ["a.jsonl.zst", "a.warc.wet.gz", "a.bulk.ndjson"];
    assert_eq!(summary.files[0].outputs, files.map(|name| all.join(name).to_string_lossy().into_owned()));
    // A page without text is a document, of JSON lines alone.
    assert_eq!((summary.documents, summary.empty), (3, 1));
    for (encoding, name) in encodings.iter().zip(files) {
        let (_, alone) = written(name, &[*encoding]);
        assert!(fs::read(all.join(name)).unwrap() == fs::read(alone.join(name)).unwrap(), "{name}");
    }
}
