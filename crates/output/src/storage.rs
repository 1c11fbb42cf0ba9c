//! Files that are compressed in frames and appear under their names only when they are complete.

mod atomic;
mod create;
mod disk;
mod extent;
mod frames;
mod hidden;
mod shard;
mod stream;

pub use atomic::AtomicFile;
pub use create::{create_new, open_in_place, open_own, read_own, replaceable};
pub use disk::{Disk, DiskFile, LocalDisk};
pub use extent::Extent;
pub use frames::Frames;
pub use hidden::hidden;
pub use shard::{Assemble, Shard, discard, publish};
pub use stream::CompressedStream;
