//! Tests of the whole crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod codecs;
mod damage;
mod harm;
mod lost;
mod make;
mod payload;
mod peer;
mod pieces;
mod resume;
mod segments;
mod shared;
