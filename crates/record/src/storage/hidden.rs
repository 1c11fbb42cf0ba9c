//! Hidden names for files that are not yet complete.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The hidden name beside `path`: `.NAME.suffix`.
///
/// # Errors
/// If `path` has no file name.
pub fn hidden(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let mut name = hidden_prefix(path)?;
    name.push(suffix);
    Ok(path.with_file_name(name))
}

/// The beginning of every hidden name of `path`: `.NAME.`.
///
/// # Errors
/// If `path` has no file name.
pub(super) fn hidden_prefix(path: &Path) -> io::Result<OsString> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"))?;
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    Ok(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_stand_beside_their_file() {
        assert_eq!(hidden(Path::new("a/b.jsonl"), "tmp").unwrap(), Path::new("a/.b.jsonl.tmp"));
        let kind = hidden(Path::new("a/.."), "tmp").unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::InvalidInput);
    }
}
