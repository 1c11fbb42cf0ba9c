//! Turns the block and element tables of a page into named numbers.
//!
//! Everything is computed in passes over the tables, never over the HTML again, in time linear in
//! the page. A [`Schema`] says which groups of features a row holds and names each column.

mod address;
mod ancestry;
mod cetr;
mod columns;
mod comments;
mod containers;
mod embedded_text;
mod facts;
mod group;
#[cfg(test)]
mod hostile_tests;
mod kmeans;
mod lexicon;
mod listed_words;
mod neighbours;
mod outline;
mod page_facts;
mod path_weights;
mod position;
mod prose;
mod repeats;
mod rows;
mod schema;
mod shallow;
mod terms;
mod text;
mod topic;
mod weight_table;
mod word_hash;
mod wording;
mod work;

pub use cetr::{tag_ratios, text_to_tag_ratios};
pub use columns::{ColumnSet, Columns, LANES, Lanes};
pub use embedded_text::{
    EMBEDDED_COLUMNS, EmbeddedText, embedded_texts, embedded_texts_if_hidden, phrase_share,
};
pub use group::FeatureGroup;
pub use kmeans::{farthest_first, kmeans, nearest_centre};
pub use lexicon::ListedWord;
pub use rows::FeatureMatrix;
pub use schema::Schema;
pub use shallow::{full_lines, text_density};
pub use terms::terms;
pub use weight_table::TermWeight;
