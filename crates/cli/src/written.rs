//! Writes the files that options name: never over what a command reads, `-` for standard output.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use trommel::output::AtomicFile;

/// Refuses a file to write that the command reads.
///
/// # Errors
/// If `path` is one of the files in `read`, by this name or another.
pub fn refuse_inputs<P: AsRef<Path>>(path: &Path, read: impl IntoIterator<Item = P>) -> Result<()> {
    // What is not there yet is no input.
    let Ok(place) = path.canonicalize() else { return Ok(()) };
    if read.into_iter().any(|read| read.as_ref().canonicalize().is_ok_and(|read| read == place)) {
        bail!("{}: is read by the command; name another file to write", path.display());
    }
    Ok(())
}

/// Writes a text to a file, which appears when it is whole, or to standard output for `-`.
///
/// # Errors
/// Those of the system, with the name of the file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        return crate::out(text);
    }
    AtomicFile::write_all(path, text.as_bytes()).with_context(|| path.display().to_string())
}

/// Takes the name of a file that cannot be standard output.
pub fn file(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("expected the name of a file; ./- is a file of that name".to_owned()),
        name => Ok(name.into()),
    }
}
