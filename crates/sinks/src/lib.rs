//! Writes documents: JSON lines, MessagePack, WET.
//!
//! An [`Entry`] is turned into bytes by an [`Encode`], which is pure and so can run in any worker;
//! the bytes are then appended in order to one [`Stream`] an output, which compresses them, over an
//! [`AtomicFile`], which appears under its name only when whole.

mod atomic;
mod encode;
mod entry;
mod error;
mod format;
mod id;
mod jsonl;
mod msgpack;
mod row;
mod stream;
mod wet;

pub use atomic::AtomicFile;
pub use encode::{Encode, Head, encoder};
pub use entry::{Entry, Source};
pub use error::SinkError;
pub use format::{Compression, Format, UnknownName};
pub use id::record_id;
pub use jsonl::Jsonl;
pub use msgpack::Msgpack;
pub use stream::Stream;
pub use wet::Wet;
