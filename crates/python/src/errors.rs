//! Python exceptions, and conversions of errors to them.

use std::fmt::Display;

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::{create_exception, prelude::*};
use trommel::run::{FileReport, Summary};
use trommel::{Error, ErrorKind};

create_exception!(trommel_text, TrommelError, PyException, "What all exceptions of this module are.");
create_exception!(
    trommel_text,
    ArchiveError,
    TrommelError,
    "An archive or a record of it cannot be read. `file` names the archive and `offset` the stored byte, as far \
     as they are known."
);
create_exception!(trommel_text, RunError, TrommelError, "A run was refused, or ended before its end.");
create_exception!(trommel_text, ModelError, TrommelError, "A model is unknown or cannot be read.");

/// Converts any Rust error to the Python exception `TrommelError`.
pub(crate) fn told(error: impl Display) -> PyErr {
    TrommelError::new_err(error.to_string())
}

/// Converts the error of a refused call to the Python exception that matches its kind.
pub(crate) fn raised(error: Error) -> PyErr {
    let message = in_python(&error.to_string());
    match error.kind() {
        ErrorKind::Input => ArchiveError::new_err(message),
        ErrorKind::Model => ModelError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// Converts the error of a run that was refused or ended early to a `RunError`.
pub(crate) fn ended(error: Error) -> PyErr {
    RunError::new_err(in_python(&error.to_string()))
}

/// Names of command-line options that take no value.
const SWITCHES: [&str; 3] = ["overwrite", "resume", "follow"];

/// Replaces command-line options in a message by keywords of Python: `overwrite=True` for `--overwrite`, `hard_to` for
/// `--hard-to`, `whole_ranges=True` for `--set whole_ranges=true`.
fn in_python(message: &str) -> String {
    let message = message.replace(", or with -o - to standard output", "");
    let (mut told, mut is_setting) = (String::new(), false);
    for word in message.split_inclusive(' ') {
        if std::mem::take(&mut is_setting) {
            told.push_str(&word.replace("=true", "=True"));
        } else if word == "--set " {
            is_setting = true;
        } else if let Some(option) = word.strip_prefix("--") {
            let end = option.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(option.len());
            let (name, rest) = option.split_at(end);
            told.push_str(&name.replace('-', "_"));
            told.push_str(if SWITCHES.contains(&name) { "=True" } else { "" });
            told.push_str(rest);
        } else {
            told.push_str(word);
        }
    }
    told
}

/// Creates an `ArchiveError` about an archive and, if known, a byte offset in its stored bytes.
pub(crate) fn at_place(py: Python<'_>, message: String, file: &str, offset: Option<u64>) -> PyErr {
    let error = ArchiveError::new_err(message);
    let value = error.value(py);
    match value.setattr("file", file).and_then(|()| value.setattr("offset", offset)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Returns the first fault of a run as an exception: damage, an input that could not be read to its end, or failed
/// records. Returns `None` for a run without faults.
pub(crate) fn first_fault(py: Python<'_>, summary: &Summary) -> Option<PyErr> {
    let bad = |file: &&FileReport| file.error.is_some();
    if let Some(damage) = summary.damage.first() {
        let message =
            format!("{}: offset {}: {} ({} bytes lost)", damage.file, damage.offset, damage.what, damage.lost);
        return Some(at_place(py, message, &damage.file, Some(damage.offset)));
    }
    if let Some(file) = summary.files.iter().find(bad) {
        let message = file.error.clone().unwrap_or_default();
        return Some(at_place(py, message, &file.file, Some(file.stored_bytes)));
    }
    let failed = summary.files.iter().find(|file| file.failures > 0)?;
    let message = format!("{}: {} records failed", failed.file, failed.failures);
    Some(at_place(py, message, &failed.file, None))
}
