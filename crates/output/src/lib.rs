//! Writes documents: JSON lines, MessagePack, WET, Anserini collections, TREC web, `_bulk` requests.
//!
//! An [`Entry`] is turned into bytes by an [`Encode`], which is pure and so can run in any worker;
//! the bytes are then appended in order to one [`Shard`] an output, which compresses them in
//! [`Frames`] and appears under its name only when whole; interrupted, it can be gone on with.

mod anserini;
mod atomic;
mod bulk;
mod disk;
mod encode;
#[cfg(feature = "endpoint")]
mod endpoint;
mod entry;
mod error;
mod format;
mod frames;
mod id;
mod jsonl;
mod msgpack;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod searched;
mod shard;
mod stored;
mod stream;
mod trec;
mod wet;

pub use anserini::Anserini;
pub use atomic::AtomicFile;
pub use bulk::{BULK_MAPPING, Bulk};
pub use disk::{Disk, DiskFile, LocalDisk};
pub use encode::{Encode, Head, encoder};
#[cfg(feature = "endpoint")]
pub use endpoint::{Endpoint, EndpointError, Refused, Sent};
pub use entry::{Entry, Source};
pub use error::SinkError;
pub use format::{Compression, Format, UnknownName};
pub use frames::Frames;
pub use id::record_id;
pub use jsonl::Jsonl;
pub use msgpack::Msgpack;
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use shard::{Assemble, Shard, discard, hidden, publish};
pub use stored::{Stored, StoredBlock, StoredError, StoredReader};
pub use stream::Stream;
pub use trec::Trec;
pub use wet::Wet;
