//! The formats, each in a file of its own.

mod annotations;
mod anserini;
mod bulk;
mod jsonl;
mod msgpack;
mod names;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod printed;
mod searched;
mod trec;
mod wet;

#[cfg(feature = "parquet")]
pub use annotations::AnnotationTable;
pub use annotations::Annotations;
pub use anserini::Anserini;
pub use bulk::{BULK_MAPPING, Bulk, bulk_id, bulk_lines};
pub use jsonl::Jsonl;
pub use msgpack::Msgpack;
pub use names::{Compression, Format, UnknownName, readable_name, suffix_of};
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
#[cfg(feature = "storage")]
pub use printed::PageFolder;
pub use printed::{Printed, front_matter};
pub use trec::Trec;
pub use wet::Wet;
