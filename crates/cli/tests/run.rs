//! `trommel run` as a user meets it: exit codes, standard output and error, options over the file.

// The setting for tests in clippy.toml does not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use trommel_archive::write::write_record;

/// An archive with one page.
fn archive(path: &Path) {
    let paragraph =
        "The mill stands by the river, and its wheel has turned there for two hundred years. ";
    let body = format!(
        "<html><head><title>Mill</title></head><body><p>{}</p></body></html>",
        paragraph.repeat(5)
    );
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let headers = [
        ("WARC-Type", "response"),
        ("WARC-Date", "2024-05-18T01:58:10Z"),
        (
            "WARC-Record-ID",
            "<urn:uuid:00000000-0000-4000-8000-000000000001>",
        ),
        ("WARC-Target-URI", "http://example.com/"),
        ("Content-Type", "application/http; msgtype=response"),
    ];
    let mut out = Vec::new();
    write_record(&mut out, "WARC/1.0", &headers, block.as_bytes()).unwrap();
    fs::write(path, out).unwrap();
}

fn trommel(folder: &Path, arguments: &[&str], input: &[u8]) -> (i32, Output) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trommel"))
        .arg("run")
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .env_remove("SOURCE_DATE_EPOCH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), output)
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn data_on_standard_output_and_words_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let (code, by_name) = trommel(folder.path(), &["a.warc", "-o", "-"], b"");
    assert_eq!(code, 0, "{}", errors(&by_name));
    let line: Value = serde_json::from_slice(&by_name.stdout).unwrap();
    assert_eq!(line["id"], "urn:uuid:00000000-0000-4000-8000-000000000001");
    assert_eq!(line["url"], "http://example.com/");
    assert_eq!(line["source"]["file"], "a.warc");
    for key in ["date", "text", "title", "lang", "charset", "confidence"] {
        assert!(line.get(key).is_some(), "{key}");
    }
    assert!(errors(&by_name).contains("1 records: 1 documents, 0 dropped, 0 failed"));

    let bytes = fs::read(folder.path().join("a.warc")).unwrap();
    let (code, by_pipe) = trommel(folder.path(), &["-", "-o", "-"], &bytes);
    assert_eq!(code, 0, "{}", errors(&by_pipe));
    let mut expected = line;
    expected["source"]["file"] = "-".into();
    let line: Value = serde_json::from_slice(&by_pipe.stdout).unwrap();
    assert_eq!(line, expected);
}

#[test]
fn exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    fs::write(folder.path().join("letter.warc"), "Dear reader,\n").unwrap();
    fs::write(folder.path().join("bad.toml"), "job = 1\n").unwrap();
    for (expected, arguments, words) in [
        (0, &["a.warc", "-o", "out"][..], "1 documents"),
        (1, &["gone.warc", "a.warc", "-o", "out"], "gone.warc"),
        (1, &["a.warc", "letter.warc", "-o", "out"], "letter.warc"),
        (
            1,
            &["a.warc", "*.none", "-o", "out"],
            "*.none: no file matches",
        ),
        (2, &["gone.warc", "-o", "out"], "gone.warc"),
        (2, &["letter.warc", "-o", "out"], "not a WARC or ARC"),
        (
            2,
            &["https://example.com/a.warc", "-o", "out"],
            "not supported",
        ),
        (
            2,
            &["a.warc", "-o", "x.jsonl", "-f", "wet"],
            "the option says wet",
        ),
        (
            2,
            &["a.warc", "-o", "out", "-f", "xml"],
            "expected jsonl, msgpack or wet",
        ),
        (
            2,
            &["a.warc", "-o", "out", "--config", "bad.toml"],
            "did you mean \"jobs\"?",
        ),
        (
            2,
            &["a.warc", "-o", "out", "--model", "none"],
            "no built-in model",
        ),
        (2, &["a.warc", "-o", "gone/x.jsonl"], "gone/x.jsonl"),
        (2, &["a.warc"], "--output"),
    ] {
        let (code, output) = trommel(folder.path(), arguments, b"");
        let errors = errors(&output);
        assert_eq!(code, expected, "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn options_win_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    fs::write(
        folder.path().join("c.toml"),
        "format = 'msgpack'\ncompress = 'gz'\n",
    )
    .unwrap();
    for (more, expected) in [
        (&[][..], "a.msgpack.gz"),
        (&["-f", "jsonl"], "a.jsonl.gz"),
        (&["--compress", "none"], "a.msgpack"),
        (&["-f", "jsonl", "--compress", "zst"], "a.jsonl.zst"),
    ] {
        let arguments = [&["a.warc", "-o", expected, "--config", "c.toml"], more].concat();
        // A folder, though its name looks like a file's.
        fs::create_dir(folder.path().join(expected)).unwrap();
        let (code, output) = trommel(folder.path(), &arguments, b"");
        assert_eq!(code, 0, "{}", errors(&output));
        let names: Vec<_> = fs::read_dir(folder.path().join(expected))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, [expected]);
    }
}

#[test]
fn the_summary_is_written_as_json() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("a.warc"));
    let arguments = ["a.warc", "-o", "out.wet.gz", "--summary", "s.json"];
    let (code, output) = trommel(folder.path(), &arguments, b"");
    assert_eq!(code, 0, "{}", errors(&output));
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    assert_eq!(
        (&summary["records"], &summary["pages"]),
        (&1.into(), &1.into())
    );
    assert_eq!(summary["files"][0]["file"], "a.warc");
    assert_eq!(summary["files"][0]["error"], Value::Null);
}
