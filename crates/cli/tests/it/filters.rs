//! Filters, the configurations in `pipelines/`, and plans in words.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use trommel::Format;

use crate::program::{RunResult, json_file, trommel, workspace};
use crate::sample::{archive_path, page_record};

fn run(folder: &Path, arguments: &[&str]) -> RunResult {
    trommel(folder, &[&["run"], arguments].concat(), b"")
}

/// Documents by id and the counts of a run over the sample, given twice.
fn twice(config: &str) -> (BTreeMap<String, Value>, Value) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), config).unwrap();
    let archive = archive_path();
    let arguments = [&archive, &archive, "-o", "-", "--config", "c.toml", "--summary", "s.json"];
    let ran = run(folder.path(), &arguments);
    let documents = ran.well().lines().map(|line| {
        let document: Value = serde_json::from_str(line).unwrap();
        (document["id"].as_str().unwrap().to_owned(), document)
    });
    let documents: Vec<_> = documents.collect();
    let summary = json_file(folder.path().join("s.json"));
    assert_eq!(summary["documents"], documents.len());
    (documents.into_iter().collect(), summary)
}

#[test]
fn every_drop_is_counted_by_its_reason() {
    let (documents, summary) = twice(
        "[filters]\nmin_words = 400\nmin_confidence = 0.95\nlanguages = ['eng']\n\
         [filters.duplicates]\nexact = true\nnear = true\n",
    );
    assert!((3..20).contains(&documents.len()), "{}", documents.len());
    for document in documents.values() {
        assert!(document["confidence"].as_f64().unwrap() >= 0.95);
        assert!(document["text"].as_str().unwrap().split_whitespace().count() >= 300);
    }
    let drops = summary["drops"].as_object().unwrap();
    // All that was kept the first time is a copy the second time, and nothing is written twice.
    assert_eq!(drops["exact-duplicate"], documents.len());
    assert_eq!(summary["documents"], documents.len());
    for reason in ["too-short", "confidence"] {
        assert!(drops[reason].as_u64().unwrap() > 0, "{drops:?}");
    }
    let dropped: u64 = drops.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(summary["records"], 66);
    assert_eq!(dropped + documents.len() as u64, 66);
    assert_eq!(summary["forgotten"], 0);
}

#[test]
fn the_order_of_drops_does_not_depend_on_workers() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[filters]\nrules = ['c4', 'gopher', 'gopher-repetition']\n\
                  [filters.duplicates]\nexact = true\nnear = true\nmemory = 2000\n";
    fs::write(folder.path().join("c.toml"), config).unwrap();
    let archive = archive_path();
    let with = |jobs: &str| {
        let ran = run(folder.path(), &[&archive, &archive, "-o", "-", "--config", "c.toml", "-j", jobs]);
        ran.well().to_owned()
    };
    let one = with("1");
    assert!(one.lines().count() > 3);
    assert!(one == with("4"));
}

#[test]
fn pipelines_run_on_the_sample() {
    for name in ["common-crawl", "crawler", "index"] {
        let folder = tempfile::tempdir().unwrap();
        let config = workspace().join(format!("pipelines/{name}.toml"));
        let (archive, config) = (archive_path(), config.to_string_lossy().into_owned());
        run(folder.path(), &[&archive, "-o", "out", "--config", &config, "--summary", "s.json"]).well();
        let summary = fs::read(folder.path().join("s.json")).unwrap();
        let summary: Value = serde_json::from_slice(&summary).unwrap();
        let documents = summary["documents"].as_u64().unwrap();
        let least = if name == "common-crawl" { 8 } else { 28 };
        assert!((least..=32).contains(&documents), "{name}: {documents}");
    }
}

#[test]
fn every_pipeline_runs_with_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let html = "<title>Mill</title><h1>Mill</h1>".to_owned()
        + &"<p>The mill stands by the river, and its wheel has turned there for two hundred years.".repeat(9);
    fs::write(folder.path().join("a.warc"), page_record(1, "http://example.com/", &html)).unwrap();
    let files = fs::read_dir(workspace().join("pipelines")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(files.len() >= 3);
    for file in &files {
        let config = file.to_string_lossy();
        for format in Format::ALL {
            // Cargo features that this program may be without.
            if matches!(format, Format::Parquet) && !cfg!(feature = "parquet")
                || matches!(format, Format::Tantivy) && !cfg!(feature = "index")
            {
                continue;
            }
            let name = format.name();
            let out = format!("{}-{name}", file.file_stem().unwrap().to_string_lossy());
            run(folder.path(), &["a.warc", "-o", &out, "--config", &config, "-f", name]).well();
            let written = fs::read_dir(folder.path().join(&out)).unwrap();
            let mut names = written.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            assert!(names.any(|name| name.starts_with("a.")), "{out}");
        }
    }
    // What the file says of itself has its file, its line and what to do.
    fs::write(folder.path().join("c.toml"), "format = 'parquet'\n\ncompress = 'gz'\n").unwrap();
    let ran = run(folder.path(), &["a.warc", "-o", "out", "--config", "c.toml"]);
    ran.ended(2, "c.toml:3: ").said("leave the key out");
    // A pipe has no parts, whatever the file says.
    fs::write(folder.path().join("c.toml"), "split_size = 4096\n").unwrap();
    run(folder.path(), &["a.warc", "-o", "-", "--config", "c.toml"]).well();
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = workspace().join("pipelines/index.toml");
    let (archive, config) = (archive_path(), config.to_string_lossy().into_owned());
    let ran = run(folder.path(), &[&archive, "gone.warc", "-o", "out", "--config", &config, "--dry-run"]);
    let plan = ran.well();
    let size = fs::metadata(&archive).unwrap().len();
    let mut from = 0;
    for line in [
        "inputs: 2\n".to_owned(),
        format!("  {archive}: {size} bytes\n"),
        "  gone.warc: No such file".to_owned(),
        "  read: ".to_owned(),
        "  HTTP status: 200\n  robots: without noindex\n  extract: model fast (sha256 ".to_owned(),
        "\n  length: 10 words or more\n  exact duplicates: ".to_owned(),
        "\n  near duplicates: ".to_owned(),
        "\n  encode: jsonl, compression gz\n".to_owned(),
        "outputs:\n  out/wcxb-sample.jsonl.gz\n  out/gone.jsonl.gz\n".to_owned(),
    ] {
        from += plan[from..].find(&line).unwrap_or_else(|| panic!("{line:?} in {plan}"));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn unknown_keys_of_filters_are_errors_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), "[filters]\nstatus = [200]\nlanguage = ['en']\n").unwrap();
    let ran = run(folder.path(), &[&archive_path(), "-o", "out", "--config", "c.toml"]);
    assert_eq!(ran.code, 2);
    ran.said("c.toml:3: unknown key \"filters.language\", did you mean \"languages\"?");
}
