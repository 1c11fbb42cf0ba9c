//! Writes documents: JSON lines, MessagePack, WET.
//!
//! An [`Entry`] is turned into bytes by an [`Encode`], which is pure and so can run in any worker;
//! the bytes are then appended in order to one [`Shard`] an output, which compresses them in
//! [`Frames`] and appears under its name only when whole; interrupted, it can be gone on with.

mod atomic;
mod disk;
mod encode;
mod entry;
mod error;
mod format;
mod frames;
mod id;
mod jsonl;
mod msgpack;
mod row;
mod shard;
mod stream;
mod wet;

pub use atomic::AtomicFile;
pub use disk::{Disk, DiskFile, LocalDisk};
pub use encode::{Encode, Head, encoder};
pub use entry::{Entry, Source};
pub use error::SinkError;
pub use format::{Compression, Format, UnknownName};
pub use frames::Frames;
pub use id::record_id;
pub use jsonl::Jsonl;
pub use msgpack::Msgpack;
pub use shard::{Assemble, Shard, discard, hidden, publish};
pub use stream::Stream;
pub use wet::Wet;
