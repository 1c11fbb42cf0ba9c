//! One streaming pass over HTML into a block table, an element table and the facts of the page head.
//!
//! ```
//! use trommel_html::{Engine, Limits, LolEngine};
//!
//! let page = LolEngine.read("<p>One <b>two</b></p><p>three", &Limits::default());
//! let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
//! assert_eq!(texts, ["One two", "three"]);
//! ```

mod attribute;
mod builder;
pub mod charset;
mod engine;
mod fact;
mod gap;
mod head;
pub mod json_ld;
mod lex;
mod limits;
mod lol;
mod marks;
mod name;
mod plain;
mod scan;
mod table;
mod tag;
mod tag_lexer;
mod text;
mod tokens;

#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod opinion_tests;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod span_tests;

pub use engine::Engine;
pub use fact::{Fact, FactKind};
pub use gap::text_of_gap;
pub use head::Head;
pub use json_ld::{JsonLd, JsonLdKind, JsonLdText};
pub use limits::{Cap, Capped, Limits};
pub use lol::{LolEngine, PushReader};
pub use marks::{Marks, Piece};
pub use plain::{element_text, fold, plain};
pub use scan::{ScanEngine, ScanReader};
pub use table::{Attribute, Block, Element, NONE, Page, Token};
pub use tag::Tag;
