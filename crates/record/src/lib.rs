//! Writes documents: JSON lines, MessagePack, WET, Anserini collections, TREC web, `_bulk` requests, Parquet.
//!
//! An [`Encode`] turns an [`Document`] into bytes. It is pure, so any worker can run it. The bytes are
//! then appended in order to one `Shard` for each output, which compresses them in `Frames`. The file
//! appears under its name only when it is whole, and an interrupted one can be continued; both need the feature
//! `storage`. A [`RecordReader`] reads records back.

#[cfg(feature = "arrow")]
mod columns;
#[cfg(feature = "storage")]
mod copy;
#[cfg(feature = "storage")]
pub mod dedup;
mod encode;
pub mod filters;
mod formats;
mod reader;
mod record;
#[cfg(feature = "arrow")]
mod record_batch;
#[cfg(feature = "storage")]
mod storage;

#[cfg(feature = "arrow")]
pub use columns::{COLUMNS, Column, OptionalColumns};
#[cfg(feature = "storage")]
pub use copy::OutputCopy;
pub use encode::{Encode, OutputError, OutputHead, PageForm, encoder, page_line};
#[cfg(feature = "storage")]
pub use formats::PageFolder;
pub use formats::{
    Annotation, Annotations, Anserini, Bulk, Compression, Format, Jsonl, Msgpack, Printed, Trec, UnknownName, Wet,
    bulk_id, bulk_lines, bulk_mapping, front_matter, readable_name, suffix_of,
};
#[cfg(feature = "parquet")]
pub use formats::{AnnotationTable, Parquet};
pub use reader::{ReadError, RecordReader, open_plain};
pub use record::{record_id, source};
#[cfg(feature = "arrow")]
pub use record_batch::record_batch;
#[cfg(feature = "storage")]
pub use storage::{
    Assemble, AtomicFile, DigestWriter, Disk, DiskFile, Extent, Frames, LocalDisk, Shard, create_locked, create_new,
    digest_of, discard, hidden, open_in_place, open_own, publish, read_own, replace, replaceable,
};
pub use trommel_extract::{Document, RecordSource};
