//! Errors of a WACZ file.

use std::io;

/// Reason why a container, or an entry of one, cannot be used; each is one line that names it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaczError {
    /// The bytes cannot be read or written.
    #[error("{name}: {source}")]
    Io {
        /// The container.
        name: String,
        /// The error of the system.
        source: io::Error,
    },
    /// No ZIP file, or one without its directory.
    #[error("{name}: no WACZ file: {what}")]
    NotZip {
        /// The container.
        name: String,
        /// The fault.
        what: String,
    },
    /// A ZIP file without an archive in `archive/`.
    #[error("{name}: no WARC file in archive/")]
    NoArchive {
        /// The container.
        name: String,
    },
    /// A container that is not written anew, since something in it would be lost.
    #[error("{name}: not written anew, as this would be lost: {what}")]
    Unread {
        /// The container.
        name: String,
        /// The parts that are not read.
        what: String,
    },
    /// An entry that is not read.
    #[error("{name}!{entry}: {what}")]
    Entry {
        /// The container.
        name: String,
        /// The entry.
        entry: String,
        /// The reason.
        what: String,
    },
    /// A description (`datapackage.json`, a list of pages) that is none.
    #[error("{name}!{entry}: {source}")]
    Json {
        /// The container.
        name: String,
        /// The entry.
        entry: String,
        /// The fault of the JSON.
        source: serde_json::Error,
    },
}
