//! Runs the cases of `tests/cases`, which are files of commands with their expected output.
//!
//! `tests/cases/README.md` explains how a case is written.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, process::Command, thread};

use serde_json::Value;

use crate::program::workspace;
use crate::sample::{ARCHIVE, page_record};
use crate::wacz::{DEFLATED, STORED, zip};

/// Features that a case may require, and whether the program was built with each.
const FEATURES: [(&str, bool); 5] = [
    ("index", cfg!(feature = "index")),
    ("no index", !cfg!(feature = "index")),
    ("parquet", cfg!(feature = "parquet")),
    ("serve", cfg!(feature = "serve")),
    ("train", cfg!(feature = "train")),
];

/// Returns whether a text matches a pattern, in which `[..]` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| fits(rest, &text[at..]))
        }),
    }
}

/// Returns whether lines match the lines of a pattern, in which `...` stands for any number of lines.
fn fit(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|at| fit(rest, &lines[at..])),
        [first, rest @ ..] => lines.first().is_some_and(|line| fits(first, line)) && fit(rest, &lines[1..]),
    }
}

/// Returns the bytes of a file that a case describes by `lines`: an archive of pages, a WACZ file, or a plain text.
fn file(folder: &Path, name: &str, lines: &[&str]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if name.ends_with(".wacz") {
        let entries = lines.iter().map(|line| line.split(' ').collect::<Vec<_>>());
        let entries = entries.map(|entry| (entry[0] == "stored", entry[1], fs::read(folder.join(entry[2])).unwrap()));
        let entries: Vec<_> = entries.collect();
        return zip(&entries
            .iter()
            .map(|(is_stored, name, bytes)| (*name, if *is_stored { STORED } else { DEFLATED }, bytes.as_slice()))
            .collect::<Vec<_>>());
    }
    let Some(pages) = text.strip_prefix("-- ").filter(|_| name.ends_with(".warc")) else { return text.into_bytes() };
    let pages = pages.split("\n-- ").map(|page| page.split_once('\n').unwrap());
    (1..).zip(pages).flat_map(|(number, (url, html))| page_record(number, url, html)).collect()
}

/// Describes the first expectation of a case that the result of its command does not meet.
fn fault(expected: &[&str], code: i32, stdout: &str, stderr: &str) -> Option<String> {
    let exit = expected.iter().find_map(|line| line.strip_prefix('[')).unwrap_or("0]");
    let (exit, words) = exit.split_once(']').unwrap();
    if exit.parse() != Ok(code) {
        return Some(format!("exit code {exit}"));
    }
    let lines = expected.iter().filter_map(|line| line.strip_prefix('>'));
    let exact: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let said = stderr.contains(words.trim_start()) && (code != 2 || stdout.is_empty() || !exact.is_empty());
    let json = || -> Value {
        let rows = || stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
        serde_json::from_str(stdout).unwrap_or_else(|_| Value::Array(rows()))
    };
    let is_met = |line: &str| match line.split_once(' ').unwrap_or((line, "")) {
        ("!", words) => stderr.contains(words),
        ("?", words) => stdout.contains(words),
        ("!?", words) => !stdout.contains(words),
        (key, value) if key.starts_with('.') => {
            let expected: Value = serde_json::from_str(value.trim_start_matches("= ")).unwrap();
            json().pointer(&key.replace('.', "/")) == Some(&expected)
        }
        (start, _) => match &start[..1] {
            "[" => said,
            ">" => fit(&exact, &stdout.strip_suffix('\n').unwrap_or(stdout).split('\n').collect::<Vec<_>>()),
            _ => false,
        },
    };
    expected.iter().find(|line| !is_met(line)).map(ToString::to_string)
}

/// Runs the cases of a file whose titles contain `wanted`. Returns the number of checks, and the failures.
fn run(path: &Path, wanted: &str) -> (usize, Vec<String>) {
    let root = workspace().canonicalize().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_trommel")).parent().unwrap();
    let paths =
        env::join_paths([program.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())));
    let paths = paths.unwrap();
    let (text, prelude) =
        (fs::read_to_string(path).unwrap(), fs::read_to_string(root.join("tests/cases/prelude.sh")).unwrap());
    let (mut folder, mut faults, mut checks, mut is_wanted) = (tempfile::tempdir().unwrap(), Vec::new(), 0, false);
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let mut until = |ends: &dyn Fn(&str) -> bool| -> Vec<&str> {
            std::iter::from_fn(|| lines.next_if(|(_, line)| !ends(line))).map(|(_, line)| line).collect()
        };
        if let Some(title) = line.strip_prefix("## ") {
            folder = tempfile::tempdir().unwrap();
            is_wanted = title.contains(wanted);
        } else if let Some(feature) = line.strip_prefix("# needs ") {
            is_wanted &= FEATURES.contains(&(feature, true));
        } else if let Some(name) = line.strip_prefix("== ") {
            let lines = until(&|line| line == "==");
            if !is_wanted {
                continue;
            }
            let bytes = file(folder.path(), name, &lines);
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        } else if let Some(command) = line.strip_prefix("$ ") {
            let expected = until(&|line| line.is_empty() || line.starts_with(['$', '#', '=']));
            if !is_wanted {
                continue;
            }
            checks += 1 + expected.len();
            let output = Command::new("sh")
                .args(["-euc", &format!("{prelude}\n{command}")])
                .current_dir(folder.path())
                .env("PATH", &paths)
                .env("ROOT", &root)
                .env("SAMPLE", root.join(ARCHIVE))
                .env_remove("RUST_LOG")
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            if let Some(fault) = fault(&expected, output.status.code().unwrap_or(-1), &stdout, &stderr) {
                let name = path.file_name().unwrap().display();
                faults.push(format!(
                    "{name}:{}: {command}\nnot met: {fault}\n{}\n{stdout}{stderr}",
                    at + 1,
                    output.status
                ));
            }
        }
    }
    (checks, faults)
}

/// Runs all cases, or only those whose titles contain the value of `TROMMEL_CASES`.
#[test]
fn cases_hold() {
    let wanted = env::var("TROMMEL_CASES").unwrap_or_default();
    let files = fs::read_dir(workspace().join("tests/cases")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "txt")).collect();
    let (files, found) = (Mutex::new(files.into_iter()), Mutex::new((0, Vec::new())));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = { files.lock().unwrap().next() } {
                    let (checks, faults) = run(&path, &wanted);
                    let mut found = found.lock().unwrap();
                    found.0 += checks;
                    found.1.extend(faults);
                }
            });
        }
    });
    let (checks, faults) = found.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checks > 0);
    println!("{checks} checks");
}
