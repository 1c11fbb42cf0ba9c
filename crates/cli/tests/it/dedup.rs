//! Tests `trommel dedup`: several shards give the same duplicates as all documents together.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::program::trommel;

fn text(number: u32) -> String {
    let words: Vec<String> = (0..80).map(|word| format!("w{}", number * 100 + word)).collect();
    words.join(" ")
}

fn shard(path: &Path, texts: &[(&str, String)]) {
    let lines: String =
        texts.iter().map(|(id, text)| format!("{}\n", serde_json::json!({"id": id, "text": text}))).collect();
    fs::write(path, lines).unwrap();
}

fn ids(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    text.lines().map(id).collect()
}

#[test]
fn duplicates_over_shards_are_found_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("out")).unwrap();
    let near = format!("{} and three words more", text(2));
    shard(&at("out/b.jsonl"), &[("b0", text(1)), ("b1", near), ("b2", text(3)), ("b3", text(3).to_uppercase())]);
    shard(&at("out/a.jsonl"), &[("a0", text(2)), ("a1", text(1)), ("a2", String::new()), ("a3", String::new())]);
    let run = |arguments: &[&str]| trommel(folder.path(), &[&["dedup"], arguments].concat(), b"");
    run(&["sign", "out/b.jsonl", "out/a.jsonl", "-o", "s"]).well();
    let (one, other) = ("s/a.signatures.jsonl.zst", "s/b.signatures.jsonl.zst");
    let signed = fs::read(at(one)).unwrap();
    run(&["sign", "out/a.jsonl", "-o", "s"]).said("1 outputs signed before");

    let found = run(&["find", other, one, "-o", "d.jsonl"]);
    found.ended(0, "8 documents: 2 exact duplicates, 1 near duplicates");
    assert_eq!(ids(&at("d.jsonl")), ["b0", "b1", "b3"]);
    let list = fs::read_to_string(at("d.jsonl")).unwrap();
    let first: Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
    assert_eq!(first["reason"], "exact-duplicate");
    assert_eq!(first["of"]["id"], "a1");
    // In another order the same bytes; by shares of the keys the same documents.
    run(&["find", one, other, "-o", "e.jsonl"]).well();
    assert_eq!(fs::read(at("e.jsonl")).unwrap(), list.as_bytes());
    let mut shares = BTreeSet::new();
    for keys in ["1/3", "2/3", "3/3"] {
        let name = format!("k{}.jsonl", &keys[..1]);
        run(&["find", one, other, "-o", &name, "--keys", keys]).well();
        shares.extend(ids(&at(&name)));
    }
    assert_eq!(shares.into_iter().collect::<Vec<_>>(), ["b0", "b1", "b3"]);

    let drop =
        ["drop", "out/a.jsonl", "out/b.jsonl", "--duplicates", "k1.jsonl", "k2.jsonl", "k3.jsonl", "-o", "unique"];
    run(&drop).said("5 documents kept, 3 left out");
    assert_eq!(ids(&at("unique/a.jsonl")), ["a0", "a1", "a2", "a3"]);
    assert_eq!(ids(&at("unique/b.jsonl")), ["b2"]);
    assert_eq!(fs::read(at(one)).unwrap(), signed);
}

#[test]
fn faults_are_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |arguments: &[&str]| trommel(folder.path(), &[&["dedup"], arguments].concat(), b"");
    fs::write(at("x.wet.gz"), "").unwrap();
    run(&["sign", "x.wet.gz", "-o", "s"]).ended(2, "x.wet.gz: is no output");
    shard(&at("a.jsonl"), &[("a", text(1))]);
    run(&["sign", "a.jsonl", "-o", "s"]).well();
    let signature = "s/a.signatures.jsonl.zst";
    let twice = run(&["find", signature, signature, "-o", "d.jsonl"]);
    twice.ended(2, "a: row 0 is there twice");
    assert!(!at("d.jsonl").exists());
    fs::write(at("bad.jsonl"), "{}\n").unwrap();
    let bad = run(&["find", "bad.jsonl", "-o", "d.jsonl"]);
    bad.ended(2, "bad.jsonl: line 1: ");
    fs::write(
        at("d.jsonl"),
        r#"{"shard":"a","row":7,"id":"x","reason":"exact-duplicate","of":{"shard":"a","row":0,"id":"a"}}"#,
    )
    .unwrap();
    run(&["drop", "a.jsonl", "--duplicates", "d.jsonl", "-o", "u"]).ended(2, "a.jsonl: has no row 7");
    assert!(!at("u/a.jsonl").exists());
}
