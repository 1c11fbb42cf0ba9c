//! Texts of another extractor in the outputs of a run.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use trommel::output::{OutputRecord, RecordReader};

use crate::program::{RunResult, trommel};
use crate::sample::archive_path;

fn ran(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, arguments, b"")
}

fn read(path: &Path) -> Vec<OutputRecord> {
    RecordReader::open(path).unwrap().map(Result::unwrap).collect()
}

/// All files in a folder that are seen, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let seen = named.filter(|(name, path)| !name.starts_with('.') && path.is_file());
    seen.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

/// The text of every third document, upside down and with a line of its own, as the lines of another extractor.
fn theirs(documents: &[OutputRecord]) -> Vec<Value> {
    let some = documents.iter().step_by(3);
    some.map(|document| {
        let mut lines: Vec<&str> = document.text.lines().collect();
        lines.push("A line that no page has.");
        lines.reverse();
        json!({"id": document.id, "text": lines.join("\n"), "score": 1})
    })
    .collect()
}

fn write_lines(path: &Path, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, lines.concat()).unwrap();
}

#[test]
fn order_counts_and_places_stay_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut names = vec!["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.msgpack.zst"];
    if cfg!(feature = "parquet") {
        names.push("a.parquet");
    }
    for name in names {
        ran(folder.path(), &["run", &archive_path(), "-o", name, "--spans", "--chunks", "words=50"]).well();
        let before = read(&at(name));
        let texts = theirs(&before);
        write_lines(&at("dripper.v2.jsonl"), &texts);
        let merged = format!("new-{name}");
        let done = ran(folder.path(), &["merge", name, "dripper.v2.jsonl", "-o", &merged]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let words =
            format!("{} of {} documents have another text, in 1 outputs; 0 lines left out", texts.len(), before.len());
        done.said(&words);
        let after = read(&at(&merged));
        assert_eq!(after.len(), before.len());
        let (mut spans, mut all_spans, mut chunks) = (0, 0, 0);
        for (number, (before, after)) in before.iter().zip(&after).enumerate() {
            if number % 3 != 0 {
                assert_eq!(before, after, "{name}");
                continue;
            }
            assert_eq!((&after.id, after.by.as_str(), &after.title), (&before.id, "dripper", &before.title), "{name}");
            assert_eq!(after.text.trim(), texts[number / 3]["text"].as_str().unwrap().trim());
            assert_eq!((&after.source, &after.url, after.confidence), (&before.source, &before.url, before.confidence));
            spans += after.spans.len();
            all_spans += before.spans.len();
            chunks += after.chunks.len();
        }
        // Most lines stand once on their page.
        assert!(spans * 10 > all_spans * 8, "{name}: {spans} of {all_spans}");
        assert!(chunks > 3, "{name}: {chunks}");
        let verified = ran(folder.path(), &["verify", &merged, "--against", &archive_path()]);
        assert!(verified.well().contains(": 0 places wrong, 0 pages not found"), "{name}: {}", verified.text());
        // In place the bytes are the same, also the second time.
        for _ in 0..2 {
            ran(folder.path(), &["merge", name, "dripper.v2.jsonl"]).well();
            assert!(fs::read(at(name)).unwrap() == fs::read(at(&merged)).unwrap(), "{name}");
        }
        let again = ran(folder.path(), &["merge", name, "dripper.v2.jsonl", "-o", &merged]);
        again.ended(2, "is there already");
    }
}

#[test]
fn several_outputs_and_their_manifest_are_of_one_state() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut texts = Vec::new();
    for name in ["a.warc.gz", "b.warc.gz"] {
        fs::copy(archive_path(), at(name)).unwrap();
    }
    ran(folder.path(), &["run", "a.warc.gz", "b.warc.gz", "-o", "out", "-f", "jsonl,wet", "--split-size", "64K"])
        .well();
    let before = files(&at("out"));
    let outputs: Vec<&String> = before.keys().filter(|name| name.ends_with(".jsonl.zst")).collect();
    assert!(outputs.len() > 4, "{outputs:?}");
    // One text for a document of the first part of both inputs.
    let first = read(&at("out").join(outputs[0]));
    texts.push(json!({"id": first[1].id, "text": "New", "by": "a person", "title": "Titel"}));
    write_lines(&at("t.jsonl"), &texts);
    let done = ran(folder.path(), &["merge", "out", "t.jsonl", "-o", "new"]);
    done.ended(0, "2 of 64 documents have another text, in 2 outputs");
    done.said(".warc.wet.gz: passed over");
    let after = files(&at("new"));
    let mut changed = Vec::new();
    for name in &outputs {
        if before[*name] != after[*name] {
            changed.push(name.as_str());
        }
    }
    assert_eq!(changed, ["a-00000.jsonl.zst", "b-00000.jsonl.zst"]);
    let expected: Vec<&str> =
        ["_MANIFEST", "_SUCCESS"].into_iter().chain(outputs.iter().map(|name| name.as_str())).collect();
    assert_eq!(after.keys().collect::<Vec<_>>(), expected);
    let new = read(&at("new/a-00000.jsonl.zst"));
    assert_eq!((new[1].text.as_str(), new[1].by.as_str(), new[1].title.as_deref()), ("New", "a person", Some("Titel")));
    assert_eq!(new.iter().filter(|document| !document.by.is_empty()).count(), 1);
    let manifest: Value = serde_json::from_slice(&after["_MANIFEST"]).unwrap();
    for file in manifest["files"].as_array().unwrap() {
        let bytes = &after[file["name"].as_str().unwrap()];
        let sum = <sha2::Sha256 as sha2::Digest>::digest(bytes);
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((file["bytes"].as_u64(), file["sha256"].as_str()), (Some(bytes.len() as u64), Some(sum.as_str())));
    }
    // In place: the same outputs, and the others stay.
    ran(folder.path(), &["merge", "out", "t.jsonl"]).well();
    let mut here = files(&at("out"));
    for name in before.keys().filter(|name| name.ends_with(".wet.gz")) {
        assert!(here.remove(name).as_ref() == before.get(name), "{name}");
    }
    here.remove("_MANIFEST");
    assert!(here == after.into_iter().filter(|(name, _)| name != "_MANIFEST").collect());
    // The run does not take the outputs for its own any more, and destroys nothing.
    let merged = files(&at("out"));
    let resumed = ran(
        folder.path(),
        &["run", "a.warc.gz", "b.warc.gz", "-o", "out", "-f", "jsonl,wet", "--split-size", "64K", "--resume"],
    );
    assert!(files(&at("out")) == merged, "{}", resumed.stderr);
}
