//! Compares the Markdown of generated pages with the Markdown or RST from which real generators made them
//! (`tests/generators`, recorded by `record.py` there).

use std::{collections::BTreeMap, fs};

use serde::Deserialize;

use crate::program::{trommel, workspace};

/// The constructs that are not written as their source says. No other may join them. The formulas are MathML without TeX,
/// which is text.
const KNOWN_MISSES: [&str; 6] = [
    "asciidoctor: tasks", "docutils: displayed formula", "doxygen: list of paragraphs",
    "mathjax-chtml: displayed formula", "mathjax-svg: displayed formula", "vitepress: short code",
];

/// Pages whose markup is nearly that of another, or that a variant of another generator wrote; by the sequences of
/// their start tags (`difflib`, ratio .92), those of all others differ.
const TWINS: [&str; 16] = [
    "cmark-gfm", "discount", "hugo-lines", "katex", "kramdown", "lowdown", "marked", "mathjax-chtml", "mathjax-svg",
    "mkdocs-material-lines", "mkdocs-readthedocs", "pandoc-katex", "pandoc-mathjax", "sphinx-alabaster", "sphinx-book",
    "sphinx-rtd",
];
/// Minimum number of generators beside the twins, of constructs for each, and of exact constructs in percent.
const DIFFERENT_GENERATORS: usize = 15;
const CONSTRUCTS_EACH: usize = 12;
const EXACT_PERCENT: usize = 98;

/// A construct of Markdown, as the source of pages has it.
#[derive(Deserialize)]
struct Construct {
    name: String,
    expected: String,
    /// Another form that means the same.
    or: Option<String>,
}

impl Construct {
    fn is_in(&self, markdown: &str) -> bool {
        let is_formula = self.name.contains("formula");
        let forms = std::iter::once(&self.expected).chain(&self.or);
        let found = normalized(markdown, is_formula);
        forms.map(|form| normalized(form, is_formula)).any(|form| found.contains(&form))
    }
}

/// Markdown without languages of code and names of notes, which sources need not state; formulas without white space and
/// braces, which MathML does not tell.
fn normalized(markdown: &str, is_formula: bool) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix("```") {
        Some(language) => line.strip_suffix(language).unwrap_or(line).to_owned(),
        None => match line.strip_prefix("[^").and_then(|rest| rest.split_once("]:")) {
            Some((_, note)) => format!("[^1]:{note}"),
            None => line.to_owned(),
        },
    };
    let text: Vec<String> = markdown.lines().map(line).collect();
    let text = text.join("\n");
    if is_formula {
        return text.replace(|c: char| c.is_whitespace() || matches!(c, '{' | '}'), "");
    }
    text
}

#[test]
fn pages_of_generators_give_their_sources() {
    let folder = workspace().join("tests/generators");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let constructs: Vec<Construct> = serde_json::from_str(&read("constructs.json")).unwrap();
    let pages: BTreeMap<String, Vec<String>> = serde_json::from_str(&read("pages.json")).unwrap();
    assert!(pages.len() >= 30, "{} generators", pages.len());
    let (mut all, mut missing) = (0, Vec::new());
    // Of the generators that differ: their number, their constructs, and those that are exact.
    let (mut different, mut theirs, mut exact) = (0, 0, 0);
    for (page, names) in &pages {
        assert!(names.len() >= 11, "{page} has {} constructs", names.len());
        let file = format!("pages/{page}.html");
        let url = "https://example.org/mill/";
        let ran = trommel(&folder, &["extract", "-f", "markdown", "--links", "--url", url, &file], b"");
        let markdown = ran.well();
        let is_in = |name: &&String| constructs.iter().find(|known| known.name == **name).unwrap().is_in(markdown);
        let (found, missed): (Vec<&String>, Vec<&String>) = names.iter().partition(is_in);
        let found: Vec<&str> = found.into_iter().map(String::as_str).collect();
        println!("{page}: {}", found.join(", "));
        missing.extend(missed.iter().map(|name| format!("{page}: {name}")));
        all += names.len();
        if names.len() >= CONSTRUCTS_EACH && !TWINS.contains(&page.as_str()) {
            different += 1;
            theirs += names.len();
            exact += found.len();
        }
    }
    println!("{exact} of {theirs} constructs of {different} different generators are exact");
    assert!(different >= DIFFERENT_GENERATORS, "{different} different generators");
    assert!(exact * 100 >= theirs * EXACT_PERCENT, "{exact} of {theirs}");
    println!("{} of {all} constructs of {} generators are exact", all - missing.len(), pages.len());
    assert_eq!(missing, KNOWN_MISSES);
}

#[test]
fn constructs_are_told_from_others() {
    let new_construct =
        |name: &str, expected: &str| Construct { name: name.to_owned(), expected: expected.to_owned(), or: None };
    let code = new_construct("code", "```\na  b\n```");
    assert!(code.is_in("x\n\n```c\na  b\n```\n"));
    assert!(!code.is_in("```c\na b\n```\n"));
    assert!(new_construct("note", "[^1]: a").is_in("b[^2]\n\n[^2]: a\n"));
    assert!(new_construct("formula", "$a^{2}$").is_in("x $a ^ 2$"));
    assert!(!new_construct("code", "$a^{2}$").is_in("x $a ^ 2$"));
}
