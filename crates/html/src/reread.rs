//! Reads rarely needed details again from the decoded page, on request.

mod code;
pub(crate) mod elements;
mod places;

pub use code::code_text;
pub use elements::{anchors, cell_sign, code_white_space, element_text};
pub use places::{source_range, source_ranges, stands_at};
