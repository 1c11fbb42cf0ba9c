//! WACZ containers: ZIP files that hold archives, their index, a list of pages, and hashes of all files.
//!
//! [`Container`] lists its files from the directory at its end. If that is missing or damaged, it reads the
//! headers of the entries themselves. The format asks for archives without ZIP compression. Such an archive
//! is a [`Window`] on the bytes of the container, so readers can seek in it. A deflated one can only be read
//! from its start. [`PageList`] reads `pages/*.jsonl`, and [`collection`] lists the containers of a
//! multi-WACZ. [`write_texts`] copies a container and adds texts to its pages.
//!
//! Nothing is unpacked to disk, so names in a container lead nowhere. Dangerous names are refused all the
//! same.

mod bytes;
mod collection;
mod container;
mod directory;
mod entry;
mod error;
mod hashes;
mod pages;
#[cfg(test)]
mod tests;
mod write;

pub use bytes::{Bytes, Open, Window};
pub use collection::collection;
pub use container::Container;
pub use directory::UnreadEntries;
pub use entry::{Entry, StorageMethod};
pub use error::WaczError;
pub use hashes::Fault;
pub use pages::PageList;
pub use write::{TextsWritten, write_texts};
