//! Reads rarely needed details again from the decoded page, on request.

mod anchors;
mod code;
mod code_space;
mod element;
mod hidden_lines;
pub(crate) mod pieces;
mod proof;
mod signs;
mod source;

pub use anchors::anchors;
pub use code::code_text;
pub use code_space::code_white_space;
pub use element::element_text;
pub use proof::stands_at;
pub use signs::cell_sign;
pub use source::{source_range, source_ranges};
