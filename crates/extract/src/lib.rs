//! Takes the main text out of a page: bytes and hints in, a [`Document`] out.

mod clock;
mod conventions;
mod copies;
mod document;
mod embedded;
mod extraction;
mod extractor;
mod grid;
#[cfg(test)]
mod hostile_tests;
mod language;
mod markdown;
mod metadata;
mod outline;
mod plain;
mod role;

pub use clock::{Clock, Stage};
pub use conventions::{CommentRule, Conventions, HeadlineRule, Verdicts};
pub use document::{BlockSource, BlockVerdict, Document};
pub use extraction::{BlockRow, Extraction};
pub use extractor::{Extractor, Hints, charset_hints};
pub use markdown::MarkdownOptions;
pub use metadata::Metadata;
pub use role::Role;
