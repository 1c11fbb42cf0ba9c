//! Checks the documents of the repository: their links, and their claims about the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::workspace;

/// Folders that hold no documents of the project.
const PASSED: [&str; 4] = ["target", "out", ".git", "corpus"];

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !PASSED.contains(&name) {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Where the inline links of a document lead, without those of code.
fn links(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.starts_with("    ")
    });
    lines.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split([')', ' ']).next()).collect()
}

#[test]
fn links_lead_to_files() {
    let mut found = Vec::new();
    documents(&workspace(), &mut found);
    assert!(found.len() > 15, "{found:?}");
    let mut checked = 0;
    for document in &found {
        for link in links(&fs::read_to_string(document).unwrap()) {
            let (file, _) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") || file.is_empty() {
                continue;
            }
            assert!(document.parent().unwrap().join(file).exists(), "{}: {link}", document.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} links");
}

#[test]
fn architecture_stays_short() {
    let words = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap().split_whitespace().count();
    assert!(words <= 1500, "{words} words");
}

#[test]
fn readme_shows_a_result_before_the_list_of_commands() {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    let at = |wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("no {wanted}"));
    let screen = text.lines().take(40).collect::<Vec<_>>().join("\n").len();
    for first in ["cargo install", "trommel run ", "\"text\":", "docs/benchmarks.svg"] {
        assert!(at(first) < screen, "{first} is not on the first screen");
    }
    assert!(at("\"text\":") < at("trommel search"));
}

/// The rows of a file's tables whose first cell is not empty, without marks of emphasis and code.
fn rows(file: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(workspace().join(file)).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("| "));
    let cell = |cell: &str| cell.replace(['*', '`'], "").trim().to_owned();
    lines.map(|line| line.trim_end_matches('|').split('|').map(cell).collect()).collect()
}

/// The figures of the README are those of the tables that programs write: none of them is of another day.
#[test]
fn figures_of_the_readme_are_those_of_the_tables() {
    let find = |rows: &[Vec<String>], name: &str| {
        rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let (readme, quality) = (rows("README.md"), rows("docs/quality.md"));
    let benchmarks = rows("docs/benchmarks.md");
    let of_set = find(&quality, "wcxb-dev");
    let mut compared = 0;
    // The table of the three models has fewer columns.
    for measured in benchmarks.iter().filter(|row| row.len() == 10) {
        let name = &measured[0];
        if name.is_empty() || name.contains("workers") || name.contains("libdeflate") {
            continue;
        }
        let shown = find(&readme, name);
        let (seconds, expected): (f64, f64) = (shown[1].parse().unwrap(), measured[1].parse().unwrap());
        assert!((seconds - expected).abs() < 0.0501, "{name}: {seconds}");
        assert_eq!((&shown[2], &shown[3]), (&measured[6], &measured[9]), "{name}");
        match name.as_str() {
            "trommel fast" => assert_eq!(measured[9], of_set[4]),
            "trommel best" => assert_eq!(measured[9], of_set[8]),
            _ => {}
        }
        compared += 1;
    }
    assert_eq!(compared, 6);
    // Sets of which the README shows all pages that the table is of.
    for (name, set) in [
        ("articles in many languages (magic-html)", "magic-articles"),
        ("Chinese pages (zhweb)", "zhweb"),
        ("never trained on: news of 2011-12 in five languages (DAnIEL)", "daniel-dev"),
        ("blogs and news of 2012 with comments (test pages of the paper)", "dragnet-test"),
        ("news of 2008 with comments (L3S-GN1)", "l3s-gn1"),
        ("CleanEval, 2006", "cleaneval"),
    ] {
        let (shown, measured) = (find(&readme, name), find(&quality, set));
        assert_eq!(shown[1], measured[1], "{name}");
        assert_eq!((&shown[2], &shown[3]), (&measured[4], &measured[8]), "{name}");
    }
}
