//! Compares the Markdown extracted from generated pages with the Markdown or RST from which real generators made them
//! (`tests/generators`, recorded by `record.py` there).

use std::{collections::BTreeMap, fs};

use serde::Deserialize;

use crate::program::{trommel, workspace};

/// Constructs, as `GENERATOR: NAME`, that are known to differ from their source; no other may. The formulas are MathML
/// without TeX. The lines of code are separate elements, like examples in a row.
const KNOWN_MISSES: [&str; 14] = [
    "asciidoctor-docbook: caption of a table",
    "docutils: displayed formula",
    "doxygen: list of paragraphs",
    "draftjs-export: code",
    "draftjs-export: code of HTML",
    "draftjs-export: white space",
    "markdown-to-jsx: note",
    "mathjax-chtml: displayed formula",
    "mathjax-svg: displayed formula",
    "notion-x: tasks",
    "rouge-linewise: code",
    "rouge-linewise: code of HTML",
    "rouge-linewise: white space",
    "tth: quote",
];

/// Minimum number of page generators.
const MAKERS: usize = 190;
const DIFFERENT_MAKERS: usize = 120;
const CONSTRUCTS_EACH: usize = 12;
const EXACT_PERCENT: usize = 99;

/// Construct of Markdown, such as a table, as the source of a generated page states it.
#[derive(Deserialize)]
struct Construct {
    name: String,
    expected: String,
    /// Alternative Markdown with the same meaning.
    or: Option<String>,
    /// Second part of the construct, which must also be found.
    also: Option<String>,
}

impl Construct {
    fn is_in(&self, markdown: &str) -> bool {
        let is_formula = self.name.contains("formula");
        let forms = std::iter::once(&self.expected).chain(&self.or);
        let found = normalized(markdown, is_formula);
        let is_found = |form: &String| found.contains(&normalized(form, is_formula));
        forms.into_iter().any(is_found) && self.also.as_ref().is_none_or(is_found)
    }
}

/// Returns Markdown without languages of code and names of notes, which sources may omit. Removes white space and
/// braces of formulas, which MathML does not state.
fn normalized(markdown: &str, is_formula: bool) -> String {
    let line = |line: &str| match line.trim_start_matches([' ', '>']).strip_prefix("```") {
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
    // Pages whose start tags are nearly those of another (`difflib`, ratio .92).
    let twins: Vec<String> = serde_json::from_str(&read("twins.json")).unwrap();
    let (mut all, mut missing) = (0, Vec::new());
    // Of the makers with many constructs: their number, that of those that differ, their constructs, and the exact ones.
    let (mut makers, mut different, mut theirs, mut exact) = (0, 0, 0, 0);
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
        if names.len() >= CONSTRUCTS_EACH {
            makers += 1;
            different += usize::from(!twins.contains(page));
            theirs += names.len();
            exact += found.len();
        }
    }
    println!("{exact} of {theirs} constructs of {makers} makers are exact, {different} of them different");
    assert!(makers >= MAKERS && different >= DIFFERENT_MAKERS, "{makers} makers, {different} different");
    assert!(exact * 100 >= theirs * EXACT_PERCENT, "{exact} of {theirs}");
    println!("{} of {all} constructs of {} makers are exact", all - missing.len(), pages.len());
    assert_eq!(missing, KNOWN_MISSES);
}

#[test]
fn constructs_are_told_from_others() {
    let new_construct = |name: &str, expected: &str| Construct {
        name: name.to_owned(),
        expected: expected.to_owned(),
        or: None,
        also: None,
    };
    let code = new_construct("code", "```\na  b\n```");
    assert!(code.is_in("x\n\n```c\na  b\n```\n"));
    assert!(!code.is_in("```c\na b\n```\n"));
    let tabs = Construct { also: Some("```\nd\n```".to_owned()), ..new_construct("code", "```\na  b\n```") };
    assert!(tabs.is_in("```c\na  b\n```\n\n```\nd\n```\n") && !tabs.is_in("```c\na  b\n```\n"));
    assert!(new_construct("note", "> ```\n> a\n> ```").is_in("> ```c\n> a\n> ```\n"));
    assert!(new_construct("note", "[^1]: a").is_in("b[^2]\n\n[^2]: a\n"));
    assert!(new_construct("formula", "$a^{2}$").is_in("x $a ^ 2$"));
    assert!(!new_construct("code", "$a^{2}$").is_in("x $a ^ 2$"));
}
