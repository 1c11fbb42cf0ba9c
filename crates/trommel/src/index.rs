//! A full-text index over documents, with BM25 search over title, headings and text, by Tantivy.
//!
//! [`IndexWriter`] writes documents into an index, and [`Index`] finds them.

mod assemble;
mod error;
mod guard;
mod query;
mod schema;
mod search;
mod tokenizer;
mod writer;

pub use assemble::Tantivy;
pub use error::IndexError;
pub use query::foreign_syntax;
pub use search::{Hit, Index, IndexedDocument, Search, SearchResults, Snippet};
pub use tokenizer::{ScriptTokenizer, TextTerms};
pub use writer::{CommittedIndex, DEFAULT_MEMORY, IndexWriter};
