//! Takes the main text out of a page: bytes and hints in, a [`Document`] out.

mod copies;
mod document;
mod extraction;
mod extractor;
mod grid;
mod language;
mod markdown;
mod outline;
mod plain;

pub use document::{BlockVerdict, Document};
pub use extraction::{BlockRow, Extraction};
pub use extractor::{Extractor, Hints, charset_hints};
pub use markdown::MarkdownOptions;
