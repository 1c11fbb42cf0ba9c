//! `trommel-quality report`.

use std::{fs, path::Path, sync::Arc};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use trommel_extract::Extractor;
use trommel_learn::{
    EvalOptions, HeldOut, JudgedSet, LABEL_SHARE, Learner, TrainOptions, Weighting, evaluate, gold_beside, read_set,
    text_by, train,
};
use trommel_model::features::FeatureGroup;
use trommel_text::words::Rule;

use crate::program::{RunResult, trommel_quality, workspace};

/// Writes a file of judged pages of three pages, whose F1 are given, for a model of that name.
fn toy(folder: &Path, model: &str, f1: [f64; 3]) {
    let head = json!({
        "format": "trommel-judged", "version": 1, "model": model, "created": "2026-01-31", "folds": 5,
    });
    let page = |set: &str, id: &str, kind: &str, f1: f64, confidence: f64| {
        json!({
            "set": set, "record_id": format!("<{id}>"), "id": id, "page_type": kind, "lang": null,
            "words": [90, 10], "probabilities": [0.95, 0.25], "labels": [true, false],
            "confidence": confidence, "precision": f1, "recall": f1, "f1": f1,
            "oracle_f1": 0.875, "gold_words": 1234, "kept_words": 90,
        })
    };
    let lines = [
        head,
        page("wcxb-dev", "w-1", "article", f1[0], 0.9),
        page("wcxb-dev", "w-2", "product", f1[1], 0.5),
        page("aed424", "a-1", "article", f1[2], 0.7),
    ];
    let file = fs::File::create(folder.join(format!("{model}.judged"))).unwrap();
    let mut out = GzEncoder::new(file, Compression::fast());
    for line in lines {
        serde_json::to_writer(&mut out, &line).unwrap();
        std::io::Write::write_all(&mut out, b"\n").unwrap();
    }
    out.finish().unwrap();
}

#[track_caller]
fn has(text: &str, row: &str) {
    assert!(text.lines().any(|line| line == row), "no {row} in {text}");
}

#[test]
fn judged_pages_become_tables_and_plots() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    toy(folder, "lite", [1.0, 0.5, 0.75]);
    toy(folder, "fast", [0.96, 0.64, 0.95]);
    let write = |out: &str| {
        let judged = ["--judged", "lite.judged", "--judged", "fast.judged"];
        let ran = trommel_quality(
            folder,
            &[&["report"], &judged[..], &["-o", out, "--details", "details/tables.md"]].concat(),
            b"",
        );
        let files: Vec<String> = ran.well().lines().map(str::to_owned).collect();
        let read = |file: &String| fs::read_to_string(folder.join(file)).unwrap();
        (files.clone(), files.iter().map(read).collect::<Vec<_>>())
    };
    let (files, texts) = write("docs");
    assert_eq!(
        files,
        ["docs/quality.md", "docs/quality-calibration.svg", "docs/quality-confidence.svg", "details/tables.md"]
    );
    let text = &[&texts[0][..], &texts[3]].concat();
    // 35 floors, one for each model where it names none. lite: .75 on wcxb-dev and aed424. fast: .8 on
    // wcxb-dev, .95 on aed424, .96 on articles, .64 on products.
    has(text, "Of 35 floors of mean F1, 3 are met, 3 are missed and 29 are not measured.");
    has(text, "- fast on wcxb-dev: .800 against .878 (-0.0780)");
    has(text, "| wcxb-dev | 2 | .750 | .750 | .750 | .868 (-0.1180) | .800 | .800 | .800 | .878 (-0.0780) |");
    has(text, "| aed424 | 1 | .750 | .750 | .750 | .930 (-0.1800) | .950 | .950 | .950 | .930 |");
    has(text, "| wcxb-dev: article | 1 | 1.000 | 1.000 | 1.000 |  | .960 | .960 | .960 | .950 |");
    // Words: nine of ten at .95 are content, one of ten at .25 is none: .9 x .05 + .1 x .25 = .07.
    // Pages: by square roots 3 to 1: .75 x .05 + .25 x .25 = .1.
    has(text, "| all | 0.0700 | 0.1000 | 0.0700 | 0.1000 |");
    has(text, "| .900 to 1.000 | .900 | .950 | 1.000 | .900 | .950 | 1.000 |");
    // Confidence .9, .5, .7: the same order as 1, .5, .75 and .96, .64, .95.
    // Distances (.1 + 0 + .05) / 3 and (.06 + .14 + .25) / 3.
    has(text, "| all | 1.000 | 0.0500 | 1.000 | 0.1500 |");
    has(text, "| w-2 | wcxb-dev | product | .640 | .640 | .640 | .875 | 1,234 | 90 |");
    assert!(texts[1].contains(">by words</text>") && texts[1].ends_with("</svg>\n"));
    assert!(texts[2].contains(">fast</text>") && texts[2].ends_with("</svg>\n"));

    fs::create_dir(folder.join("again")).unwrap();
    assert_eq!(write("again").1, texts, "the same input gives the same bytes");
    let noted = format!("{}\n## Notes\n\nWritten by hand.\n", texts[0]);
    fs::write(folder.join("again/quality.md"), &noted).unwrap();
    assert_eq!(write("again").1[0], noted);
}

#[test]
fn what_training_leaves_is_what_the_report_needs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let samples = workspace().join("samples");
    let read = |archive: &Path| read_set(archive, &gold_beside(archive).unwrap()).unwrap();
    let sets = [read(&samples.join("wcxb-sample.warc.gz"))];
    let options = TrainOptions {
        name: "small".to_owned(),
        created: "2026-01-31".to_owned(),
        groups: FeatureGroup::PAPER.to_vec(),
        learner: Learner::Linear,
        label_share: LABEL_SHARE,
        weighting: Weighting::Pages,
        held_out: HeldOut::Hosts,
        folds: 5,
        list_sets: 0,
        thread_sets: 0,
        comments: true,
    };
    let trained = train(&sets, &options).unwrap();
    let (model, judged) = (path("small.trommel"), path("small.judged"));
    fs::write(&model, trained.model.to_bytes().unwrap()).unwrap();
    JudgedSet::new(&sets, &trained, true).write(Path::new(&judged), fs::File::create(&judged).unwrap()).unwrap();

    // The sample in the place of a set that the model was not trained on.
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    for ending in ["warc.gz", "gold.jsonl.gz"] {
        let from = samples.join(format!("wcxb-sample.{ending}"));
        fs::copy(from, data.join(format!("cleaneval.{ending}"))).unwrap();
    }
    let data = path("data");
    let report = |judged: &str| -> RunResult {
        let out = path("docs");
        let arguments = ["report", "--judged", judged, "--model", &model, "--data", &data, "-o", &out];
        trommel_quality(&workspace(), &arguments, b"")
    };
    report(&judged).well();
    let text = fs::read_to_string(folder.join("docs/quality.md")).unwrap();
    let same = |start: &str, expected: &[f64]| {
        let row = text.lines().find(|line| line.starts_with(start));
        let row = row.unwrap_or_else(|| panic!("no {start} in {text}"));
        let cells = row.split_whitespace().filter_map(|cell| cell.parse().ok());
        let found: Vec<f64> = cells.collect();
        assert_eq!(found[0], expected[0], "pages");
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 6e-4;
        let all = found[1..4].iter().zip(&expected[1..4]);
        assert!(all.into_iter().all(near), "{found:?} {expected:?}");
    };
    let score = &trained.model.file().scores[0];
    let measured = [f64::from(score.pages), score.precision, score.recall, score.f1];
    same("| wcxb-sample | ", &measured);
    let extractor = Extractor::new(Arc::new(trained.model.clone()));
    let options = EvalOptions { rule: Rule::Characters, comments: true };
    let mean = evaluate(&sets[0], |page| text_by(&extractor, page), &options).overall;
    let scores = mean.scores;
    let tested = [mean.pages as f64, scores.precision, scores.recall, scores.f1];
    same("| cleaneval | ", &tested);
    assert!(text.contains("\n- small on daniel-dev: ru\n"), "{text}");

    // Pages that another model judged are not set beside this one.
    toy(folder, "other", [1.0, 0.5, 0.75]);
    let ran = report(&path("other.judged"));
    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("not those of the model small"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    toy(folder, "lite", [1.0, 0.5, 0.75]);
    fs::write(folder.join("text.judged"), "no gzip").unwrap();
    for (arguments, words) in [
        (&["--judged", "none.judged"][..], "none.judged"),
        (&["--judged", "text.judged"], "text.judged"),
        (&["--judged", "lite.judged", "--data", "none"], "none: no folder"),
        (&["--judged", "lite.judged", "--model", "lite", "--model", "fast"], "1 files of judged pages but 2 models"),
    ] {
        let ran = trommel_quality(folder, &[&["report"], arguments].concat(), b"");
        assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        assert!(!folder.join("docs").exists(), "nothing is written");
    }
}
