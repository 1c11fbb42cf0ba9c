//! Running the program.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The sample archive, relative to the workspace.
pub const ARCHIVE: &str = "samples/wcxb-sample.warc.gz";

/// Exit code and output of a run of the program.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Standard output, after a check that the program ended well.
    #[track_caller]
    pub fn well(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.stderr);
        &self.stdout
    }
}

/// Runs the program in `folder`.
pub fn lab(folder: &Path, arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trommel-lab"))
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
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("..")
}
