//! Tests `trommel run`: exit codes, standard output and error, the precedence of options, and the sample archive.

use std::{fs, path::Path};

use serde_json::Value;

use crate::program::{RunResult, rows, trommel, workspace};
use crate::sample::{ARCHIVE, archive_bytes, documents, golds};

fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> RunResult {
    trommel(folder, &[&["run"], arguments].concat(), input)
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
        let (stages, threads) = stages.split_once("\nCPU seconds of each thread").unwrap_or((stages, ""));
        for name in ["reader-0", "worker-0", "writer-0"] {
            assert!(threads.contains(name) || !cfg!(target_os = "linux"), "{threads}");
        }
        let spent: Vec<f64> =
            stages.lines().skip(1).map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!(spent.len(), 7, "{stages}");
        assert!((spent.iter().sum::<f64>() - 100.0).abs() < 1.0, "{stages}");
        // What the extractor does is most of a run in every form.
        assert!(spent[2..5].iter().all(|share| *share > 0.0), "{stages}");
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
    let mut found = rows(&lines);
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
