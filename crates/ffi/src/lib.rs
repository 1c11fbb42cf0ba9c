//! The C library: `include/trommel.h`.
//!
//! Behind each function of `exports` stands a safe one here; only that module touches pointers.

mod exports;
mod session;
#[cfg(test)]
mod tests;

pub use exports::*;
pub use session::{TrommelExtractor, TrommelForm, TrommelSession, TrommelVerdict};
