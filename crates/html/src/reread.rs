//! Reads rarely needed details again from the decoded page, on request.

mod anchors;
mod code;
mod code_space;
mod element;
mod hidden_lines;
mod source;

pub use anchors::anchors;
pub use code::code_text;
pub use code_space::code_white_space;
pub use element::element_text;
pub use source::{source_range, source_ranges};
