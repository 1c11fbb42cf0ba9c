//! Lexes tags (name, attributes, end), and removes markup from strings.

pub(crate) mod lex;
pub(crate) mod near;
mod short_name;
mod strip;
mod tag;
pub(crate) mod tag_lexer;

pub use strip::{fold_space, strip_markup};
pub use tag::Tag;
