//! The program `trommel-quality`: arguments, output, exit codes.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;
mod quality;
