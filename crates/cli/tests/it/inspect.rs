//! Tests `trommel inspect`.

use std::fs;
use std::path::Path;

use trommel::Model;
use trommel_model::features::{FeatureGroup, Schema, TypeWords};
use trommel_model::{
    Additive, ColumnWeight, FORMAT, Linear, ModelFile, PageTypeScorer, Scorer, Selection, StepFunction, Training,
    TreeNode, Trees, VERSION, WeightedScorer,
};

use crate::program::{RunResult, trommel, workspace};

const PARAGRAPH: &str =
    "The mill stands by the river, and its wheel has turned there for two hundred years, in wet years and in dry ones.";

/// Returns a model with a linear part, an additive part and trees, which keeps long blocks without links.
fn model() -> ModelFile {
    let groups = vec![FeatureGroup::Shallow, FeatureGroup::Text];
    let columns = Schema::new(&groups, &[], &[], &[]).names().to_vec();
    let column = |name: &str| {
        let at = columns.iter().position(|known| known == name).unwrap();
        u16::try_from(at).unwrap()
    };
    let weight = |name, weight| ColumnWeight { column: column(name), weight, deviation: 1.0 };
    let linear =
        Linear { intercept: -1.25, weights: vec![weight("link_density", -2.5), weight("text.log_words", 1.1)] };
    let steps = columns.iter().enumerate().map(|(at, _)| StepFunction {
        column: u16::try_from(at).unwrap(),
        edges: vec![0.01, 2.0],
        weights: vec![-0.011 * at as f32, 0.013 * at as f32, 0.017],
    });
    let additive = Additive { intercept: 0.4, step_functions: steps.collect(), crosses: vec![] };
    let trees = Trees {
        base: 0.1,
        nodes: vec![
            TreeNode::Split { column: column("text.log_words"), threshold: 2.0, left: 1, right: 2 },
            TreeNode::Leaf { value: -1.5 },
            TreeNode::Leaf { value: 1.25 },
        ],
        roots: vec![0],
    };
    ModelFile {
        format: FORMAT.into(),
        version: VERSION,
        name: "of the test".into(),
        created: "2026-01-01".into(),
        groups,
        columns,
        parts: [Scorer::Linear(linear), Scorer::Additive(additive), Scorer::Trees(trees)]
            .into_iter()
            .zip([0.5, 0.25, 0.75])
            .map(|(scorer, share)| WeightedScorer { share, scorer })
            .collect(),
        listed: vec![],
        attribute_weights: vec![],
        word_weights: vec![],
        type_words: TypeWords::default(),
        known_words: 0.0,
        page_types: vec![PageTypeScorer { name: "story".into(), scorer: Additive::default(), sharpness: 1.0 }],
        embedded: None,
        pooling: 0.0,
        band: None,
        lists: None,
        threads: None,
        few_metadata: false,
        selection: Selection::Threshold(0.5),
        adapted_from: None,
        training: Training::default(),
        scores: vec![],
    }
}

/// Runs `trommel inspect` with the model of [`model`].
fn inspect(folder: &Path, arguments: &[&str], input: &[u8]) -> RunResult {
    let path = folder.join("test.trommel");
    fs::write(&path, Model::new(model()).unwrap().to_bytes().unwrap()).unwrap();
    trommel(&workspace(), &[&["inspect", "--model", path.to_str().unwrap()], arguments].concat(), input)
}

/// Returns the text between the first `from` and the next `to`.
#[track_caller]
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no {to}")).0
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn blocks(report: &str) -> Vec<&str> {
    report.split("<article ").skip(1).collect()
}

fn fact<'a>(report: &'a str, name: &str) -> &'a str {
    between(report, &format!("<dt>{name}</dt><dd>"), "</dd>")
}

#[test]
fn the_page_and_every_block_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let html = format!(
        "<html lang=en><meta charset=utf-8><title>The mill</title><body><ul class=menu><li><a href=/>Home</a></ul>\
         <div id=main><h1>The mill</h1><p class='post-text'>{PARAGRAPH}</p><p hidden>Secret words</p></div>"
    );
    let page = folder.path().join("mill.html");
    fs::write(&page, &html).unwrap();
    let url = "https://example.org/mill?a=1&b=2";
    let ran = inspect(folder.path(), &[page.to_str().unwrap(), "--url", url], b"");
    let report = ran.well();
    assert_eq!(ran.stderr, "");
    assert!(report.starts_with("<!DOCTYPE html>"));
    assert_eq!(between(report, "<h1 dir=\"auto\">", "</h1>"), "The mill");
    assert_eq!(between(report, "<bdi>", "</bdi>"), "https://example.org/mill?a=1&#38;b=2");
    assert_eq!(fact(report, "page type"), "story (1.000)");
    assert_eq!(fact(report, "blocks kept"), "2 of 4", "the heading stays with its text");
    assert_eq!(fact(report, "words kept"), "25 of 28");
    assert_eq!(fact(report, "charset"), "utf-8 (meta)");
    assert_eq!(fact(report, "caps passed"), "none");
    assert_eq!(fact(report, "model"), "of the test of 2026-01-01");
    let confidence = number(fact(report, "confidence (expected F1)"));
    assert!(confidence > 0.5 && confidence <= 1.0, "{confidence}");

    let blocks = blocks(report);
    let texts: Vec<&str> =
        blocks.iter().map(|block| between(block, "<p class=\"t\" dir=\"auto\" lang=\"en\">", "</p>")).collect();
    assert_eq!(texts, ["Home", "The mill", PARAGRAPH, "Secret words"]);
    let paths: Vec<&str> = blocks.iter().map(|block| between(block, "<code>", "</code>")).collect();
    assert_eq!(paths, ["ul.menu › li › a", "div#main › h1", "div#main › p.post.text", "div#main › p"]);
    assert!(blocks[0].contains("1 word</span> <span>100% linked"));
    for (block, verdict) in blocks.iter().zip(["✕ dropped", "✓ kept", "✓ kept", "✕ dropped"]) {
        assert_eq!(between(block, "<b class=\"v\">", "</b>"), verdict);
    }
    let start = html.find(PARAGRAPH).unwrap();
    let bytes = format!("bytes {start}–{}", start + PARAGRAPH.len());
    assert!(blocks[2].contains(&bytes), "{bytes}");
    let hidden: Vec<bool> = blocks.iter().map(|block| block.contains(">hidden</b>")).collect();
    assert_eq!(hidden, [false, false, false, true]);
    let strip = between(report, "<svg", "</svg>");
    assert_eq!(strip.matches("<a href=\"#b").count(), 4);
    assert!(strip.contains("Block 3: kept, 0."));

    let written = folder.path().join("report.html");
    let arguments = [page.to_str().unwrap(), "--url", url, "-o", written.to_str().unwrap()];
    assert_eq!(inspect(folder.path(), &arguments, b"").well(), "");
    assert_eq!(fs::read_to_string(&written).unwrap(), report);
    assert_eq!(inspect(folder.path(), &["-", "--url", url], html.as_bytes()).well(), report);
}

#[test]
fn reasons_add_up_to_what_the_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let page = workspace().join("tests/pages/lists.html");
    let ran = inspect(folder.path(), &[page.to_str().unwrap()], b"");
    let report = ran.well();
    // The same figures from the program that does not explain.
    let model = folder.path().join("test.trommel");
    let arguments = ["extract", "-f", "blocks", "--model", model.to_str().unwrap()];
    let plain = trommel(&workspace(), &arguments, &fs::read(&page).unwrap()).rows();
    let blocks = blocks(report);
    assert!(plain.len() > 3);
    assert_eq!(blocks.len(), plain.len());
    for (block, plain) in blocks.iter().zip(&plain) {
        let p = plain["probability"].as_f64().unwrap();
        let odds = (p / (1.0 - p)).ln();
        let said = number(between(block, "why: log odds ", "</summary>"));
        assert!((said - odds).abs() < 1e-3, "{said} {odds}");
        // The topics add up exactly, in the report's four digits each.
        let topics = between(block, "<tbody>\n", "</tbody>");
        let by_topic: f64 = topics.lines().map(|line| number(line.split("<td>").nth(1).unwrap())).sum();
        assert!((by_topic - odds).abs() < 2e-3, "{by_topic} {odds}");
        let said = between(block, "<p class=\"said\">", "</p>");
        assert!(said.contains("or it: ") || said.contains("gainst it: "), "{said}");
    }
}

#[test]
fn a_hostile_page_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let attack =
        "</title></p></article><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>\" style='x'";
    let coded = attack.replace('&', "&amp;").replace('<', "&lt;");
    let html = format!(
        "<html lang=\"&quot;><script>alert(3)</script>\"><title>{coded}</title>\
         <div class='\"><script>alert(4)</script>'><x\"<script>alert(5)</script><p>{coded} {PARAGRAPH}</p>\
         <pre>\0\n</pre><p>\u{202e}override"
    );
    let url = "http://example.org/\"><script>alert(6)</script>";
    let ran = inspect(folder.path(), &["-", "--url", url], html.as_bytes());
    let report = ran.well();
    assert!(report.contains("&#60;script&#62;alert(1)&#60;/script&#62;"));
    assert!(report.contains("&#60;script&#62;alert(6)"));
    // Markup of the report itself only: the one script and no element or attribute that loads.
    assert_eq!(report.matches("<script").count(), 1);
    assert_eq!(report.matches("</article>").count(), blocks(report).len());
    assert_eq!(report.matches("</title>\n<style>").count(), 1);
    // Text and Markdown as they come out are text: nothing in them is a tag.
    let mut remainder = report.replace(&coded_for_report(attack), "");
    for _ in 0..2 {
        let shown = between(&remainder, "<pre dir=\"auto\"", "</pre>").to_owned();
        let (attributes, text) = shown.split_once('>').unwrap();
        assert!(text.contains("The mill stands"), "{text}");
        assert!(!text.contains('<') && !attributes.contains('<'), "{shown}");
        remainder = remainder.replacen("<pre dir=\"auto\"", "", 1).replacen(&shown, "", 1);
    }
    for loads in ["<img", "<link", "<iframe", "<a href=\"http", " src=", "url(", "@import", "onerror=\""] {
        assert!(!remainder.contains(loads), "{loads}");
    }
    assert!(!report.contains('\0'));
    let policy = between(report, "Content-Security-Policy\" content=\"", "\">");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(policy.contains("script-src 'sha256-"), "{policy}");
}

fn coded_for_report(text: &str) -> String {
    let text = text.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;").replace('"', "&#34;");
    text.replace('\'', "&#39;")
}

#[test]
fn long_pages_give_reports_that_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let html = "<div><p>one two three</p><p>---</p></div>".repeat(5000);
    let ran = inspect(folder.path(), &["-"], format!("{html}<p>{PARAGRAPH}").as_bytes());
    let report = ran.well();
    assert_eq!(fact(report, "blocks kept"), "1 of 5,001");
    assert_eq!(
        between(report, "<p class=\"note\">", "</p>"),
        "Reasons are shown for the 2,000 blocks with most words, of 5,001."
    );
    assert_eq!(report.matches("<details class=\"why\">").count(), 2000);
    assert!(blocks(report)[5000].contains("<details class=\"why\">"));
    assert_eq!(report.matches("<rect class=\"hit\"").count(), 2000);
    assert!(report.len() < 12_000_000, "{}", report.len());
}
