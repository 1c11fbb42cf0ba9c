//! Errors of network sources, and URLs for display: without passwords and without the secrets of their queries.

use std::io;
use std::path::{Path, PathBuf};

/// The error that bytes of a file or of the network cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The address cannot be used.
    #[error("not a usable address: {0}")]
    Address(String),
    /// There is nothing at the address.
    #[error("not found")]
    NotFound,
    /// The server refuses.
    #[error("access denied (docs/configuration.md names the variables for credentials, and for none)")]
    Denied,
    /// The server sends the request on to a host that the user did not name.
    #[error("redirects to another host ({0}), which is asked only if you say so (run --follow-hosts)")]
    OtherHost(String),
    /// The server of a bucket sends the request on to another one.
    #[error("redirects to another server ({0}), which is not followed from a bucket")]
    OtherServer(String),
    /// The object is not the one that was begun.
    #[error("the object changed while it was read")]
    Changed,
    /// The server or the network failed, after all tries.
    #[error("{0}")]
    Failed(String),
    /// The server sends too slowly, in every try.
    #[error("fewer than {0} bytes a second")]
    TooSlow(u64),
    /// The server gives no parts of the object.
    #[error("the server gives no parts of it (ranges), which are needed here")]
    NoRanges,
    /// Reading was asked to end.
    #[error("stopped")]
    Stopped,
    /// A file cannot be read.
    #[error("{0}")]
    File(String),
    /// The program was built without network sources.
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

/// The error that an index of records cannot be read, or names no wanted record.
#[derive(Debug, thiserror::Error)]
#[error("{path}{line}: {what}")]
#[non_exhaustive]
pub struct RecordIndexError {
    /// Path of the index, or its URL.
    pub path: PathBuf,
    /// A colon and the number of the faulty line or row, from 1; empty if the fault has no line.
    pub line: String,
    /// Description of the fault.
    pub what: String,
}

impl RecordIndexError {
    /// Returns a function that makes an error about the index at `path` from a message.
    pub(crate) fn of<E: ToString>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |error| Self { path: path.clone(), line: String::new(), what: error.to_string() }
    }
}
