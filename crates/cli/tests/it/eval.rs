//! Tests `trommel eval`.

use serde_json::Value;

use crate::program::{trommel, workspace};
use crate::sample::{ARCHIVE, golds};

#[test]
fn scores_overall_and_by_page_type() {
    let ran = trommel(&workspace(), &["eval", "--pages", ARCHIVE], b"");
    let lines: Vec<Vec<&str>> = ran.well().lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["wcxb-sample", "pages", "precision", "recall", "F1"]);
    let row = |start: &[&str]| -> (usize, f64) {
        let line = lines.iter().find(|line| line.starts_with(start)).unwrap();
        let rest = &line[start.len()..];
        assert_eq!(rest.len(), 4, "{line:?}");
        (rest[0].parse().unwrap(), rest[3].parse().unwrap())
    };
    let golds = golds();
    assert_eq!(row(&["overall"]).0, golds.len());
    let mut sum = 0.0;
    let types = ["article", "collection", "documentation", "forum", "listing", "product", "service"];
    for page_type in types {
        let (pages, f1) = row(&["type", page_type]);
        let expected = golds.values().filter(|gold| gold["page_type"] == page_type).count();
        assert_eq!(pages, expected, "{page_type}");
        sum += f1 * pages as f64;
    }
    let (pages, f1) = row(&["overall"]);
    assert!((f1 - sum / pages as f64).abs() < 2e-4, "{f1} is no mean of the types");
}

#[test]
fn json_holds_the_same() {
    let run = |more: &[&str]| {
        let ran = trommel(&workspace(), &[&["eval", "--pages", ARCHIVE, "--json"], more].concat(), b"");
        let mut lines = ran.well().lines();
        let report: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        assert_eq!(lines.next(), None);
        report
    };
    let report = run(&[]);
    assert_eq!(report["set"], "wcxb-sample");
    assert_eq!(report["overall"]["pages"], golds().len());
    assert_eq!(report["by_page_type"].as_object().unwrap().len(), 7);
    for key in ["precision", "recall", "f1"] {
        let score = report["overall"][key].as_f64().unwrap();
        assert!(score > 0.6 && score < 1.0, "{key} {score}");
    }
    // The pages have no comments apart and are in English, so neither option changes anything much.
    assert_eq!(run(&["--comments", "exclude"]), report);
    // Favoring precision costs recall, and the other way round.
    let favored = |favor: &str| {
        let report = run(&["--favor", favor]);
        ["precision", "recall"].map(|key| report["overall"][key].as_f64().unwrap())
    };
    let [precision, balanced, recall] = ["precision", "balanced", "recall"].map(favored);
    assert!(precision[0] > balanced[0] && balanced[0] > recall[0], "{precision:?} {balanced:?} {recall:?}");
    assert!(precision[1] < balanced[1] && balanced[1] < recall[1], "{precision:?} {balanced:?} {recall:?}");
    let strict = run(&["--strict-words"])["overall"]["f1"].as_f64().unwrap();
    assert!((strict - report["overall"]["f1"].as_f64().unwrap()).abs() < 0.01);
}
