//! Tests `trommel train`.

use std::{fs::File, io::Read as _};

use crate::program::{rows, trommel, workspace};
use crate::sample::{ARCHIVE, golds};
use flate2::read::MultiGzDecoder;

#[test]
fn a_trained_model_can_be_shown_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace();
    let model = folder.path().join("small.trommel");
    let model = model.to_str().unwrap();
    let train = ["train", "--pages", ARCHIVE, "--features", "paper", "--date", "2026-01-31", "-o", model];
    let ran = trommel(&workspace, &train, b"");
    let row = ran.well().lines().find(|line| line.starts_with("wcxb-sample")).unwrap();
    let f1: f64 = row.split_whitespace().last().unwrap().parse().unwrap();
    assert!(f1 > 0.4 && f1 < 1.0, "{row}");
    // How far it is, in words, and nothing of how it is made.
    ran.said("cross-validation: 2 of 5 folds");
    for internal in ["Selection", "ExpectedF1", "candidate", "penalty", "fold=", "sharpness"] {
        assert!(!ran.stderr.contains(internal), "{}", ran.stderr);
    }

    let shown = trommel(&workspace, &["model", "show", model], b"");
    for words in ["small", "2026-01-31", "wcxb-sample (32 pages)", "shallow, cetr, tokens"] {
        assert!(shown.well().contains(words), "{words}: {}", shown.text());
    }

    let f1 = |model: &str| {
        let ran = trommel(&workspace, &["eval", "--pages", ARCHIVE, "--json", "--model", model], b"");
        ran.json()["overall"]["f1"].as_f64().unwrap()
    };
    let (small, fast) = (f1(model), f1("fast"));
    assert!(small > 0.6 && small < 1.0, "{small}");
    assert_ne!(small, fast, "the model of the option is used");

    let again = folder.path().join("again.trommel");
    let mut train = train;
    train[train.len() - 1] = again.to_str().unwrap();
    let judged = folder.path().join("small.judged");
    let named = [&train[..], &["--name", "small", "--judged", judged.to_str().unwrap()]].concat();
    trommel(&workspace, &named, b"").well();
    let read = |path: &str| std::fs::read(path).unwrap();
    assert_eq!(read(model), read(train[train.len() - 1]), "training is deterministic");

    // What cross-validation said: a line about the run, then one a page.
    let mut lines = String::new();
    MultiGzDecoder::new(File::open(judged).unwrap()).read_to_string(&mut lines).unwrap();
    let lines = rows(&lines);
    assert_eq!((lines.len(), &lines[0]["model"]), (1 + golds().len(), &"small".into()));
    assert!(lines[1]["f1"].is_number(), "{}", lines[1]);
}

#[test]
fn a_shipped_model_is_adapted_to_own_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let adapt = |more: &[&str]| {
        trommel(&workspace(), &[&["train", "--from", "fast", "--pages", ARCHIVE][..], more].concat(), b"")
    };
    let model = path("own.trommel");
    let ran = adapt(&["-o", &model]);
    let scores: Vec<f64> = ran
        .well()
        .lines()
        .filter(|row| row.starts_with("wcxb-sample"))
        .map(|row| row.split_whitespace().last().unwrap().parse().unwrap())
        .collect();
    assert!(scores.len() == 2 && scores[1] >= scores[0], "{}", ran.text());
    assert!(!ran.stderr.contains("fewer than 30 pages"), "{}", ran.stderr);
    let shown = trommel(&workspace(), &["model", "show", &model], b"");
    for words in ["model      own ", "from       fast of ", "wcxb-sample (32 pages)"] {
        assert!(shown.well().contains(words), "{words}: {}", shown.text());
    }

    let lines: String = golds().values().take(10).map(|gold| format!("{gold}\n")).collect();
    let ten = path("ten.jsonl");
    std::fs::write(&ten, lines).unwrap();
    let ran = adapt(&["--gold", &ten, "-o", &path("ten.trommel")]);
    ran.well();
    ran.said("fewer than 30 pages");
    for internal in ["penalty", "gain=", "lost=", "pages="] {
        assert!(!ran.stderr.contains(internal), "{}", ran.stderr);
    }

    adapt(&["--learner", "linear", "-o", &model]).ended(2, "--learner");
}
