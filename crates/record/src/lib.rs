//! Writes documents: JSON lines, MessagePack, WET, Anserini collections, TREC web, `_bulk` requests, Parquet.
//!
//! An [`Encode`] turns an [`OutputRecord`] into bytes. It is pure, so any worker can run it. The bytes are
//! then appended in order to one `Shard` for each output, which compresses them in `Frames`. The file
//! appears under its name only when it is whole, and an interrupted one can be continued; both need the feature
//! `storage`. A [`RecordReader`] reads records back.

mod annotation;
#[cfg(feature = "storage")]
mod copy;
#[cfg(feature = "storage")]
pub mod dedup;
mod encode;
mod error;
pub mod filters;
mod formats;
mod id;
mod moment;
mod page;
mod parquet_columns;
mod reader;
mod record;
#[cfg(feature = "storage")]
mod storage;

pub use annotation::Annotation;
#[cfg(feature = "storage")]
pub use copy::OutputCopy;
pub use encode::{Encode, OutputHead, encoder};
pub use error::OutputError;
#[cfg(feature = "storage")]
pub use formats::PageFolder;
#[cfg(feature = "parquet")]
pub use formats::{AnnotationTable, Parquet};
pub use formats::{
    Annotations, Anserini, BULK_MAPPING, Bulk, Compression, Format, Jsonl, Msgpack, Printed, Trec, UnknownName, Wet,
    bulk_id, bulk_lines, front_matter, readable_name, suffix_of,
};
pub use id::record_id;
pub use page::{PageForm, page_line};
pub use parquet_columns::{COLUMNS, Column, ColumnValue, FieldValue, OptionalColumns, StructureField, Structures};
pub use reader::{ReadError, RecordReader, open_plain};
pub use record::{OutputBlock, OutputRecord, RecordSource};
#[cfg(feature = "storage")]
pub use storage::{
    Assemble, AtomicFile, CompressedStream, DigestWriter, Disk, DiskFile, Extent, Frames, LocalDisk, Shard, create_new,
    digest_of, discard, hidden, open_in_place, open_own, publish, read_own, replaceable,
};
