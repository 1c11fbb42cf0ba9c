//! Reads the records of WARC and ARC archives in every usual compression, each with its place in the file.
//!
//! [`Reader`] gives [`Record`]s, from the start of a file or from a [`ResumePoint`]. [`payload`] undoes HTTP
//! and its codings, and [`media_type`] recognises the type of the payload. [`mod@write`] writes records.
//! [`file_name`] and [`signature`] distinguish archives from other files.

#![warn(missing_docs)]

mod buffer;
mod coding;
mod error;
pub mod file_name;
mod gzip;
mod http;
mod inflate;
mod lz4;
mod media_type;
mod payload;
mod reader;
mod record;
mod record_start;
pub mod signature;
mod stored_bytes;
mod stream;
#[cfg(feature = "wacz")]
pub mod wacz;
pub mod write;
mod zst;

pub use buffer::RecordBlock;
pub use coding::Coding;
pub use error::{ArchiveError, Damage, PayloadError};
pub use http::{Headers, http_body};
pub use media_type::{MediaType, TypeSource, binary_type};
pub use payload::{Payload, PayloadNote, PayloadOptions, media_type, payload};
pub use reader::{ReadOptions, Reader, ResumePoint};
pub use record::{ArchiveFormat, Note, Place, Record, RecordType};
pub use signature::FileSignature;
pub use zst::{dictionary_length, needs_dictionary};
