//! `trommel run`: exit codes, standard output and error, options over the file, the sample archive.

use std::{fs, path::Path};

use serde_json::Value;

use crate::program::{RunResult, json_file, trommel, workspace};
use crate::sample::{ARCHIVE, archive_bytes, documents, golds, page_record, record};

fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> RunResult {
    trommel(folder, &[&["run"], arguments].concat(), input)
}

/// An archive with one page.
fn archive(path: &Path) {
    let paragraph = "The mill stands by the river, and its wheel has turned there for two hundred years. ";
    let body = format!("<html><head><title>Mill</title></head><body><p>{}</p></body></html>", paragraph.repeat(5));
    fs::write(path, page_record(1, "http://example.com/", &body)).unwrap();
}

#[test]
fn data_on_standard_output_and_words_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let by_name = run(folder.path(), &["a.warc", "-o", "-"], b"");
    assert_eq!(by_name.code, 0, "{}", by_name.stderr);
    let line: Value = serde_json::from_slice(&by_name.stdout).unwrap();
    assert_eq!(line["id"], "urn:uuid:00000000-0000-4000-8000-000000000001");
    assert_eq!(line["url"], "http://example.com/");
    assert_eq!(line["source"]["file"], "a.warc");
    for key in ["date", "text", "title", "lang", "charset", "confidence"] {
        assert!(line.get(key).is_some(), "{key}");
    }
    by_name.said("1 record: 1 document, 0 dropped, 0 failed");

    let by_pipe = run(folder.path(), &["-", "-o", "-"], &fs::read(folder.path().join("a.warc")).unwrap());
    assert_eq!(by_pipe.code, 0, "{}", by_pipe.stderr);
    let mut expected = line;
    expected["source"]["file"] = "-".into();
    expected["source"]["name"] = "-".into();
    let line: Value = serde_json::from_slice(&by_pipe.stdout).unwrap();
    assert_eq!(line, expected);
}

#[test]
fn a_profile_changes_only_what_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let archive = workspace().join(ARCHIVE);
    for form in [&[][..], &["--markdown"]] {
        let arguments = [&[archive.to_str().unwrap(), "-o", "-"], form].concat();
        let plain = run(folder.path(), &arguments, b"");
        let profiled = run(folder.path(), &[&arguments[..], &["--profile"]].concat(), b"");
        assert_eq!(profiled.well(), plain.well());
        assert!(!plain.stderr.contains("seconds in each stage"));
        let (_, stages) = profiled.stderr.split_once("seconds in each stage").unwrap();
        let spent: Vec<f64> =
            stages.lines().skip(1).map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!(spent.len(), 7, "{stages}");
        assert!((spent.iter().sum::<f64>() - 100.0).abs() < 1.0, "{stages}");
        // What the extractor does is most of a run in every form.
        assert!(spent[2..5].iter().all(|share| *share > 0.0), "{stages}");
    }
}

#[test]
fn text_may_be_markdown() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), "text = 'markdown'\n").unwrap();
    let archive = workspace().join(ARCHIVE);
    let text = |more: &[&str]| -> String {
        let ran = run(folder.path(), &[&[archive.to_str().unwrap(), "-o", "-"], more].concat(), b"");
        let documents = ran.well().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        documents.map(|d| d["text"].as_str().unwrap().to_owned()).collect()
    };
    let markdown = text(&["--markdown"]);
    assert!(markdown.contains("\n## ") && markdown.contains("\n- "));
    assert_eq!(text(&["--config", "c.toml"]), markdown);
    let plain = text(&[]);
    assert!(!plain.contains("\n## ") && plain.contains("\n\n"));
}

#[test]
fn exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    fs::write(folder.path().join("letter.warc"), "Dear reader,\n").unwrap();
    fs::write(folder.path().join("bad.toml"), "job = 1\n").unwrap();
    for (expected, arguments, words) in [
        (0, &["a.warc", "-o", "out"][..], "1 document"),
        (1, &["gone.warc", "a.warc", "-o", "out"], "gone.warc"),
        (1, &["a.warc", "letter.warc", "-o", "out"], "letter.warc"),
        (1, &["a.warc", "*.none", "-o", "out"], "*.none: no file matches"),
        (2, &["gone.warc", "-o", "out"], "gone.warc"),
        (2, &["letter.warc", "-o", "out"], "not a WARC or ARC"),
        (2, &["ftp://example.com/a.warc", "-o", "out"], "only http(s)://, s3://, gs://, az:// and hf:// URLs are read"),
        (2, &["a.warc", "-o", "x.jsonl", "-f", "wet"], "the option says wet"),
        (2, &["a.warc", "-o", "-", "-f", "jsonl,wet"], "several formats need a folder"),
        (2, &["a.warc", "-o", "-", "--split-size", "1M"], "standard output cannot be split"),
        (
            2,
            &["a.warc", "-o", "out", "-f", "xml"],
            "possible values: jsonl, msgpack, wet, anserini, trec, bulk, parquet, annotations, tantivy",
        ),
        (2, &["a.warc", "-o", "out", "--config", "bad.toml"], "did you mean \"jobs\"?"),
        (2, &["a.warc", "-o", "out", "--model", "none"], "unknown model none"),
        (2, &["a.warc", "-o", "gone/x.jsonl"], "gone/x.jsonl"),
        (2, &["a.warc"], "--output"),
    ] {
        let arguments = [arguments, &["--overwrite"]].concat();
        let output = run(folder.path(), &arguments, b"");
        let errors = &output.stderr;
        assert_eq!(output.code, expected, "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn numbers_that_cannot_be_meant_are_refused_wherever_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let refused = |options: &[&str], config: &str| {
        fs::write(folder.path().join("c.toml"), config).unwrap();
        let all = [&["a.warc", "-o", "out", "--config", "c.toml"], options].concat();
        let ran = run(folder.path(), &all, b"");
        assert_eq!(ran.code, 2, "{options:?} {config}: {}", ran.stderr);
        assert!(!folder.path().join("out").exists());
        ran.stderr
    };
    for (options, config, words) in [
        (&["--max-memory", "10"][..], "max_memory = 10", "max_memory: 10 bytes is less than the least, 16M"),
        (&["--max-memory", "1K"], "max_memory = 1024", "max_memory: 1024 bytes is less than the least, 16M"),
        (&["--max-payload", "1"], "max_payload = 1", "max_payload: 1 byte is less than the least, 1K"),
        (&["--split-size", "3"], "split_size = 3", "split_size: 3 bytes is less than the least, 1K"),
        (&["-j", "1000000"], "jobs = 1000000", "1024"),
    ] {
        for stderr in [refused(options, ""), refused(&[], config)] {
            assert!(stderr.contains(words), "{stderr}");
        }
    }
    for (config, words) in [
        ("split_size = 0", "split_size: \"0\" is out of range"),
        ("max_memory = 1000000000000000000", "is more than the most, 512G"),
        ("filters.duplicates = { near = true, memory = 1000000000000 }", "filters.duplicates.memory: "),
        ("filters.min_words = 9\nfilters.max_words = 3", "min_words: 9 is more than max_words = 3"),
        ("filters.page_types = ['artikel']", "no page type \"artikel\"; it knows "),
    ] {
        let stderr = refused(&[], config);
        assert!(stderr.contains(words), "{config}: {stderr}");
    }
}

#[test]
fn plain_text_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = "The mill stands by the river, and its wheel has turned there for years.\n".repeat(3);
    let mut bytes = Vec::new();
    let mut add = |kind: &str, number: usize, url: &str, content_type: &str, block: &str| {
        bytes.extend(record(kind, number, url, &[("Content-Type", content_type)], block.as_bytes()));
    };
    let http = "application/http; msgtype=response";
    let served = |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
    add("conversion", 1, "http://e/1", "text/plain", &text);
    add("response", 2, "http://e/2.txt", http, &served(&text));
    add("response", 3, "http://e/robots.txt", http, &served("User-agent: *\n"));
    add("response", 4, "http://e/x.txt", http, &served("%PDF-1.4 \0\u{1}"));
    add("conversion", 5, "http://e/5", "image/png", "x");
    fs::write(folder.path().join("a.warc.wet"), bytes).unwrap();
    let ran = run(folder.path(), &["a.warc.wet", "-o", "-"], b"");
    let lines = ran.rows();
    assert_eq!(lines.len(), 2, "{}", ran.stderr);
    for (number, line) in (1..).zip(&lines) {
        assert_eq!(line["id"], format!("urn:uuid:00000000-0000-4000-8000-{number:012}"));
        assert_eq!(line["text"], text.trim_end());
        assert_eq!((&line["title"], &line["lang"]), (&"".into(), &"en".into()));
    }
    ran.said("2 not-html").said("1 conversion");
    // Filters see it as what it is.
    let config = "[filters]\nmedia_types = ['text/html']\n";
    fs::write(folder.path().join("c.toml"), config).unwrap();
    assert_eq!(run(folder.path(), &["a.warc.wet", "-o", "-", "--config", "c.toml"], b"").well(), "");
}

#[test]
fn names_of_strangers_do_not_steer_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let bytes = String::from_utf8(fs::read(folder.path().join("a.warc")).unwrap()).unwrap();
    let bytes = bytes.replace("urn:uuid:", "urn:\u{1b}[31m\u{1b}]0;owned\u{7}\u{202e}");
    fs::write(folder.path().join("a.warc"), bytes).unwrap();
    let ran = run(folder.path(), &["a.warc", "-o", "out"], b"");
    ran.well();
    // It is in the line of the slowest page.
    ran.said("urn:[31m]0;owned0000");
    let is_raw = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!ran.stderr.contains(is_raw), "{:?}", ran.stderr);
}

#[test]
fn markdown_of_a_run_has_links_and_images_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let sentence = "The mill stands by the river, and its wheel has turned there for two hundred years.";
    let html = format!(
        "<title>Mill</title><article><p>{sentence} See <a href=b?c>there</a>.</p>\
         <figure><img src=m.png alt='A mill'></figure><p>{sentence}</p></article>"
    );
    let url = "https://a.example/x/y";
    let record = page_record(1, url, &html);
    for options in [&[][..], &["--links"], &["--images"], &["--links", "--images"]] {
        let arguments = [&["run", "-", "-o", "-", "--markdown"], options].concat();
        let line = trommel(folder.path(), &arguments, &record).json();
        let arguments = [&["extract", "-f", "markdown", "--url", url], options].concat();
        let page = trommel(folder.path(), &arguments, html.as_bytes());
        let text = line["text"].as_str().unwrap();
        assert_eq!(text, page.well(), "{options:?}");
        let is_linked = text.contains("[there](https://a.example/x/b?c)");
        assert_eq!(is_linked, options.contains(&"--links"), "{text}");
        let is_shown = text.contains("![A mill](https://a.example/x/m.png)");
        assert_eq!(is_shown, options.contains(&"--images"), "{text}");
    }
    let options = ["--links", "--images", "--addresses", "as-written"];
    let line = trommel(folder.path(), &[&["run", "-", "-o", "-"][..], &options].concat(), &record).json();
    let page = trommel(folder.path(), &[&["extract"][..], &options].concat(), html.as_bytes());
    assert_eq!(line["text"].as_str().unwrap(), page.well());
    assert!(page.text().contains("[there](b?c)") && page.text().contains("![A mill](m.png)"), "{}", page.text());
    let ran = trommel(folder.path(), &["run", "-", "-o", "-", "--links", "--text", "plain"], &record);
    ran.ended(2, "text.links: is for Markdown only");
}

#[test]
fn records_of_another_kind_are_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (mut bytes, mut pdfs) = (Vec::new(), Vec::new());
    for (number, body) in [
        (1, "%PDF-1.4 one"),
        (2, "<p>The mill stands by the river, and its wheel has turned there for years."),
        (3, "%PDF-1.7 two"),
        (4, "GIF89a"),
    ] {
        // As servers send it.
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        let url = format!("http://example.com/{number}");
        let length = block.len().to_string();
        let record = record("response", number, &url, &[("Content-Length", &length)], block.as_bytes());
        bytes.extend_from_slice(&record);
        if body.starts_with("%PDF") {
            pdfs.extend(record);
        }
    }
    fs::write(folder.path().join("a.warc"), &bytes).unwrap();
    let arguments = ["a.warc", "-o", "out", "--set-aside", "pdf=kept/pdfs.warc.gz", "--summary", "s.json"];
    fs::create_dir(folder.path().join("kept")).unwrap();
    let ran = run(folder.path(), &arguments, b"");
    ran.well();
    ran.said("set aside: 2 records in kept/pdfs.warc.gz");
    let read = |name: &str| fs::read(folder.path().join("kept").join(name)).unwrap();
    let mut kept = Vec::new();
    let stored = read("pdfs.warc.gz");
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&*stored), &mut kept).unwrap();
    assert_eq!(String::from_utf8(kept), String::from_utf8(pdfs));
    let index = String::from_utf8(read("pdfs.warc.gz.cdxj")).unwrap();
    let lines: Vec<&str> = index.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with("http://example.com/3 20240518015810 {"), "{index}");
    let fields: Value = serde_json::from_str(lines[1].splitn(3, ' ').nth(2).unwrap()).unwrap();
    let at = |key: &str| fields[key].as_str().unwrap().parse::<usize>().unwrap();
    let record = &bytes[at("offset")..at("offset") + at("length")];
    assert!(record.windows(8).any(|part| part == b"%PDF-1.7"));
    assert_eq!(fields["filename"], "a.warc");
    // Nothing is written over, and a run with the same options is finished.
    let again = run(folder.path(), &["a.warc", "-o", "o2", "--set-aside", "pdf=kept/pdfs.warc.gz"], b"");
    assert_eq!(again.code, 2, "{}", again.stderr);
    run(folder.path(), &[&arguments[..], &["--resume"]].concat(), b"").well();
    run(folder.path(), &["a.warc", "-o", "o3", "--set-aside", "pdf=pdfs"], b"").said("KIND=FILE");
}

#[test]
fn options_win_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    fs::write(folder.path().join("c.toml"), "format = 'msgpack'\ncompress = 'gz'\n").unwrap();
    for (more, expected) in [
        (&[][..], "a.msgpack.gz"),
        (&["-f", "jsonl"], "a.jsonl.gz"),
        (&["--compress", "none"], "a.msgpack"),
        (&["-f", "jsonl", "--compress", "zst"], "a.jsonl.zst"),
    ] {
        let arguments = [&["a.warc", "-o", expected, "--config", "c.toml"], more].concat();
        // A folder, though its name looks like a file's.
        fs::create_dir(folder.path().join(expected)).unwrap();
        let output = run(folder.path(), &arguments, b"");
        assert_eq!(output.code, 0, "{}", output.stderr);
        let mut names: Vec<_> =
            fs::read_dir(folder.path().join(expected)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".run.checkpoint", ".run.journal", "_MANIFEST", "_SUCCESS", expected]);
    }
}

#[test]
fn the_summary_is_written_as_json() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let output = run(folder.path(), &["a.warc", "-o", "out.wet.gz", "--summary", "s.json"], b"");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let summary = json_file(folder.path().join("s.json"));
    assert_eq!((&summary["records"], &summary["pages"]), (&1.into(), &1.into()));
    assert_eq!(summary["files"][0]["file"], "a.warc");
    assert_eq!(summary["files"][0]["error"], Value::Null);
}

/// The sample archive without its last bytes, so that its last record is cut.
fn cut_sample() -> Vec<u8> {
    let mut bytes = archive_bytes();
    bytes.truncate(bytes.len() - 1000);
    bytes
}

#[test]
fn exit_codes_of_odd_archives() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    fs::write(folder.path().join("cut.warc.gz"), cut_sample()).unwrap();
    fs::write(folder.path().join("empty.warc.gz"), b"").unwrap();
    fs::write(folder.path().join("noise.warc.gz"), [7; 5000]).unwrap();
    fs::create_dir(folder.path().join("photos")).unwrap();
    fs::write(folder.path().join("photos/a.jpg"), b"").unwrap();
    for (expected, arguments, words) in [
        (1, &["cut.warc.gz"][..], "cut.warc.gz"),
        (1, &["cut.warc.gz", "a.warc"], "cut.warc.gz"),
        (2, &["noise.warc.gz"], "noise.warc.gz"),
        (1, &["a.warc", "noise.warc.gz"], "noise.warc.gz"),
        (2, &["photos"], "photos: no WARC, ARC or WACZ file"),
        (1, &["photos", "a.warc"], "photos: no WARC, ARC or WACZ file"),
        (2, &["empty.warc.gz"], "empty.warc.gz: empty archive"),
        (1, &["empty.warc.gz", "a.warc"], "empty.warc.gz: empty archive"),
    ] {
        let ran = run(folder.path(), &[arguments, &["-o", "out", "--overwrite"]].concat(), b"");
        ran.ended(expected, words);
    }
}

#[test]
fn a_cut_archive_gives_all_that_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &["-", "-o", "-"], &cut_sample());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let pages = golds().len();
    let whole = documents(&workspace());
    let lines: Vec<Value> = ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= pages - 1, "{} of {pages}", lines.len());
    for (cut, whole) in lines.iter().zip(&whole).take(pages - 1) {
        assert_eq!((&cut["id"], &cut["text"]), (&whole["id"], &whole["text"]));
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let expected = run(&workspace(), &[ARCHIVE, "-o", "-"], b"");
    assert!(expected.well().lines().count() > 20);
    for jobs in [&[][..], &["-j", "1"], &["-j", "3"]] {
        let ran = run(&workspace(), &[&[ARCHIVE, "-o", "-"], jobs].concat(), b"");
        assert!(ran.well() == expected.text(), "{jobs:?}");
    }
}

#[test]
fn a_line_of_the_sample_has_every_key() {
    let archive = archive_bytes();
    let mut golds = golds();
    for document in documents(&workspace()) {
        assert_eq!(document["url"], golds.remove(document["id"].as_str().unwrap()).unwrap()["url"]);
        assert_eq!(document["date"], "2026-11-20T00:00:00Z");
        assert_eq!(document["lang"], "en", "{}", document["url"]);
        assert_eq!(document["charset"], "utf-8");
        assert_eq!(document["status"], 200);
        for key in ["text", "title", "charset_source"] {
            assert!(!document[key].as_str().unwrap().is_empty(), "{key} of {}", document["url"]);
        }
        let confidence = document["confidence"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&confidence), "{confidence}");

        // The place is that of a whole gzip member, which read alone gives the same page.
        assert_eq!(document["source"]["file"], ARCHIVE);
        let number = |key: &str| usize::try_from(document["source"][key].as_u64().unwrap()).unwrap();
        let (offset, length) = (number("offset"), number("length"));
        let alone = run(&workspace(), &["-", "-o", "-"], &archive[offset..offset + length]).json();
        assert_eq!((&alone["id"], &alone["text"]), (&document["id"], &document["text"]));
    }
    assert!(golds.is_empty(), "{golds:?}");
}

#[test]
fn wet_is_named_by_the_archive_and_holds_the_text() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let ran = run(folder.path(), &["a.warc", "-o", "-", "-f", "wet", "--compress", "none"], b"");
    let text = ran.well();
    assert!(text.starts_with("WARC/1.0\r\nWARC-Type: warcinfo\r\n"), "{text}");
    assert!(text.contains("\r\nWARC-Filename: a.warc.wet\r\n"), "{text}");
    assert!(text.contains("\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://example.com/\r\n"), "{text}");
    assert!(text.contains("\r\n\r\nMill\nThe mill stands by the river,"), "{text}");
}

#[test]
fn a_folder_of_several_formats_in_parts_lists_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(workspace().join(ARCHIVE), folder.path().join("s.warc.gz")).unwrap();
    fs::write(folder.path().join("c.toml"), "format = ['jsonl', 'wet']\nsplit_size = 50000\nblocks = true\n").unwrap();
    let all = ["s.warc.gz", "-o", "out", "--compress", "none"];
    run(folder.path(), &[&all[..], &["--config", "c.toml"]].concat(), b"").well();
    let out = folder.path().join("out");
    let read = |name: &str| fs::read(out.join(name)).unwrap();
    assert_eq!(read("_SUCCESS"), b"");
    let manifest: Value = serde_json::from_slice(&read("_MANIFEST")).unwrap();
    let files = manifest["files"].as_array().unwrap();
    let mut lines = String::new();
    for file in files {
        let bytes = read(file["name"].as_str().unwrap());
        assert_eq!(file["bytes"], bytes.len());
        assert_eq!(file["sha256"].as_str().unwrap().len(), 64);
        assert_eq!(file["inputs"], serde_json::json!(["s.warc.gz"]));
        if file["format"] == "jsonl" {
            let part = String::from_utf8(bytes).unwrap();
            let count = part.lines().count();
            assert_eq!(file["documents"], count);
            assert!(part.len() <= 50000 || count == 1, "{file}");
            lines.push_str(&part);
        }
    }
    assert_eq!(files[0]["name"], "s-00000.jsonl");
    assert!(files.len() > 6, "{manifest}");
    // All parts together are the whole, with the blocks of which the text is made.
    let mut found: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = documents(&workspace());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter_mut().zip(&expected) {
        let block = &std::mem::replace(&mut found["blocks"], Value::Array(Vec::new()))[0];
        assert!(block["probability"].is_f64() && block["kept"].is_boolean());
        assert!(block["start"].as_u64() < block["end"].as_u64(), "{block}");
        found["source"]["file"] = expected["source"]["file"].clone();
        found["source"]["name"] = expected["source"]["name"].clone();
        assert_eq!(found, expected);
    }

    // A run of less into the same folder: what it does not write again stays listed.
    run(folder.path(), &["s.warc.gz", "-o", "out", "-f", "trec"], b"").well();
    let manifest: Value = serde_json::from_slice(&read("_MANIFEST")).unwrap();
    assert_eq!(manifest["files"].as_array().unwrap().len(), files.len() + 1);
    // One that reads nothing leaves no mark.
    assert_eq!(run(folder.path(), &["gone.warc", "-o", "out"], b"").code, 2);
    assert!(!out.join("_SUCCESS").exists());
}
