//! Tests the structure of the workspace: the crates that each interface depends on, and the length of files. Cargo
//! itself rejects circular dependencies.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::workspace;

/// Names of the crates that users call: the program, the C library, the Python module and the service.
const DOORS: [&str; 4] = ["cli", "ffi", "python", "web"];
const MAX_CRATES: usize = 4;

/// Maximum number of lines of a file of product code, without the tests at its end.
const MAX_FILE_LINES: usize = 500;
/// Returns the names of the trommel crates under `[dependencies]` of a manifest, optional ones included.
fn own_dependencies(manifest: &str) -> Vec<&str> {
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split([' ', '.', '=']).next())
        .filter(|name| *name == "trommel" || name.starts_with("trommel-"))
        .collect()
}

#[test]
fn a_door_names_at_most_four_crates_of_ours() {
    for door in DOORS {
        let path = workspace().join("crates").join(door).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).unwrap();
        let dependencies = own_dependencies(&manifest);
        assert!(dependencies.contains(&"trommel"), "{door}: {dependencies:?}");
        assert!(dependencies.len() <= MAX_CRATES, "{door}: {dependencies:?}");
        // A table of its own (`[dependencies.trommel-x]`, or one by target) would not be counted.
        assert!(!manifest.contains("dependencies.trommel") && !manifest.contains("[target."), "{door}");
    }
}

/// Collects the Rust files in a folder and its subfolders, except files of tests.
fn product_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            product_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// Returns the number of lines before the test module at the end of a file, or of all lines if there is none.
fn product_lines(code: &str) -> usize {
    let lines: Vec<&str> = code.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].contains("mod ") && pair[1].ends_with('{'));
    tests.unwrap_or(lines.len())
}

/// Returns the code of the examples in the doc comments of a source file.
fn examples(source: &str) -> String {
    let mut is_code = false;
    let docs = source.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
    });
    let code = docs.filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        is_code && !is_fence
    });
    code.collect::<Vec<_>>().join("\n")
}

/// Returns the public functions of a source file in the form of a call: `.name(`, `Type::name(` or `name(`.
fn public_calls(source: &str) -> Vec<String> {
    let code = source.lines().take(product_lines(source)).collect::<Vec<_>>().join("\n");
    let mut calls = Vec::new();
    let mut owner = "";
    for (at, line) in
        code.match_indices('\n').map(|(at, _)| (at + 1, code[at + 1..].lines().next().unwrap_or_default()))
    {
        if let Some(rest) = line.strip_prefix("impl") {
            let rest = rest.rsplit(" for ").next().unwrap();
            let names = rest.trim_start_matches(|c: char| c != ' ').trim_start();
            owner = names.split(['<', ' ', '{']).next().unwrap();
        }
        let Some(function) = line.trim_start().strip_prefix("pub fn ") else { continue };
        let name = function.split(['(', '<']).next().unwrap();
        let arguments = code[at..].split_once('(').unwrap().1;
        let first = arguments.split([',', ')']).next().unwrap();
        calls.push(match (line.starts_with(' '), first.ends_with("self")) {
            (true, true) => format!(".{name}("),
            (true, false) => format!("{owner}::{name}("),
            (false, _) => format!("{name}("),
        });
    }
    calls
}

#[test]
fn every_public_function_of_the_library_has_an_example() {
    let mut files = Vec::new();
    product_files(&workspace().join("crates/trommel/src"), &mut files);
    let sources: Vec<String> = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let shown: String = sources.iter().map(|source| examples(source)).collect();
    let calls: Vec<String> = sources.iter().flat_map(|source| public_calls(source)).collect();
    assert!(calls.len() > 120, "{} functions", calls.len());
    let missing: Vec<&String> = calls.iter().filter(|call| !shown.contains(*call)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn files_are_short() {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace().join("crates")).unwrap() {
        product_files(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 200, "{}", files.len());
    let long = files.iter().filter_map(|path| {
        let lines = product_lines(&fs::read_to_string(path).unwrap());
        let name = path.strip_prefix(workspace()).unwrap().to_str().unwrap();
        (lines > MAX_FILE_LINES).then(|| format!("{name}: {lines}"))
    });
    let long: Vec<String> = long.collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// Returns the names directly after `crate::` in a path: a single name, or each name in braces.
fn first_names(path: &str) -> Vec<String> {
    if !path.starts_with('{') {
        let name = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_');
        return vec![name.collect()];
    }
    let mut depth = 0;
    let mut outer = String::new();
    for c in path.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match depth {
            0 => break,
            1 => outer.push(c),
            _ => {}
        }
    }
    let names = outer.split(['{', ',']).map(|name| name.trim().to_owned());
    names.collect()
}

/// Checks that modules of the run do not import types through `crate::run`. A capital letter marks a type.
#[test]
fn the_run_names_its_types_by_their_modules() {
    assert_eq!(first_names("{a::{X, Y}, b::C, D}")[1..], ["a::}", "b::C", "D"]);
    let mut files = Vec::new();
    product_files(&workspace().join("crates/trommel/src/run"), &mut files);
    for path in files.iter().filter(|path| !path.ends_with("src/run.rs")) {
        let lines = fs::read_to_string(path).unwrap();
        let lines = lines.lines().filter(|line| !line.trim().starts_with("//"));
        let code: String = lines.flat_map(|line| [line, "\n"]).collect();
        for (at, found) in code.match_indices("crate::run::") {
            let names = first_names(&code[at + found.len()..]);
            let is_type = |name: &&String| name.starts_with(char::is_uppercase);
            let through: Vec<&String> = names.iter().filter(is_type).collect();
            assert!(through.is_empty(), "{}: {through:?}", path.display());
        }
    }
}

/// Collects all Rust files in a folder and its subfolders, except `target`.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "target" {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

// Clones that share a target folder share its programs, so what the compiler wrote into one may
// be the folder of another clone, or of one that is gone.
#[test]
fn no_program_remembers_the_folder_it_was_built_in() {
    let mut files = Vec::new();
    for folder in ["crates", "laboratory"] {
        rust_files(&workspace().join(folder), &mut files);
    }
    assert!(files.len() > 300, "{} files", files.len());
    let compiled_in = concat!("env!(\"", "CARGO_MANIFEST_DIR", "\")");
    for file in files {
        assert!(!fs::read_to_string(&file).unwrap().contains(compiled_in), "{}", file.display());
    }
}
