//! Runs the program and keeps its output and exit code.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::Value;

/// Arguments, exit code and output of a run of the program.
pub struct RunResult {
    pub arguments: Vec<String>,
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl RunResult {
    /// Returns standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Returns standard output, after a check that the exit code is 0.
    #[track_caller]
    pub fn well(&self) -> &str {
        assert_eq!(self.code, 0, "{:?}: {}", self.arguments, self.stderr);
        self.text()
    }

    /// Parses standard output as JSON, after a check that the exit code is 0.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.well()).unwrap()
    }

    /// Parses the JSON lines on standard output, after a check that the exit code is 0.
    #[track_caller]
    pub fn rows(&self) -> Vec<Value> {
        rows(self.well())
    }

    /// Asserts that the exit code is `code` and that standard error contains `words`.
    #[track_caller]
    pub fn ended(&self, code: i32, words: &str) -> &Self {
        assert_eq!(self.code, code, "{:?}: {}", self.arguments, self.stderr);
        self.said(words)
    }

    /// Asserts that standard error contains `words`.
    #[track_caller]
    pub fn said(&self, words: &str) -> &Self {
        assert!(self.stderr.contains(words), "{:?} did not say {words:?}: {}", self.arguments, self.stderr);
        self
    }
}

/// Parses a JSON file.
#[track_caller]
pub fn json_file(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Parses each line of a text as JSON.
#[track_caller]
pub fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the names of the entries of a folder.
#[track_caller]
pub fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Waits until `holds` returns true; fails with `what` after 120 s.
#[track_caller]
pub fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal to a process with the program `kill`.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

/// Runs the program in `folder` with `input` on standard input.
pub fn trommel(folder: &Path, arguments: &[&str], input: &[u8]) -> RunResult {
    trommel_under(folder, arguments, input, &[])
}

/// Runs the program in `folder` with `input` on standard input and additional environment variables.
pub fn trommel_under(folder: &Path, arguments: &[&str], input: &[u8], variables: &[(&str, &str)]) -> RunResult {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trommel"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .env_remove("SOURCE_DATE_EPOCH")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // A program that does not read its input closes the pipe.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    RunResult {
        arguments: arguments.iter().map(ToString::to_string).collect(),
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns the root of the workspace that cargo tests. The path known to the compiler may be that of another clone, if
/// clones share the target folder.
pub fn workspace() -> PathBuf {
    PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

/// Returns the folder of data too large for the repository; the folder may not exist.
pub fn shared() -> PathBuf {
    env::var_os("TROMMEL_SHARED").map_or_else(|| workspace().join("../shared"), PathBuf::from)
}
