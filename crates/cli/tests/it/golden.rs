//! Compares documents of the sample archive with `tests/golden`. The documents depend on the default model; `make
//! bless` writes them again after an intended change.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use serde_json::Value;
use similar::TextDiff;

use crate::program::{trommel, workspace};
use crate::sample::{ARCHIVE, documents, golds};

/// Compares `found` (contents by file name) with the files of `folder` whose names end with `ending`,
/// or writes them if `TROMMEL_BLESS` is set.
#[track_caller]
pub fn compare(folder: &Path, ending: &str, found: &BTreeMap<String, String>) {
    let mut kept: BTreeMap<String, String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(ending))
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    if env::var_os("TROMMEL_BLESS").is_some() {
        for (name, content) in found {
            if kept.remove(name).as_ref() != Some(content) {
                fs::write(folder.join(name), content).unwrap();
            }
        }
        for name in kept.keys() {
            fs::remove_file(folder.join(name)).unwrap();
        }
        return;
    }
    let differences = differences(&kept, found);
    assert!(
        differences.is_empty(),
        "\n{differences}\nIf this is meant, run `make bless` and look at the change with git diff."
    );
}

/// Returns a line diff of every file that differs between `kept` and `found`.
fn differences(kept: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for name in found.keys().chain(kept.keys().filter(|name| !found.contains_key(*name))) {
        let side = |files: &BTreeMap<String, String>| files.get(name).cloned().unwrap_or_default();
        let (before, after) = (side(kept), side(found));
        if before != after {
            let diff = TextDiff::from_lines(&before, &after);
            let mut diff = diff.unified_diff();
            // Writing to a string cannot fail.
            let _ = write!(out, "{}", diff.header(&format!("{name} (golden)"), &format!("{name} (now)")));
        }
    }
    out
}

/// Formats a document for reading: its metadata, the page type in the gold, and its text.
fn readable(document: &Value, gold: &Value) -> String {
    let stated = |text: &str| if text.is_empty() { "none" } else { text }.to_owned();
    let line = |key: &str| stated(document[key].as_str().unwrap());
    let authors = document["author"].as_array().unwrap().iter();
    let authors: Vec<&str> = authors.map(|name| name.as_str().unwrap()).collect();
    let authors = stated(&authors.join("; "));
    format!(
        "title:      {}\nauthor:     {}\npublished:  {}\nmodified:   {}\nsite:       {}\nlanguage:   {}\ncharset:    {} ({})\npage type:  {}\nconfidence: {:.3}\n\n{}\n",
        line("title"),
        authors,
        line("published"),
        line("modified"),
        line("site"),
        line("lang"),
        line("charset"),
        line("charset_source"),
        gold["page_type"].as_str().unwrap(),
        document["confidence"].as_f64().unwrap(),
        line("text"),
    )
}

#[test]
fn golden_documents() {
    let golds = golds();
    let found: BTreeMap<String, String> = documents(&workspace())
        .iter()
        .map(|document| {
            let gold = &golds[document["id"].as_str().unwrap()];
            (format!("{}.txt", gold["id"].as_str().unwrap()), readable(document, gold))
        })
        .collect();
    assert_eq!(found.len(), golds.len(), "every page gives a document");
    compare(&workspace().join("tests/golden"), ".txt", &found);
}

/// Names of sample pages with lists, tables, code and quotes.
const MARKDOWN: [&str; 8] = [
    "wcxb-dev-0052", "wcxb-dev-0053", "wcxb-dev-0499", "wcxb-dev-0687", "wcxb-dev-1066", "wcxb-dev-2889",
    "wcxb-dev-4119", "wcxb-dev-4309",
];

#[test]
fn golden_markdown() {
    let golds = golds();
    let ran = trommel(&workspace(), &["run", ARCHIVE, "-o", "-", "-f", "jsonl", "--markdown"], b"");
    let mut found = BTreeMap::new();
    for document in ran.rows() {
        let id = golds[document["id"].as_str().unwrap()]["id"].as_str().unwrap();
        if MARKDOWN.contains(&id) {
            found.insert(format!("{id}.md"), document["text"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(found.len(), MARKDOWN.len());
    compare(&workspace().join("tests/golden"), ".md", &found);
}

#[test]
fn a_difference_is_shown_by_line() {
    let files = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        files.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect()
    };
    let kept = files(&[("a", "one\ntwo\n"), ("b", "same\n"), ("gone", "x\n")]);
    let shown = differences(&kept, &files(&[("a", "one\n2\n"), ("b", "same\n"), ("new", "y\n")]));
    for line in ["--- a (golden)", "+++ a (now)", " one", "-two", "+2", "-x", "+y"] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    assert!(!shown.contains("same"), "{shown}");
}
