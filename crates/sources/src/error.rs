//! Errors of network sources.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why bytes do not come from where they are.
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
    /// The server sends a signed request on to another one.
    #[error("redirects a signed request to another server ({0}), which is not followed")]
    SignedRedirect(String),
    /// The server sends the request on and on.
    #[error("more than {0} redirects")]
    Redirects(usize),
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

/// Reason why an index cannot be used; each is one line naming the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordIndexError {
    /// The file cannot be read, or is no index.
    #[error("{path}: {what}")]
    Unread {
        /// The file.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// A line or row that names no record.
    #[error("{path}:{line}: {what}")]
    Row {
        /// The index.
        path: PathBuf,
        /// Number of the line or row, from 1.
        line: usize,
        /// The fault.
        what: String,
    },
    /// No row, or none that meets the condition.
    #[error("{path}: names no record, or none that is wanted")]
    Empty {
        /// The index.
        path: PathBuf,
    },
}

impl RecordIndexError {
    /// Names the file that an error is about.
    pub(crate) fn of<E: ToString>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |error| Self::Unread { path: path.clone(), what: error.to_string() }
    }

    /// The same of an index at another path.
    pub(crate) fn at(self, path: &Path) -> Self {
        let path = path.to_owned();
        match self {
            Self::Unread { what, .. } => Self::Unread { path, what },
            Self::Row { line, what, .. } => Self::Row { path, line, what },
            Self::Empty { .. } => Self::Empty { path },
        }
    }
}
