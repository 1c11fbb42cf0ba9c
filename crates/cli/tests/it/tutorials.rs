//! Runs the tutorials as a reader would: every block of commands must succeed and print the lines shown below it.

use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

use crate::program::workspace;

/// Maximum words of a tutorial, so that it takes ten minutes.
const MAX_WORDS: usize = 500;

/// The fenced blocks of a page in Markdown, each with the language behind its fence.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap()).collect()
}

/// Runs commands in a shell that stops at the first error; returns their output.
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

/// A folder with what a clone has for tutorials.
fn clone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // Links keep what the commands write out of the clone.
    for part in ["samples", "pipelines"] {
        symlink(workspace().canonicalize().unwrap().join(part), folder.path().join(part)).unwrap();
    }
    folder
}

/// Runs the commands of a tutorial one block after the other in a clone.
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
            #[cfg(feature = "parquet")]
            "sql" => has_columns(&clone.join("try/table/a-00000.parquet"), block),
            _ => {}
        }
    }
    assert!(runs > 2 && shown > 2, "{runs} blocks of commands, {shown} lines shown");
}

/// Asserts that a table has the columns that a query names.
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
    for name in ["rag.md", "crawler.md", "rag.md"] {
        follow(clone.path(), name);
    }
    if cfg!(feature = "parquet") {
        follow(clone.path(), "corpus.md");
    }
    if cfg!(feature = "index") {
        follow(clone.path(), "search.md");
    }
}

#[test]
#[cfg(feature = "train")]
fn model_for_your_labels() {
    follow(clone().path(), "labels.md");
}

#[test]
fn every_tutorial_has_a_test() {
    let folder = workspace().join("docs/tutorials");
    let source = fs::read_to_string(workspace().join("crates/cli/tests/it/tutorials.rs")).unwrap();
    let summary = fs::read_to_string(workspace().join("docs/SUMMARY.md")).unwrap();
    let mut tutorials = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(summary.contains(&format!("(tutorials/{name})")), "{name} is not in docs/SUMMARY.md");
        if name != "README.md" {
            assert!(source.contains(&format!("\"{name}\"")), "nothing runs {name}");
            tutorials += 1;
        }
    }
    assert!(tutorials >= 5, "{tutorials} tutorials");
}
