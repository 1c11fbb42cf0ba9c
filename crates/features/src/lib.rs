//! Turns the block and element tables of a page into named numbers.
//!
//! Everything is computed in passes over the tables, never over the HTML again, in time linear in
//! the page. A [`Schema`] says which groups of features a row holds and names each column.

mod address;
mod ancestry;
mod candidate;
mod cetr;
mod comments;
mod containers;
mod facts;
#[cfg(test)]
mod hostile_tests;
mod kmeans;
mod neighbours;
mod outline;
mod page_facts;
mod position;
mod prose;
mod repeats;
mod rows;
mod schema;
mod shallow;
mod steps;
mod terms;
mod text;
mod tokens;
mod topic;
mod weights;
mod wording;

pub use candidate::{CANDIDATE_NAMES, Candidate, candidates, candidates_if_hidden, phrase_share};
pub use cetr::{tag_ratios, text_to_tag_ratios};
pub use comments::Comments;
pub use kmeans::{farthest_first, kmeans, nearest_centre};
pub use rows::Rows;
pub use schema::{Group, Schema};
pub use shallow::{full_lines, text_density};
pub use terms::terms;
pub use tokens::{ListedToken, TokenWeight};
