//! Reads and writes WACZ containers: ZIP files with archives, their index, lists of pages, and hashes of all files.
//!
//! [`Container`] lists its files from the directory at its end, and is refused without a valid directory. The format
//! asks for archives without ZIP compression. Such an archive is a [`Window`] on the bytes of the container, so readers
//! can seek in it. A deflated archive can only be read from its start. [`PageList`] reads `pages/*.jsonl`, and
//! [`collection`] lists the containers of a multi-WACZ. [`write_texts`] copies a container and adds texts to its pages.
//!
//! Nothing is unpacked to disk, so names in a container cannot overwrite files. Dangerous names are refused
//! nevertheless.

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

/// Error of a WACZ container or of an entry in it, with a message of one line that names the container.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaczError {
    /// The bytes of the container cannot be read or written.
    #[error("{name}: {source}")]
    Io {
        /// Name of the container.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is not a ZIP file, or its directory is missing.
    #[error("{name}: no WACZ file: {what}")]
    NotZip {
        /// Name of the container.
        name: String,
        /// Description of the fault in the ZIP file.
        what: String,
    },
    /// The ZIP file has no archive in `archive/`.
    #[error("{name}: no WARC file in archive/")]
    NoArchive {
        /// Name of the container.
        name: String,
    },
    /// An entry of the container cannot be read.
    #[error("{name}!{entry}: {what}")]
    Entry {
        /// Name of the container.
        name: String,
        /// Name of the entry that cannot be read.
        entry: String,
        /// Reason why the entry cannot be read.
        what: String,
    },
    /// An entry that should be JSON (`datapackage.json`, a list of pages) is not valid.
    #[error("{name}!{entry}: {source}")]
    Json {
        /// Name of the container.
        name: String,
        /// Name of the invalid entry.
        entry: String,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
}
