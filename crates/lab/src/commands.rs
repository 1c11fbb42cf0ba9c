//! The commands, a file each.

pub mod adaptation;
pub mod eval;
pub mod extract;
pub mod methods;
pub mod quality;
pub mod results;
pub mod retrieval;
