//! WACZ containers: ZIP files that hold archives, their index, a list of pages, and hashes of all files.
//!
//! [`Container`] lists its files from the directory at its end, and is refused without a sound one. The format asks for archives without ZIP compression. Such an archive
//! is a [`Window`] on the bytes of the container, so readers can seek in it. A deflated one can only be read
//! from its start. [`PageList`] reads `pages/*.jsonl`, and [`collection`] lists the containers of a
//! multi-WACZ. [`write_texts`] copies a container and adds texts to its pages.
//!
//! Nothing is unpacked to disk, so names in a container lead nowhere. Dangerous names are refused all the
//! same.
//!
//! Errors of a WACZ file.

mod container;
mod directory;
mod hashes;
mod page_lists;
#[cfg(test)]
mod tests;
mod write;

use std::io;

pub use container::Container;
pub use directory::{Bytes, Entry, Open, StorageMethod, Window};
pub use hashes::Fault;
pub use page_lists::{PageList, collection};
pub use write::{TextsWritten, write_texts};

/// The error that a container, or an entry of one, cannot be used; each is one line that names it.
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
