//! Turns the block and element tables of a page into named numbers.
//!
//! All features come from passes over the tables, never from reading the HTML again, in time linear in the
//! page. A [`Schema`] states the groups of features in a row and names each column.

mod columns;
mod embedded_text;
mod facts;
mod groups;
mod hashes;
#[cfg(test)]
mod hostile_tests;
mod kmeans;
mod lexicon;
mod log;
mod schema;
mod scratch;

pub use crate::features::groups::text::{full_lines, text_density};
pub use columns::{ColumnSet, Columns, LANES, Lanes};
pub use embedded_text::{EMBEDDED_COLUMNS, EmbeddedText, embedded_texts, embedded_texts_if_hidden, phrase_share};
pub use facts::terms::terms;
pub use groups::FeatureGroup;
pub use groups::cetr::{tag_ratios, text_to_tag_ratios};
pub use groups::type_words::address_words;
pub use kmeans::{farthest_first, kmeans, nearest_centre};
pub use lexicon::{ListedWord, TermWeight, TypeWord, TypeWords};
pub(crate) use schema::PageFeatures;
pub use schema::{FeatureMatrix, Schema};
pub use scratch::Scratch;
pub use trommel_html::FieldIndex;
