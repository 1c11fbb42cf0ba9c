//! Tests plain text and Markdown on small pages in `tests/probes`, one page for each kind of structure that text must
//! not lose. The program writes the expected files; `said.list` adds what each page must contain.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};
use trommel::{Document, record::RecordReader};

use crate::golden::compare;
use crate::program::{names, rows, trommel, workspace};
use crate::sample::page_record;

/// Returns, from `said.list`, the name of each page and the texts that its Markdown must and must not contain.
fn said() -> Vec<(String, Vec<String>, Vec<String>)> {
    let text = fs::read_to_string(workspace().join("tests/probes/said.list")).unwrap();
    let part = |part: &str, sign: &str| {
        part.lines().filter_map(|line| line.strip_prefix(sign)).map(|line| line.replace('⏎', "\n")).collect()
    };
    let pages = text.split("\n== ").skip(1);
    pages.map(|page| (page.lines().next().unwrap().to_owned(), part(page, "+ "), part(page, "- "))).collect()
}

#[test]
fn probes_say_what_their_pages_mean() {
    let folder = workspace().join("tests/probes");
    for (name, said, unsaid) in said() {
        let ran = trommel(&folder, &["extract", "-f", "markdown", &format!("{name}.html")], b"");
        let markdown = ran.well();
        for said in said {
            assert!(markdown.contains(&said), "{name}: {said:?} in\n{markdown}");
        }
        for unsaid in unsaid {
            assert!(!markdown.contains(&unsaid), "{name}: no {unsaid:?} in\n{markdown}");
        }
    }
}

#[test]
fn golden_probes() {
    let folder = workspace().join("tests/probes");
    let (mut texts, mut markdowns) = (BTreeMap::new(), BTreeMap::new());
    for name in names(&folder) {
        let Some(stem) = name.strip_suffix(".html") else { continue };
        texts.insert(format!("{stem}.txt"), trommel(&folder, &["extract", &name], b"").well().to_owned());
        let markdown = trommel(&folder, &["extract", "-f", "markdown", &name], b"");
        markdowns.insert(format!("{stem}.md"), markdown.well().to_owned());
    }
    assert_eq!(texts.len(), said().len());
    compare(&folder, ".txt", &texts);
    compare(&folder, ".md", &markdowns);
}

#[test]
fn spans_lead_back_to_the_page() {
    let folder = workspace().join("tests/probes");
    for name in ["lists", "tables", "quotes", "code-divs", "entities"] {
        let html = fs::read_to_string(folder.join(name).with_extension("html")).unwrap();
        let ran = trommel(&folder, &["extract", "-f", "json", "--spans", &format!("{name}.html")], b"");
        let json = ran.json();
        check_spans(name, &json, &html);
        assert!(json["spans"].as_array().unwrap().len() > 2, "{name}");
    }
}

/// Checks that the page text at every span of a document contains the words of the span's text in order.
fn check_spans(name: &str, document: &Value, html: &str) {
    let text: Vec<char> = document["text"].as_str().unwrap().chars().collect();
    let mut end = 0;
    for span in document["spans"].as_array().unwrap() {
        let number = |at: usize| span[at].as_u64().unwrap() as usize;
        assert!(number(0) >= end, "{name}: {span} before {end}");
        end = number(0) + number(1);
        let part: String = text[number(0)..end].iter().collect();
        let source = html[number(2)..number(2) + number(3)].replace("&amp;", "&");
        // A value that spans columns is repeated in each.
        let mut cells: Vec<&str> = part.trim_matches(['|', ' ']).split(" | ").collect();
        cells.dedup();
        let mut from = 0;
        for word in cells.join(" ").split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let found = source[from..].find(word);
            from += found.unwrap_or_else(|| panic!("{name}: {word} of {part:?} in {source:?}"));
        }
    }
}

/// Returns an archive of some probe pages, with one record for each.
fn archive_of(names: &[&str]) -> Vec<u8> {
    let record = |(at, name): (usize, &&str)| {
        let html = fs::read_to_string(workspace().join("tests/probes").join(name)).unwrap();
        page_record(at, &format!("http://example.com/{name}"), &html)
    };
    names.iter().enumerate().flat_map(record).collect()
}

#[test]
fn runs_write_spans_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let pages = ["tables.html", "entities.html", "hidden.html"];
    fs::write(path.join("a.warc"), archive_of(&pages)).unwrap();
    let run = |arguments: &[&str]| {
        let ran = trommel(path, &[&["run", "a.warc"], arguments].concat(), b"");
        ran.well().to_owned()
    };
    let plain = rows(&run(&["-o", "-"]));
    assert!(plain.iter().all(|value| value["spans"] == json!([]) && value["tables"] == json!([])));
    for form in [&[][..], &["--markdown"]] {
        let found = rows(&run(&[&["--spans", "--tables", "-o", "-"], form].concat()));
        assert_eq!(found.len(), pages.len());
        for (name, document) in pages.iter().zip(&found) {
            let html = fs::read_to_string(workspace().join("tests/probes").join(name)).unwrap();
            assert!(document["spans"].as_array().unwrap().len() > 2, "{name}");
            check_spans(name, document, &html);
        }
        assert_eq!(
            found[0]["tables"],
            json!([{
                "caption": "Days of the wheel",
                "header_rows": 1,
                "rows": [
                    ["Month", "Dry", "Wet"],
                    ["May", "none | all", "none | all"],
                    ["June", "3", "27"],
                    ["June", "4", "26"],
                ],
            }])
        );
        assert_eq!(found[1]["tables"], json!([]));
    }
    // A part that stands in the page as it is has exactly its bytes.
    let found = rows(&run(&["--spans", "-o", "-"]));
    let html = fs::read_to_string(workspace().join("tests/probes/entities.html")).unwrap();
    let text: Vec<char> = found[1]["text"].as_str().unwrap().chars().collect();
    let cuts = found[1]["spans"].as_array().unwrap().iter().map(|span| {
        let number = |at: usize| span[at].as_u64().unwrap() as usize;
        let part: String = text[number(0)..number(0) + number(1)].iter().collect();
        (part, &html[number(2)..number(2) + number(3)])
    });
    let cuts: BTreeMap<String, &str> = cuts.collect();
    assert_eq!(
        cuts.get("Größe & Gewicht des Rades, „vier Tonnen“, nennt der Müller jedem, der ihn danach fragt."),
        Some(
            &"Größe &amp; <b>Gewicht</b> des Rades, &bdquo;vier Tonnen&ldquo;, nennt der Müller jedem, der ihn danach fragt."
        )
    );
    // All formats say the same, and the configuration asks for it as well.
    fs::write(path.join("c.toml"), "spans = true\ntables = true\n").unwrap();
    run(&["-o", "a.jsonl", "--config", "c.toml"]);
    run(&["-o", "a.msgpack", "--spans", "--tables"]);
    let records = |name: &str| -> Vec<Document> {
        RecordReader::open(&path.join(name)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let lines = records("a.jsonl");
    assert_eq!(lines.len(), pages.len());
    assert!(lines.iter().all(|record| !record.spans.is_empty()));
    assert_eq!(lines[0].tables[0].rows[1], ["May", "none | all", "none | all"]);
    assert_eq!(records("a.msgpack"), lines);
    if cfg!(feature = "parquet") {
        run(&["-o", "a.parquet", "--spans", "--tables"]);
        assert_eq!(records("a.parquet"), lines);
    }
}
