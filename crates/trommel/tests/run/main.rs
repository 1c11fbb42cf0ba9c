//! Runs over small archives, whole and interrupted.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used)]

mod disk;
mod existing;
mod lanes;
mod make;
mod pieces;
mod quarantine;
mod resume;
mod run;
mod select;
mod stream;
