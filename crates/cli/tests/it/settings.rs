//! Generates `docs/settings.md` from the list of settings, and compares it with the help of the program.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use trommel::{ByteSize, Field, Kind, fields, parts};

use crate::golden::compare;
use crate::program::{trommel, workspace};

/// Text above the lists of settings in `docs/settings.md`.
const HEAD: &str = "# Settings\n\n\
A setting has one name everywhere: `min_words` in a configuration file (also in the [table](configuration.md) of its part, \
`[filters]`), in requests and in the JSON of the C library, `min_words=` in Python, `--min-words` on the command line. \
`run` takes any setting as `--set min_words=20`, and rare ones only so; every command takes `keep`, `drop` and `names` \
only so. In brackets are the kind of the value and the default. A size is a number of bytes, or `64M`. `make bless` \
generates this page from the code.\n";

/// Text above the list of interfaces in `docs/settings.md`.
const INTERFACES: &str = "\n## Interfaces\n\n\
A setting is missing from an interface where it would have no effect, or where the sender of a request must not choose \
it. `Settings` in Rust has all of them.\n\n\
- `run`: `trommel run`, its configuration file, `run` in Python\n\
- `read_warc`: `read_warc` in Python, and the readers for Spark, Ray, Dask and datatrove\n\
- `index`: `trommel index` and `trommel wacz text`\n\
- `serve`: `trommel serve` and its configuration file\n\
- request: `/extract`, `/extract/batch`, `/inspect`\n\
- page: `trommel extract`; `Extractor`, `extract`, `extract_batch`, `inspect` and `Session` in Python; the C library\n\n\
| settings | interfaces |\n|---|---|\n";

const INTERFACE_NAMES: [&str; 6] = ["`run`", "`read_warc`", "`index`", "`serve`", "request", "page"];

fn kind(field: &Field) -> &'static str {
    match &field.kind {
        Kind::Switch => "switch",
        Kind::OneOf(_) => "choice",
        Kind::ListOf(_) | Kind::Texts => "list",
        Kind::Integer => "whole number",
        Kind::Number => "number",
        Kind::Bytes => "size",
        _ => "text",
    }
}

/// Lists the values of a setting with their meanings; empty if the setting is not a choice of names.
fn values(field: &Field) -> String {
    let (Kind::OneOf(values) | Kind::ListOf(values)) = &field.kind else { return String::new() };
    // Of long lists the names are enough.
    let names = values.iter().map(|value| match values.len() {
        0..=6 => format!("`{}` ({})", value.name, value.doc.trim_end_matches('.')),
        _ => format!("`{}`", value.name),
    });
    format!(" Values: {}", names.collect::<Vec<_>>().join(", "))
}

fn default(field: &Field) -> String {
    match (&field.kind, &field.default) {
        (Kind::Bytes, serde_json::Value::Number(bytes)) => {
            format!("`{}`", ByteSize(bytes.as_u64().unwrap()))
        }
        (_, serde_json::Value::Null | serde_json::Value::String(_)) if field.doc.contains("[default: ") => {
            let (_, said) = field.doc.split_once("[default: ").unwrap();
            said.trim_end_matches(['.', ']']).to_owned()
        }
        (_, serde_json::Value::Null) => String::new(),
        (_, serde_json::Value::Array(list)) if list.is_empty() => String::new(),
        (_, serde_json::Value::String(text)) if text.is_empty() => String::new(),
        (_, serde_json::Value::String(text)) => format!("`{text}`"),
        (_, value) => format!("`{value}`"),
    }
}

fn page() -> String {
    let mut out = HEAD.to_owned();
    let mut part = None;
    let mut listed: Option<(&str, String)> = None;
    for field in fields() {
        if part != Some(field.part()) {
            part = Some(field.part());
            let heading = match parts().iter().find(|(name, _)| name == field.part()) {
                Some((name, doc)) => format!("{} (`[{name}]`)", doc.trim_end_matches('.')),
                None => "Model".to_owned(),
            };
            let _ = write!(out, "\n## {heading}\n\n");
        }
        let doc = field.doc.split(" [default").next().unwrap_or_default();
        let default = Some(default(field)).filter(|default| !default.is_empty());
        let default = default.map(|default| format!(", {default}")).unwrap_or_default();
        let mut values = values(field);
        if let Some((name, _)) = listed.as_ref().filter(|(_, before)| !values.is_empty() && *before == values) {
            values = format!(" Values: those of `{name}`");
        } else {
            listed = Some((&field.name, values.clone()));
        }
        let _ = writeln!(out, "- `{}` ({}{default}): {doc}{values}", field.name, kind(field));
    }
    out.push_str(INTERFACES);
    // One row for the settings that the same interfaces have, in the order of the first of them.
    let mut rows: Vec<([bool; 6], Vec<String>)> = Vec::new();
    for field in fields() {
        let marks = [
            true,
            field.part() != "output",
            is_of_index(field),
            is_of_service(field),
            field.is_of_requests(),
            field.is_of_pages(),
        ];
        let name = format!("`{}`", field.name);
        match rows.iter_mut().find(|(of, _)| *of == marks) {
            Some((_, names)) => names.push(name),
            None => rows.push((marks, vec![name])),
        }
    }
    for (marks, names) in rows {
        let interfaces = INTERFACE_NAMES.iter().zip(marks).filter(|(_, has)| *has).map(|(name, _)| *name);
        let interfaces = if marks == [true; 6] { "all".to_owned() } else { interfaces.collect::<Vec<_>>().join(", ") };
        let _ = writeln!(out, "| {} | {interfaces} |", names.join(", "));
    }
    out
}

fn is_of_service(field: &Field) -> bool {
    (field.is_of_documents() && !field.is_of_records()) || field.name == "jobs"
}

fn is_of_index(field: &Field) -> bool {
    (is_of_service(field) || field.is_of_records()) && field.part() != "include"
}

#[test]
fn golden_page_of_the_settings() {
    let found = BTreeMap::from([("settings.md".to_owned(), page())]);
    compare(&workspace().join("docs"), "settings.md", &found);
}

#[test]
fn every_command_has_the_options_that_the_page_lists() {
    type Has = fn(&Field) -> bool;
    let mut doors: Vec<(&[&str], Has)> = vec![
        (&["run", "--help"], |field| field.is_usual() && field.name != "text"),
        (&["extract", "--help"], Field::is_of_pages),
        (&["wacz", "text", "--help"], is_of_index),
    ];
    if cfg!(feature = "index") {
        doors.push((&["index", "--help"], is_of_index));
    }
    if cfg!(feature = "serve") {
        doors.push((&["serve", "--help"], is_of_service));
    }
    for (arguments, has) in doors {
        let ran = trommel(Path::new("."), arguments, b"");
        let help = ran.well();
        for field in fields() {
            let option = format!("--{}", field.name.replace('_', "-"));
            let is_there = help.lines().any(|line| {
                let mut words = line.split([' ', ',', '[', '=']).filter(|word| !word.is_empty());
                words.clone().take(2).any(|word| word == option) && words.next().is_some()
            });
            // Commands have options of their own by these names: the form of a page, bounds of the service.
            let is_own = match arguments[0] {
                "extract" => ["format", "url"].contains(&field.name.as_str()),
                "serve" => ["sites", "max_memory"].contains(&field.name.as_str()),
                _ => false,
            };
            assert_eq!(is_there, (has(field) && !field.is_rare()) || is_own, "{option} in {arguments:?}");
        }
    }
}

/// Returns the long name of each option in a help text, with its line.
fn options(help: &str) -> Vec<(String, String)> {
    let named = help.lines().filter_map(|line| {
        let words = line.trim_start().split([' ', ',', '[', '=', '.']).filter(|word| !word.is_empty());
        let mut named = words.take_while(|word| word.starts_with('-'));
        line.starts_with("  ").then_some(())?;
        let name = named.find(|word| word.starts_with("--"))?;
        Some((name.trim_start_matches('-').to_owned(), line.to_owned()))
    });
    named.collect()
}

#[test]
fn the_short_help_of_a_run_is_a_page_in_the_order_of_a_newcomer() {
    let help = |arguments: &[&str]| trommel(Path::new("."), arguments, b"").well().to_owned();
    let run = help(&["run", "-h"]);
    let names: Vec<String> = options(&run).into_iter().map(|(name, _)| name).collect();
    let first = ["output", "format", "jobs", "resume", "overwrite", "limit", "url", "config", "host", "not-host"];
    assert_eq!(names[..10], first);
    for (command, helped) in [("run", run), ("annotate", help(&["annotate", "-h"]))] {
        assert!(helped.lines().count() <= 45, "{command}: {} lines", helped.lines().count());
        assert!(helped.lines().all(|line| line.chars().count() <= 100), "{helped}");
        let shown = options(&helped);
        assert!((12..=25).contains(&shown.len()), "{command}: {shown:?}");
        // A line each.
        assert!(shown.iter().all(|(_, line)| line.split_whitespace().count() > 3), "{helped}");
        let examples = helped.split("Examples:\n").nth(1).unwrap();
        assert_eq!(examples.lines().filter(|line| line.starts_with("  trommel ")).count(), 4, "{examples}");
        let (last, _) = &shown[shown.len() - 1];
        assert!(["verbose", "quiet"].contains(&last.as_str()), "{last}");
        let all = options(&help(&[command, "--help"]));
        assert!(shown.iter().all(|(name, _)| all.iter().any(|(known, _)| known == name)), "{all:?}");
        let of_command = all.iter().filter(|(name, _)| !["quiet", "verbose", "log-format", "help"].contains(&&**name));
        assert!(of_command.count() <= 40, "{command}: {all:?}");
        if command == "annotate" {
            for without in ["markdown", "links", "images", "chunks", "format", "compress", "spans"] {
                assert!(all.iter().all(|(name, _)| name != without), "{without}");
            }
        }
    }
}
