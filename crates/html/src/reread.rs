//! What is read again from the decoded page on request, as few elements need it.

mod code_space;
mod element;

pub use code_space::code_white_space;
pub use element::element_text;
