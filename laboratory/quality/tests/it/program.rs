//! Running the program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Exit code and output of a run of the program.
pub struct RunResult {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl RunResult {
    /// Standard output, after a check that the program ended well.
    #[track_caller]
    pub fn well(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.stderr);
        &self.stdout
    }
}

/// Runs the program in `folder`.
pub fn trommel_quality(folder: &Path, arguments: &[&str], input: &[u8]) -> RunResult {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trommel-quality"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The inputs of these tests fit into a pipe; a program that does not read closes it.
    drop(child.stdin.take().unwrap().write_all(input));
    let output = child.wait_with_output().unwrap();
    RunResult {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The root of the workspace, as cargo says it when the test runs: what the compiler says may be
/// another clone that shares the target folder.
pub fn workspace() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}
