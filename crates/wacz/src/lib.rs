//! WACZ containers: ZIP files that hold archives, their index, a list of pages and hashes of all that.
//!
//! [`Container`] lists what is in one, from the directory at its end, or, where that is missing or
//! damaged, from the headers of the entries themselves. An archive that is stored as it is, as the
//! format asks for, is a [`Window`] on the container's bytes, so that readers can seek in it; one that is
//! deflated can be read from its start only. [`PageList`] is what `pages/*.jsonl` says; [`collection`] the
//! containers that a multi-WACZ names; [`write_texts`] makes a container anew with texts beside its pages.
//!
//! Nothing is ever unpacked to disk, so that names in a container lead nowhere; those that would are refused
//! all the same.

mod bytes;
mod collection;
mod container;
mod directory;
mod entry;
mod error;
mod hashes;
mod pages;
mod salvage;
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
