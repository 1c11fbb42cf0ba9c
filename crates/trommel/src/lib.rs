//! Takes the main text out of web pages and web archives.

pub use trommel_archive as archive;
pub use trommel_extract::*;
pub use trommel_model::Model;
