//! Records that fail are kept and can be run again.

use std::{io, path::Path};

use serde_json::Value;
use trommel::run::{Destination, Environment, Outcome, run};
use trommel_archive::{ReadOptions, Reader, RecordType};
use trommel_extract::{Document, Hints};
use trommel_record::Format;

use crate::make::*;

/// Extracts pages as [`extract`] does, but without its fault (a panic).
fn mended(bytes: &[u8], hints: &Hints<'_>) -> Document {
    extract(String::from_utf8_lossy(bytes).replace("panic", "mended").as_bytes(), hints)
}

#[test]
fn failed_records_come_back_as_they_were() {
    let bad = response(2, "text/html", b"<p>panic", &[("X-Folded", "a b")]);
    let hint = metadata(3, 2, "", "charset-detected: EUC-KR\r\n");
    let (folder, path) = archive("a.warc", [page(1), bad, hint, page(4)].concat());
    let quarantine = folder.path().join("quarantine.warc.gz");
    let mut plan = plan(&[&path], Destination::Stdout, Format::Jsonl);
    plan.quarantine = Some(quarantine.clone());
    let mut out = Vec::new();
    let summary = run(&plan, &extract, Environment::new(&mut out, &mut ())).unwrap();
    assert_eq!(summary.outcome(), Outcome::Partial);
    assert_eq!(summary.quarantine.as_deref(), Some(&*quarantine.to_string_lossy()));

    let read =
        |path: &Path| -> Vec<_> { Reader::open(path, ReadOptions::default()).unwrap().map(Result::unwrap).collect() };
    let (stored, kept) = (read(&path), read(&quarantine));
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0].block, stored[1].block);
    let mut fields: Vec<_> = stored[1].headers.iter().collect();
    fields.sort_unstable();
    let mut again: Vec<_> = kept[0].headers.iter().collect();
    again.sort_unstable();
    assert_eq!(again, fields);
    assert_eq!(kept[1].kind, RecordType::Metadata);
    let about = String::from_utf8(kept[1].block.to_vec()).unwrap();
    let offset = stored[1].place.offset;
    for line in [
        "reason: panic\r\n".to_owned(),
        format!("file: {}\r\n", path.display()),
        format!("offset: {offset}\r\n"),
        "message: internal fault: two lines\r\n".to_owned(),
        "charset-detected: EUC-KR\r\n".to_owned(),
    ] {
        assert!(about.contains(&line), "{line} in {about}");
    }

    // Run again with the fault mended, it gives the page with its id and the crawler's encoding.
    plan.inputs = vec![trommel::run::Input::File(quarantine.clone())];
    plan.quarantine = None;
    let mut out = Vec::new();
    let summary = run(&plan, &mended, Environment::new(&mut out, &mut ())).unwrap();
    assert_eq!((summary.documents, summary.records), (1, 2));
    let line: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(line["id"], id(2));
    assert_eq!(line["text"], "mended");
    assert_eq!(line["charset"], "EUC-KR");
}

#[test]
fn no_failure_no_quarantine() {
    let (folder, path) = archive("a.warc", page(1));
    let mut plan = plan(&[&path], Destination::Folder(folder.path().join("out")), Format::Jsonl);
    plan.quarantine = Some(folder.path().join("out/quarantine.warc.gz"));
    assert_eq!(run(&plan, &extract, Environment::new(&mut io::sink(), &mut ())).unwrap().quarantine, None);
    assert_eq!(names(&folder.path().join("out")), ["_MANIFEST", "_SUCCESS", "a.jsonl"]);
}
