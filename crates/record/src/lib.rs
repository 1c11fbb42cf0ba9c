//! Writes documents as JSON lines, MessagePack, WET, Anserini collections, TREC web, `_bulk` requests or Parquet.
//!
//! An [`Encode`] turns a [`Document`] into bytes. It has no state, so any worker can run it. The bytes are then
//! appended in order to one `Shard` for each output, which compresses them in `Frames`. The file appears under its name
//! only when it is complete, and an interrupted file can be continued; both need the feature `storage`. A
//! [`RecordReader`] reads documents back.

#[cfg(feature = "storage")]
pub mod dedup;
mod encode;
pub mod filters;
mod formats;
#[cfg(feature = "storage")]
mod output_copy;
mod reader;
#[cfg(feature = "arrow")]
mod record_batch;
mod record_id;
#[cfg(feature = "storage")]
mod storage {
    //! Files that are compressed in frames and appear under their names only when they are complete.

    mod files;
    mod frames;
    mod resumable_file;

    pub use files::{
        AtomicFile, Disk, DiskFile, LocalDisk, create_locked, create_new, hidden, open_in_place, open_own, read_own,
        replace, replaceable,
    };
    pub use frames::Frames;
    pub use resumable_file::{Assemble, DigestWriter, Extent, Shard, digest_of, discard, publish};

    #[cfg(test)]
    mod tests {
        use std::io::Read as _;
        use std::{fs, path::Path};

        use crate::Compression;

        /// Returns the names of the entries in a folder, sorted.
        pub(super) fn names(folder: &Path) -> Vec<String> {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
            let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }

        /// Returns `bytes` decompressed.
        pub(super) fn plain(compression: Compression, bytes: &[u8]) -> Vec<u8> {
            let mut out = Vec::new();
            match compression {
                Compression::None => out.extend_from_slice(bytes),
                Compression::Gzip => drop(flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out).unwrap()),
                Compression::Zstd => out = zstd::stream::decode_all(bytes).unwrap(),
            }
            out
        }
    }
}
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod table_columns;

pub use encode::{Encode, OutputError, OutputHead, PageForm, encoder, page_line};
#[cfg(feature = "storage")]
pub use formats::PageFolder;
pub use formats::{
    Annotation, Annotations, Anserini, Bulk, Compression, Format, Jsonl, Msgpack, Printed, Trec, UnknownName, Wet,
    bulk_id, bulk_lines, bulk_mapping, front_matter, readable_name, suffix_of,
};
#[cfg(feature = "parquet")]
pub use formats::{AnnotationTable, Parquet};
#[cfg(feature = "storage")]
pub use output_copy::OutputCopy;
pub use reader::{ReadError, RecordReader, open_plain};
#[cfg(feature = "arrow")]
pub use record_batch::record_batch;
pub use record_id::{id, record_id, source};
#[cfg(feature = "storage")]
pub use storage::{
    Assemble, AtomicFile, DigestWriter, Disk, DiskFile, Extent, Frames, LocalDisk, Shard, create_locked, create_new,
    digest_of, discard, hidden, open_in_place, open_own, publish, read_own, replace, replaceable,
};
#[cfg(any(feature = "arrow", feature = "parquet"))]
pub use table_columns::{COLUMNS, Column, OptionalColumns};
pub use trommel_extract::{Document, RecordSource};
