//! The extraction service: pages and archives in by HTTP, text and documents out.
//!
//! [`serve`] answers on [`Socket`]s until it is told to stop, and then finishes what it has begun. What
//! it answers is what `trommel extract` and `trommel run` print. A request brings the bytes that are
//! judged; none can name a file or a URL to be read.

mod access;
mod admission;
mod answer;
mod api;
mod app;
mod batch;
mod body;
mod connection;
mod extract;
mod hints;
mod inspect;
mod listen;
mod models;
mod negotiate;
mod observe;
mod page;
mod routes;
#[cfg(feature = "index")]
mod search;
mod server;
mod settings;
mod tls;

pub use access::{Token, TokenError};
pub use api::{ExtractedPage, Problem, openapi};
pub use listen::{Listen, ListenError, Socket};
pub use server::{ServeError, serve};
pub use settings::{Limits, Settings};
pub use tls::{TlsError, server_config};
