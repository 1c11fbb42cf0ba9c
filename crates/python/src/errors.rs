//! The exceptions.

use std::fmt::Display;

use pyo3::{create_exception, exceptions::PyException, prelude::*};
use trommel::run::{FileReport, Summary};

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

/// An error of a library as an exception.
pub(crate) fn told(error: impl Display) -> PyErr {
    TrommelError::new_err(error.to_string())
}

/// An exception with the place of its subject.
pub(crate) fn at_place(py: Python<'_>, message: String, file: &str, offset: Option<u64>) -> PyErr {
    let error = ArchiveError::new_err(message);
    let value = error.value(py);
    match value.setattr("file", file).and_then(|()| value.setattr("offset", offset)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The first thing that went wrong with an archive, as an exception: an input that could not be read to its
/// end, damage, or records that failed.
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
