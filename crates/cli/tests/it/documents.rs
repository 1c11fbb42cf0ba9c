//! Checks the documents of the repository: their links, and their claims about the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::workspace;

/// Names of folders that hold no documents of the project.
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

/// Returns the targets of the inline links in a Markdown document, except those inside code.
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
fn readme_stays_short() {
    let words = fs::read_to_string(workspace().join("README.md")).unwrap().split_whitespace().count();
    assert!(words <= 900, "{words} words");
}

#[test]
fn readme_shows_a_result_before_the_list_of_commands() {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    let at = |wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("no {wanted}"));
    let screen = text.lines().take(45).collect::<Vec<_>>().join("\n").len();
    let first =
        ["git clone", "make demo", "target/demo/trommel", "(confidence ", "cargo install", "trommel_text import"];
    for (before, after) in first.into_iter().zip(first.into_iter().skip(1)) {
        assert!(at(before) < at(after), "{before} is not before {after}");
    }
    assert!(at("print(document") < screen, "the first screen has no Python");
    assert!(at("print(document") < at("trommel search"));
    assert!(at("trommel search") < at("docs/benchmarks.svg"));
}

/// Checks that the lines of text in the README are in the golden documents of the sample archive.
#[test]
fn readme_shows_the_text_of_sample_pages() {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    let (_, shown) = text.split_once("```text\n").unwrap();
    let shown = shown.split_once("```").unwrap().0;
    let golden = fs::read_dir(workspace().join("tests/golden")).unwrap().map(|entry| entry.unwrap().path());
    let golden: String = golden.map(|path| fs::read_to_string(path).unwrap()).collect();
    let lines = shown.lines().filter_map(|line| line.strip_prefix("    "));
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("...")).collect();
    assert!(lines.len() >= 7, "{lines:?}");
    for line in lines {
        assert!(golden.contains(line.trim_end_matches(" ...")), "{line}");
    }
    let heads: Vec<&str> = shown.lines().filter(|line| line.starts_with('[')).collect();
    assert!(heads.len() >= 2, "{heads:?}");
    for head in heads {
        let (title, rest) = head.split_once("] ").unwrap().1.split_once("   (confidence ").unwrap();
        let (_, page) = golden.split_once(&format!("title:      {title}\n")).unwrap_or_else(|| panic!("no {title}"));
        let (_, confidence) = page.split_once("confidence: ").unwrap();
        let confidence: f64 = confidence.lines().next().unwrap().parse().unwrap();
        let shown: f64 = rest.trim_end_matches(')').parse().unwrap();
        // Golden documents have three digits: rounded twice, a half may go the other way.
        assert!((shown - confidence).abs() < 0.0056, "{title}: {shown}, {confidence}");
    }
}

/// Returns the cells of each table row in a Markdown file, without marks of emphasis and code.
fn rows(file: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(workspace().join(file)).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("| "));
    let cell = |cell: &str| cell.replace(['*', '`'], "").trim().to_owned();
    lines.map(|line| line.trim_end_matches('|').split('|').map(cell).collect()).collect()
}

/// Checks that the figures in the README equal those in the tables that programs write, so that none is outdated.
#[test]
fn figures_of_the_readme_are_those_of_the_tables() {
    let find = |rows: &[Vec<String>], name: &str| {
        rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let (benchmarks, quality) = (rows("docs/benchmarks.md"), rows("docs/quality.md"));
    let of_set = find(&quality, "wcxb-dev");
    let readme = rows("README.md");
    let shown = readme.iter().filter(|row| row.len() == 4 && row[1].parse::<f64>().is_ok());
    let shown: Vec<&Vec<String>> = shown.collect();
    let names: Vec<&str> = shown.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["trommel fast", "FastWARC + Resiliparse", "rs-trafilatura", "warcio + trafilatura"]);
    for row in shown {
        let (name, measured) = (&row[0], find(&benchmarks, &row[0]));
        let (seconds, expected): (f64, f64) = (row[1].parse().unwrap(), measured[1].parse().unwrap());
        assert!((seconds - expected).abs() < 0.0501, "{name}: {seconds}");
        assert_eq!((&row[2], &row[3]), (&measured[6], &measured[9]), "{name}");
        if name == "trommel fast" {
            assert_eq!(row[3], of_set[4]);
        }
    }
    // Page types, as `fast` has them.
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    for (name, page_type) in [
        ("Articles", "article"),
        ("documentation", "documentation"),
        ("Forums", "forum"),
        ("listings", "listing"),
        ("collections", "collection"),
        ("products", "product"),
    ] {
        let measured: f64 = find(&quality, &format!("wcxb-dev: {page_type}"))[4].parse().unwrap();
        let (_, rest) = text.split_once(&format!("{name} (")).unwrap_or_else(|| panic!("no {name}"));
        let figure: f64 = rest.split_once(')').unwrap().0.parse().unwrap();
        assert!((figure - measured).abs() < 0.0051, "{name}: {figure}, measured {measured}");
    }
}
