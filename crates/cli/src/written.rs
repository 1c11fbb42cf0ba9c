//! Writes the files that options name: never over what a command reads, `-` for standard output.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use trommel::record::AtomicFile;

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

/// Refuses a file to write that is there already, unless it may be replaced. What is no regular file (`/dev/null`, a
/// pipe) is written to in any case.
///
/// # Errors
/// If `path` is there and `overwrite` is not set.
pub fn refuse_existing(path: &Path, overwrite: bool) -> Result<()> {
    if path.is_file() && !overwrite && path != Path::new("-") {
        bail!("{}: is there already; replace it with --overwrite", path.display());
    }
    Ok(())
}

/// Makes the folder of a file to write, and tries whether it can be written there: before the work, and not after
/// hours of it.
///
/// # Errors
/// Those of the system, with the name of the file.
pub fn prepare(path: &Path) -> Result<()> {
    AtomicFile::prepare(path).with_context(|| path.display().to_string())
}

/// Writes a text to a file, whose folder is made and which appears when it is whole, or to standard output for `-`.
///
/// # Errors
/// Those of the system, with the name of the file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        return crate::out(text);
    }
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        AtomicFile::write_all(path, text.as_bytes())
    };
    write().with_context(|| path.display().to_string())
}

/// Takes the name of a file that cannot be standard output.
pub fn file(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("expected the name of a file; ./- is a file of that name".to_owned()),
        name => Ok(name.into()),
    }
}
