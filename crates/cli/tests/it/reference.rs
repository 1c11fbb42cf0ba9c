//! Compares each list of `docs/reference.md` with the output of the program, or with the code if no output shows it.

use std::{collections::BTreeSet, fs};

use serde_json::Value;
use trommel::record::{RecordSource, filters::Reason};

use crate::program::{self, json_file, trommel, workspace};
use crate::sample::ARCHIVE;

/// Returns the names in backticks at the start of each list item under a heading of the reference.
fn documented(heading: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(workspace().join("docs/reference.md")).unwrap();
    let mut lines = text.lines().skip_while(|line| *line != heading);
    assert!(lines.next().is_some(), "no {heading}");
    let mut names = BTreeSet::new();
    for line in lines.take_while(|line| !line.starts_with('#')) {
        let Some(item) = line.strip_prefix("- ") else { continue };
        let head = item.split([':', '(']).next().unwrap_or_default();
        names.extend(head.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    assert!(!names.is_empty(), "nothing under {heading}");
    names
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn keys_of_a_source() {
    let written = serde_json::to_value(RecordSource::default()).unwrap();
    assert_eq!(keys(&written), names(&["file", "inner", "length", "name", "offset"]));
}

#[test]
fn keys_of_summary_and_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let archive = workspace().join(ARCHIVE);
    let arguments = ["run", archive.to_str().unwrap(), "-o", "out", "--summary", "s.json"];
    trommel(folder.path(), &arguments, b"").well();
    let summary = json_file(folder.path().join("s.json"));
    let mut written = keys(&summary);
    written.extend(keys(&summary["files"][0]));
    assert_eq!(written, documented("## Keys of the summary"));
    for part in ["p50", "p99", "slowest"] {
        assert!(!summary["page_times"][part].is_null(), "{part}");
    }
    let out = folder.path().join("out");
    let manifest = program::names(&out).into_iter().find(|name| name.to_lowercase().contains("manifest")).unwrap();
    let manifest = json_file(out.join(manifest));
    assert_eq!(keys(&manifest["files"][0]), documented("## Keys of the manifest"));
}

/// Returns the names, in kebab case, of the variants without fields of an enum in a source file.
fn variants(path: &str, name: &str) -> BTreeSet<String> {
    let kebab = |variant: &str| {
        let mut out = String::new();
        for c in variant.chars() {
            if c.is_uppercase() && !out.is_empty() {
                out.push('-');
            }
            out.extend(c.to_lowercase());
        }
        out
    };
    body(path, &format!("pub enum {name} {{"))
        .lines()
        .filter_map(|line| line.trim().strip_suffix(','))
        .filter(|line| line.chars().all(char::is_alphanumeric))
        .map(kebab)
        .collect()
}

#[test]
fn reasons_of_drops() {
    let known = variants("crates/trommel/src/run/counts/reasons.rs", "DropReason");
    assert_eq!(documented("### Reasons of drops"), known);
    let configuration = fs::read_to_string(workspace().join("docs/configuration.md")).unwrap();
    for reason in Reason::ALL.map(Reason::name) {
        let short = reason.strip_prefix("gopher-").map(|rest| format!("`-{rest}`"));
        let is_there = configuration.contains(&format!("`{reason}`"))
            || short.is_some_and(|short| configuration.contains(&short))
            || (reason.starts_with("c4-") && configuration.contains("`c4-...`"));
        assert!(is_there, "{reason} is not in docs/configuration.md");
    }
}

/// Returns the lines of a source file from `start` to the closing brace of the block that starts there.
fn body(path: &str, start: &str) -> String {
    let source = fs::read_to_string(workspace().join(path)).unwrap();
    let (_, body) = source.split_once(start).unwrap_or_else(|| panic!("{path}: no {start}"));
    body.split_once("\n}").unwrap().0.to_owned()
}

#[test]
fn variables_of_the_environment() {
    let documented = documented("## Variables of the environment");
    for name in ["RUST_LOG", "NO_COLOR", "TERM", "SOURCE_DATE_EPOCH", "AWS_ENDPOINT", "GOOGLE_BASE_URL", "HF_TOKEN"] {
        assert!(documented.contains(name), "{name}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn rules() {
    let rules = trommel::extract::RULES.iter();
    assert_eq!(documented("### Rules"), rules.map(|rule| rule.name.to_owned()).collect());
}

#[test]
fn columns_of_a_parquet_file() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    let folder = tempfile::tempdir().unwrap();
    let archive = workspace().join(ARCHIVE);
    let arguments = ["run", archive.to_str().unwrap(), "-o", "x.parquet"];
    trommel(folder.path(), &arguments, b"").well();
    let file = fs::File::open(folder.path().join("x.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let written: BTreeSet<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut documented = documented("## Columns of a Parquet file");
    documented.retain(|name| !name.starts_with("source."));
    assert_eq!(documented, written);
}
