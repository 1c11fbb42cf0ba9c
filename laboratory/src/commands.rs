//! The commands, a file each.

pub mod adaptation;
pub mod cluster;
pub mod eval;
pub mod extract;
#[cfg(feature = "browser")]
pub mod layout;
pub mod methods;
pub mod paper_variant;
pub mod rendered;
pub mod results;
pub mod retrieval;
pub mod segments;
