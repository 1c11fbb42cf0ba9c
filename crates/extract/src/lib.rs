//! Extracts the main text of a page. It takes bytes and [`Hints`] and returns an [`Extraction`], which gives text,
//! Markdown, blocks or a whole [`Document`].
//!
//! ```
//! use std::sync::Arc;
//! use trommel_extract::{DocumentOptions, Extractor, Hints, MarkdownOptions};
//! use trommel_model::Model;
//!
//! let page = b"<title>Mills</title><nav><a href=/>Home</a></nav><article><h1>Mills</h1>\
//!     <p>The mill stands by the river, and its wheel has turned there for two hundred years.</p>\
//!     <p>Nobody knows who built it, though a stone over the door bears a date.</p></article>";
//!
//! let extractor = Extractor::new(Arc::new(Model::builtin("fast").ok_or("no such model")?));
//! let extraction = extractor.extract(page, &Hints::default());
//! assert!(extraction.text().contains("The mill stands by the river"));
//! assert!(extraction.markdown(&MarkdownOptions::default()).starts_with("# Mills"));
//! let document = extraction.document(&DocumentOptions::default());
//! assert_eq!(document.title.as_deref(), Some("Mills"));
//! # Ok::<(), &str>(())
//! ```

mod block_page;
mod choice;
mod chunks;
mod content_policy;
mod document;
mod extraction;
mod extractor;
mod growing_page;
mod heading_text;
mod hints;
#[cfg(test)]
mod hostile_tests;
mod kept_flags;
mod links;
mod metadata;
mod notes;
mod page_memory;
mod posts;
mod render;
mod rights;
mod role;
#[cfg(test)]
#[path = "../../../tests/rows.rs"]
mod rows;
mod selectors;

pub use block_page::BlockReason;
pub use choice::{Decider, RULES, Rule};
pub use chunks::{Chunk, ChunkSize, ChunkSizeError, ChunkUnit, TokenCounter};
pub use content_policy::{ArticlePolicy, CommentPolicy, ContentPolicy, Favor, HeadlinePolicy, Verdicts};
pub use document::{BlockSource, BlockVerdict, Document, DocumentOptions, MetadataChoice, RecordSource};
pub use extraction::Extraction;
pub use extractor::{Extractor, SiteSurvey};
pub use growing_page::PushPage;
pub use hints::{HintError, Hints};
pub use links::PageLink;
pub use page_memory::{ExtractionObserver, ExtractionStage};
pub use posts::Post;
pub use render::{
    AddressForm, DocumentTable, MarkdownOptions, MathForm, NoteForm, ReadingForm, ScriptForm, TextOptions, TextSpan,
};
pub use rights::{Rights, is_for_one_robot};
pub use role::{Role, RoleSet};
pub use selectors::{MAX_SELECTORS, Selector, SelectorError, Selectors};
pub use trommel_html::Head;
