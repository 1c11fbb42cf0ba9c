//! The forms in which kept blocks are given: plain text and Markdown, with what both need.

pub(crate) mod content;
pub(crate) mod controls;
pub(crate) mod copies;
pub(crate) mod data;
pub(crate) mod data_table;
pub(crate) mod embedded;
pub(crate) mod markdown;
pub(crate) mod text;

pub use markdown::MarkdownOptions;
