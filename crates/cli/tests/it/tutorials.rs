//! Runs the tutorials as a reader would: every block of commands must succeed and print the lines shown below it.

use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

use serde_json::Value;

use crate::program::{names, rows, workspace};

/// Maximum number of words of a tutorial, so that it takes ten minutes.
const MAX_WORDS: usize = 500;

/// Returns the fenced code blocks of a Markdown text, each with its language.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap()).collect()
}

/// Runs commands in a shell that stops at the first error. Returns the output.
fn run(folder: &Path, commands: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_trommel")).parent().unwrap();
    let path = env::var_os("PATH").unwrap();
    let paths = std::iter::once(program.to_owned()).chain(env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-eu", "-c", commands])
        .current_dir(folder)
        .env("PATH", env::join_paths(paths).unwrap())
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{stdout}\n{stderr}");
    format!("{stdout}\n{stderr}")
}

/// Returns a temporary folder with the parts of a clone that the tutorials use.
fn clone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // Links keep what the commands write out of the clone.
    for part in ["samples", "pipelines"] {
        symlink(workspace().canonicalize().unwrap().join(part), folder.path().join(part)).unwrap();
    }
    folder
}

/// Runs the code blocks of a tutorial one after the other in a clone, and checks the output.
fn follow(clone: &Path, name: &str) {
    let text = fs::read_to_string(workspace().join("docs/tutorials").join(name)).unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= MAX_WORDS, "{words} words");
    let (mut runs, mut shown, mut printed) = (0, 0, String::new());
    for (language, block) in blocks(&text) {
        match language {
            "sh" => {
                printed = run(clone, block);
                runs += 1;
            }
            "text" => {
                for line in block.lines() {
                    assert!(printed.contains(line), "{line} is not in:\n{printed}");
                    shown += 1;
                }
            }
            "json" => is_in(&clone.join("try/pages.jsonl"), block),
            "python" => python(clone, block),
            #[cfg(feature = "parquet")]
            "sql" => sql(clone, block),
            language => assert!(!language.is_empty(), "a block without a language in {name}"),
        }
    }
    assert!(runs > 2 && shown > 2, "{runs} blocks of commands, {shown} lines shown");
}

/// Asserts that an output contains a chunk as a tutorial shows it. If a text ends in an ellipsis, only its start is
/// compared. Ids and numbers need only the same form, because they change with the model.
fn is_in(output: &Path, shown: &str) {
    let shown: Value = serde_json::from_str(shown).unwrap();
    let is_shown = |(key, shown): (&String, &Value), chunk: &Value| match (shown.as_str(), chunk[key].as_str()) {
        (Some(_), Some(id)) if key == "id" => id.len() == 32,
        (None, None) if shown.is_number() => chunk[key].is_number(),
        (Some(shown), Some(text)) if shown.ends_with('…') => text.starts_with(shown.trim_end_matches('…')),
        _ => *shown == chunk[key],
    };
    let pages = rows(&fs::read_to_string(output).unwrap());
    let mut chunks = pages.iter().flat_map(|page| page["chunks"].as_array().unwrap());
    let found = chunks.any(|chunk| shown.as_object().unwrap().iter().all(|fact| is_shown(fact, chunk)));
    assert!(found, "no chunk of {} is as shown: {shown}", output.display());
}

/// Runs Python code and returns its output. Prints a notice and returns `None` if Python or `module` is missing.
fn in_python(clone: &Path, module: &str, code: &str) -> Option<String> {
    let python = |code: &str| Command::new("python3").args(["-c", code]).current_dir(clone).output();
    if !python(&format!("import {module}")).is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: a block of a tutorial: python3 has no module {module}");
        return None;
    }
    let made = python(code).unwrap();
    assert!(made.status.success(), "{code}\n{}", String::from_utf8_lossy(&made.stderr));
    Some(String::from_utf8(made.stdout).unwrap())
}

/// Runs a block of Python code, with the two functions that the tutorial leaves to its reader.
fn python(clone: &Path, block: &str) {
    let own = "stored = {}\nembed = len\ndef store(id, vector, url, headings):\n    assert url and vector\n    stored[id] = headings\n";
    if let Some(printed) = in_python(clone, "json", &format!("{own}{block}\nprint(len(stored))")) {
        assert!(printed.trim().parse::<usize>().unwrap() > 40, "{printed} chunks are stored");
    }
}

/// Checks that a table has the columns of a query, and runs the query if DuckDB is installed.
#[cfg(feature = "parquet")]
fn sql(clone: &Path, block: &str) {
    has_columns(&clone.join("try/table/a-00000.parquet"), block);
    let code = format!("import duckdb\nprint(len(duckdb.sql(r\"\"\"{block}\"\"\").fetchall()))");
    if let Some(printed) = in_python(clone, "duckdb", &code) {
        assert!(printed.trim().parse::<usize>().unwrap() > 0, "{block} finds nothing");
    }
}

/// Asserts that a Parquet file has the columns that a query names.
#[cfg(feature = "parquet")]
fn has_columns(table: &Path, query: &str) {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let reader = SerializedFileReader::new(fs::File::open(table).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let (selected, rest) = query.trim().strip_prefix("select ").unwrap().split_once(" from ").unwrap();
    let condition = rest.split_once(" where ").unwrap().1.split_once(" = ").unwrap().0;
    for column in selected.split(", ").chain([condition]) {
        assert!(schema.get_fields().iter().any(|field| field.name() == column), "{column} in {query}");
    }
}

#[test]
fn one_after_the_other_and_again_in_one_clone() {
    let clone = clone();
    for _ in 0..2 {
        follow(clone.path(), "rag.md");
        if cfg!(feature = "parquet") {
            follow(clone.path(), "corpus.md");
        }
        follow(clone.path(), "crawler.md");
        if cfg!(feature = "index") {
            follow(clone.path(), "search.md");
        }
        if cfg!(feature = "train") {
            follow(clone.path(), "labels.md");
        }
    }
}

#[test]
fn every_tutorial_has_a_test() {
    let folder = workspace().join("docs/tutorials");
    let source = fs::read_to_string(workspace().join("crates/cli/tests/it/tutorials.rs")).unwrap();
    let summary = fs::read_to_string(workspace().join("docs/SUMMARY.md")).unwrap();
    let mut tutorials = 0;
    for name in names(&folder) {
        assert!(summary.contains(&format!("(tutorials/{name})")), "{name} is not in docs/SUMMARY.md");
        if name != "README.md" {
            assert!(source.contains(&format!("\"{name}\"")), "nothing runs {name}");
            tutorials += 1;
        }
    }
    assert!(tutorials >= 5, "{tutorials} tutorials");
}
