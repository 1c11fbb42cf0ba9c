//! Tests the service as clients meet it, over real sockets.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used, clippy::panic)]

mod access;
mod api;
mod batch;
mod bounds;
mod browsers;
mod client;
mod host;
mod life;
mod pages;
mod slow;
