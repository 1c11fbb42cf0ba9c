//! Reads the records of WARC and ARC archives in every usual compression, each with its place in the file.
//!
//! [`Reader`] gives [`Record`]s, from the start of a file or from a [`ResumePoint`]. [`payload`] undoes HTTP
//! and its codings, and [`media_type`] recognises the type of the payload. [`mod@write`] writes records.
//! [`name`] and [`signature`] distinguish archives from other files.

#![warn(missing_docs)]

mod arc_line;
mod binary;
mod buffer;
mod chunked;
mod coding;
mod compression;
mod error;
mod gzip;
mod headers;
mod http;
mod inflate;
mod lz4;
mod media;
mod member;
pub mod name;
mod payload;
mod pieces;
mod reader;
mod record;
mod record_block;
mod resume;
pub mod signature;
mod sniff;
mod source;
mod spares;
mod start;
mod stream;
#[cfg(feature = "wacz")]
pub mod wacz;
pub mod write;
mod zeros;
mod zst;

pub use binary::binary_type;
pub use error::{ArchiveError, Damage, PayloadError};
pub use headers::Headers;
pub use http::http_body;
pub use media::{MediaType, TypeSource};
pub use payload::{Coding, Payload, PayloadNote, PayloadOptions, media_type, payload};
pub use reader::{ReadOptions, Reader};
pub use record::{ArchiveFormat, Note, Place, Record, RecordType};
pub use record_block::RecordBlock;
pub use resume::ResumePoint;
pub use signature::FileSignature;
pub use zst::{dictionary_length, needs_dictionary};
