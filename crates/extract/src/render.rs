//! Renders kept blocks as plain text or Markdown.

mod cells;
mod columns;
pub(crate) mod content;
pub(crate) mod data_table;
pub(crate) mod divisions;
pub(crate) mod embedded;
pub(crate) mod listings;
pub(crate) mod markdown;
pub(crate) mod options;
pub(crate) mod pieces;
pub(crate) mod steps;
pub(crate) mod table_rows;
pub(crate) mod tex;
pub(crate) mod text;
pub(crate) mod traced;

pub use markdown::MarkdownOptions;
pub use options::{AddressForm, MathForm, NoteForm, ReadingForm, ScriptForm, TextOptions};
pub use table_rows::DocumentTable;
pub use traced::TextSpan;
