//! The extraction service: takes pages and archives over HTTP and answers with text and documents.
//!
//! [`serve`] answers on [`Socket`]s until it is told to stop, and then finishes current requests. Its answers
//! equal the output of `trommel extract` and `trommel run`. A request brings the bytes itself; none can name
//! a file or a URL to read.

mod access;
pub(crate) mod answer;
mod app;
mod batch;
mod body;
mod choices;
mod connection;
mod listen;
mod memory;
mod observe;
mod pages;
mod routes;
#[cfg(feature = "index")]
mod search;
mod server;

pub use access::{HostGuard, Token};
pub use app::{ServiceLimits, ServiceSettings};
pub use listen::{Listen, Socket, server_config};
pub use observe::MetricsListener;
pub use routes::openapi;
pub use server::{ServeError, serve, serve_router};
