//! Tests the program as users meet it: arguments, standard input, output and error, exit codes, golden outputs.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(feature = "parquet")]
mod annotate;
mod architecture;
#[cfg(unix)]
mod cases;
#[cfg(unix)]
mod crawl;
#[cfg(unix)]
mod dead_stderr;
mod documents;
mod doors;
#[cfg(feature = "index")]
mod endpoint;
mod eval;
mod existing;
mod extract;
mod follow;
mod generators;
mod golden;
mod hard_pages;
mod index;
mod inspect;
mod joins;
#[cfg(feature = "parquet")]
mod keys;
#[cfg(all(unix, feature = "label"))]
mod label;
#[cfg(feature = "remote")]
mod locations;
mod pages;
mod probes;
mod program;
mod reference;
mod remote;
mod resume;
mod run;
mod sample;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod servers;
mod sets;
mod settings;
#[cfg(unix)]
mod shipping;
#[cfg(feature = "remote")]
mod stores;
#[cfg(feature = "train")]
mod train;
#[cfg(unix)]
mod tutorials;
mod verify;
mod wacz;
#[cfg(unix)]
mod waiting;
