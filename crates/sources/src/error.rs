//! Errors of reading files, objects behind URLs, and indexes of records.

use std::io;
use std::path::{Path, PathBuf};

/// Error that the bytes of a file or object cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Invalid or unsupported URL; holds the reason.
    #[error("not a usable address: {0}")]
    Address(String),
    /// File or object that does not exist.
    #[error("not found")]
    NotFound,
    /// Request that the server refuses, for example without credentials.
    #[error("access denied (docs/configuration.md names the variables for credentials, and for none)")]
    Denied,
    /// Redirect to a host that the user did not name; holds the name of the host.
    #[error("redirects to another host ({0}), which is asked only if you say so (run --follow-hosts)")]
    OtherHost(String),
    /// Redirect from the server of a bucket to another server; holds the name of its host.
    #[error("redirects to another server ({0}), which is not followed from a bucket")]
    OtherServer(String),
    /// Object that was replaced by another version while it was read.
    #[error("the object changed while it was read")]
    Changed,
    /// Failure of the server or the network after all retries; holds the message.
    #[error("{0}")]
    Failed(String),
    /// Server that is too slow in every try; holds the minimum number of bytes a second.
    #[error("fewer than {0} bytes a second")]
    TooSlow(u64),
    /// Server that does not return byte ranges of an object, although the reader needs them.
    #[error("the server gives no parts of it (ranges), which are needed here")]
    NoRanges,
    /// Read that ended early because the stop flag was set.
    #[error("stopped")]
    Stopped,
    /// File that cannot be read; holds the message of the system.
    #[error("{0}")]
    File(String),
    /// URL in a program that was built without network sources.
    #[error("this build reads no URLs (feature `remote`)")]
    NotBuilt,
}

impl From<SourceError> for io::Error {
    fn from(error: SourceError) -> Self {
        let kind = match error {
            SourceError::NotFound => io::ErrorKind::NotFound,
            SourceError::Denied => io::ErrorKind::PermissionDenied,
            SourceError::TooSlow(_) => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// Error that an index of records cannot be read, or names no wanted record.
#[derive(Debug, thiserror::Error)]
#[error("{path}{line}: {what}")]
#[non_exhaustive]
pub struct RecordIndexError {
    /// Path or URL of the index.
    pub path: PathBuf,
    /// Colon and number of the faulty line or row, counted from 1; empty if the fault has no line.
    pub line: String,
    /// Description of the fault in the index.
    pub what: String,
}

impl RecordIndexError {
    /// Returns a function that makes an error about the index at `path` from a message.
    pub(crate) fn of<E: ToString>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |error| Self { path: path.clone(), line: String::new(), what: error.to_string() }
    }
}
