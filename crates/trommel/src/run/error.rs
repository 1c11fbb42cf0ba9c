//! Errors of runs, each of one line: those that refuse a run, and those that end it early.

use std::error::Error as StdError;
use std::{fmt, io, path::Path};

use crate::{Error, ErrorKind};

/// A file, folder or URL, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {source}")]
struct PlaceError {
    place: String,
    source: Box<dyn StdError + Send + Sync>,
}

impl Error {
    /// Names the place that an error is about.
    pub(crate) fn at<E: Into<Box<dyn StdError + Send + Sync>>>(
        kind: ErrorKind,
        place: impl fmt::Display,
    ) -> impl Fn(E) -> Self {
        move |source| Self::new(kind, PlaceError { place: place.to_string(), source: source.into() })
    }

    /// An output cannot be written. The written part of unfinished files stays under a hidden name if
    /// [`Plan::state_file`](crate::run::Plan::state_file) is there to continue from, and is removed if not.
    pub(crate) fn output(path: &Path) -> impl Fn(io::Error) -> Self {
        Self::at(ErrorKind::Output, path.display())
    }

    /// The same of a file of an interrupted run. If the file has changed, the run cannot continue.
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

    /// The run cannot continue where another ended, for a reason that a place has.
    pub(crate) fn resume(place: &Path, reason: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::at(ErrorKind::Resume, place.display())(reason)
    }

    /// An input is another than the run read.
    pub(crate) fn changed(input: &str, change: &str) -> Self {
        let what = format!("has changed since the run read it: {change}; start afresh with --overwrite");
        Self::resume(Path::new(input), what)
    }

    /// A choice that cannot be used, or excludes another.
    pub(crate) fn setting(message: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Setting, message)
    }

    /// An output is there, and stays.
    pub(crate) fn exists(path: &Path, reason: &str) -> Self {
        Self::at(ErrorKind::Exists, path.display())(reason)
    }

    /// The run was stopped from outside.
    pub(crate) fn stopped() -> Self {
        Self::new(ErrorKind::Stopped, "stopped")
    }
}
