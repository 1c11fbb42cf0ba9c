//! C library with the interface in `include/trommel.h`.
//!
//! Each function of `exports` calls a safe one of `session`. Only `exports` touches pointers.

mod exports;
mod session;
#[cfg(test)]
mod tests;

pub use exports::*;
pub use session::{TrommelExtractor, TrommelForm, TrommelSession, TrommelVerdict};
