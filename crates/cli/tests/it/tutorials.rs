//! Runs the tutorials as a reader would: every block of commands must succeed and print the lines shown below it.

use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

use crate::program::workspace;

/// Most words of a tutorial, so that it takes ten minutes.
const MAX_WORDS: usize = 500;

/// The fenced blocks of a page in Markdown, each with the language behind its fence.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap()).collect()
}

/// What the commands print, in a shell that stops at the first error.
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

/// Runs the commands of a tutorial one block after the other in one folder.
fn follow(name: &str) {
    let text = fs::read_to_string(workspace().join("docs/tutorials").join(name)).unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= MAX_WORDS, "{words} words");
    let folder = tempfile::tempdir().unwrap();
    // A clone has these folders. Links to them keep what the commands write out of the clone.
    for part in ["samples", "pipelines"] {
        symlink(workspace().canonicalize().unwrap().join(part), folder.path().join(part)).unwrap();
    }
    let (mut runs, mut shown, mut printed) = (0, 0, String::new());
    for (language, block) in blocks(&text) {
        match language {
            "sh" => {
                printed = run(folder.path(), block);
                runs += 1;
            }
            "text" => {
                for line in block.lines() {
                    assert!(printed.contains(line), "{line} is not in:\n{printed}");
                    shown += 1;
                }
            }
            _ => {}
        }
    }
    assert!(runs > 2 && shown > 2, "{runs} blocks of commands, {shown} lines shown");
}

#[test]
fn chunks_for_retrieval() {
    follow("rag.md");
}

#[test]
#[cfg(feature = "parquet")]
fn corpus_from_a_crawl() {
    follow("corpus.md");
}

#[test]
fn text_while_the_crawl_runs() {
    follow("crawler.md");
}

#[test]
#[cfg(feature = "index")]
fn search_index() {
    follow("search.md");
}

#[test]
#[cfg(feature = "train")]
fn model_for_your_labels() {
    follow("labels.md");
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
            assert!(source.contains(&format!("follow(\"{name}\")")), "nothing runs {name}");
            tutorials += 1;
        }
    }
    assert!(tutorials >= 5, "{tutorials} tutorials");
}
