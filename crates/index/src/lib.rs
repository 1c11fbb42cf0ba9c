//! Full-text index over documents, and search in it: BM25 over title, headings and text, by Tantivy.
//!
//! [`IndexWriter`] puts documents into an index, [`Index`] finds them.

mod assemble;
#[cfg(feature = "endpoint")]
mod endpoint;
mod error;
mod guard;
mod query;
mod schema;
mod search;
mod tokenizer;
mod writer;

pub use assemble::Tantivy;
#[cfg(feature = "endpoint")]
pub use endpoint::{Endpoint, EndpointError, Refused, Sent};
pub use error::IndexError;
pub use search::{Hit, Index, IndexedDocument, Search, SearchResults, Snippet};
pub use tokenizer::{ScriptTokenizer, TextTerms};
pub use writer::{CommittedIndex, DEFAULT_MEMORY, IndexWriter};
