//! The documents of the tree: their links lead somewhere, and what is said of them holds.

use std::{
    fs,
    path::{Path, PathBuf},
};

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
    lines
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split([')', ' ']).next())
        .collect()
}

#[test]
fn links_lead_to_files() {
    let mut found = Vec::new();
    documents(&workspace(), &mut found);
    assert!(found.len() > 15, "{found:?}");
    let mut checked = 0;
    for document in &found {
        let text = fs::read_to_string(document).unwrap();
        for link in links(&text) {
            let (file, _) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") || file.is_empty() {
                continue;
            }
            let target = document.parent().unwrap().join(file);
            assert!(target.exists(), "{}: {link}", document.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} links");
}

#[test]
fn architecture_stays_short() {
    let text = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= 1500, "{words} words");
}

#[test]
fn readme_shows_a_result_before_the_list_of_commands() {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    let at = |wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("no {wanted}"));
    let screen = text.lines().take(40).collect::<Vec<_>>().join("\n").len();
    for first in [
        "cargo install", "trommel run ", "\"text\":", "docs/benchmarks.svg",
    ] {
        assert!(at(first) < screen, "{first} is not on the first screen");
    }
    assert!(at("\"text\":") < at("trommel search"));
}
