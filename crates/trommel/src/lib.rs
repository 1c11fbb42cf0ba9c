//! Takes the main text out of a page: bytes and hints in, a [`Document`] out.

mod document;
mod extractor;
mod language;
mod markdown;
mod metadata;

pub use document::{BlockVerdict, Document};
pub use extractor::{Extractor, Hints, charset_hints, document};
pub use markdown::markdown;
pub use metadata::Metadata;
