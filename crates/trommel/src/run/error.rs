//! Errors of runs, each of one line: those that refuse a run, and those that end it early.

use std::error::Error as StdError;
use std::{fmt, io, path::Path};

use crate::{Error, ErrorKind};

/// Error about a file, folder or URL, which its message names.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {source}")]
struct PlaceError {
    place: String,
    source: Box<dyn StdError + Send + Sync>,
}

impl Error {
    /// Returns a function for `map_err` that makes an error of the kind `kind` whose message begins with `place`.
    pub(crate) fn at<E: Into<Box<dyn StdError + Send + Sync>>>(
        kind: ErrorKind,
        place: impl fmt::Display,
    ) -> impl Fn(E) -> Self {
        move |source| Self::new(kind, PlaceError { place: place.to_string(), source: source.into() })
    }

    /// Returns a function for `map_err` that makes the error that an output cannot be written. Unfinished files stay
    /// under a hidden name if a [`Plan::state_file`](crate::run::Plan::state_file) allows the run to continue;
    /// otherwise they are removed.
    pub(crate) fn output(path: &Path) -> impl Fn(io::Error) -> Self {
        Self::at(ErrorKind::Output, path.display())
    }

    /// Returns a function for `map_err` that makes the error about an unfinished file of an interrupted run. If the
    /// file has changed, the error says that the run cannot continue.
    pub(crate) fn unfinished(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| match source.kind() {
            // The file is gone, shorter or other than the state says. All other errors are those of the disk.
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                let remedy = "restore its hidden file, or start afresh with --overwrite";
                Self::resume(path, format!("what the run had written of it is damaged ({source}); {remedy}"))
            }
            _ => Self::output(path)(source),
        }
    }

    /// Makes the error that an earlier run cannot be continued, for a reason found at the file or input `place`.
    pub(crate) fn resume(place: &Path, reason: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::at(ErrorKind::Resume, place.display())(reason)
    }

    /// Makes the error that an input has changed since the interrupted run read it.
    pub(crate) fn changed(input: &str, change: &str) -> Self {
        let what = format!("has changed since the run read it: {change}; start afresh with --overwrite");
        Self::resume(Path::new(input), what)
    }

    /// Makes the error that a setting of the user is invalid or excludes another.
    pub(crate) fn setting(message: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Setting, message)
    }

    /// Makes the error that an output exists and may not be replaced.
    pub(crate) fn exists(path: &Path, reason: &str) -> Self {
        Self::at(ErrorKind::Exists, path.display())(reason)
    }

    /// Makes the error that the run was stopped from outside.
    pub(crate) fn stopped() -> Self {
        Self::new(ErrorKind::Stopped, "stopped")
    }
}
