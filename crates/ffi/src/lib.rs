//! The C library: `include/trommel.h`.
//!
//! Each function of `exports` calls a safe one here. Only that module touches pointers.

mod exports;
mod session;
#[cfg(test)]
mod tests;

pub use exports::*;
pub use session::{TrommelExtractor, TrommelForm, TrommelSession, TrommelVerdict};
