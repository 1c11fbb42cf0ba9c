//! Reads HTML in one streaming pass into a block table, an element table and the facts of the page head.
//!
//! ```
//! use trommel_html::{Engine, Limits, ScanEngine};
//!
//! let page = ScanEngine.read("<p>One <b>two</b></p><p>three", &Limits::default());
//! let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
//! assert_eq!(texts, ["One two", "three"]);
//! ```

mod build;
pub mod charset;
pub mod hydration;
pub mod json_ld;
mod limits;
mod markup;
mod page;
mod reader;
mod reread;

#[cfg(test)]
mod tests;

pub use json_ld::JsonLd;
pub use limits::{Caps, Limits};
pub use markup::{Tag, fold_space, strip_markup};
pub use page::{
    Attribute, AttributeWord, Block, Element, ElementKinds, FactKind, FieldIndex, Head, HeadingIds, InlineStyle, NONE,
    Notation, NotationKind, PAGE_ROW_WORDS, Page, StatedFact, StyledText,
};
pub use reader::{Engine, GrowingReader, ScanEngine, ScanReader};
#[cfg(any(test, feature = "lol"))]
pub use reader::{LolEngine, PushReader};
pub use reread::{
    StartTag, anchors, cell_sign, code_text, code_white_space, element_text, source_range, source_ranges, stands_at,
};
