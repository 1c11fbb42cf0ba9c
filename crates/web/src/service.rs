//! The extraction service: takes pages and archives over HTTP and answers with text and documents.
//!
//! [`serve`] answers on [`Socket`]s until it is told to stop, and then finishes current requests. Its answers
//! equal the output of `trommel extract` and `trommel run`. A request brings the bytes itself; none can name
//! a file or a URL to read.

mod about;
mod access;
mod admission;
mod allowed_hosts;
mod answer;
mod api;
mod app;
mod batch;
mod body;
mod choices;
mod connection;
mod extract;
mod hints;
mod inspect;
mod linger;
mod listen;
mod memory;
mod metrics_listener;
mod models;
mod negotiate;
mod observe;
mod pace;
mod paced_stream;
mod page;
mod pressure;
mod problem;
mod request_id;
mod routes;
#[cfg(feature = "index")]
mod search;
mod server;
mod settings;
mod stage_times;
mod tls;
mod weight;

pub use access::{Token, TokenError};
pub use allowed_hosts::{Foreign, HostGuard};
pub use api::openapi;
pub use listen::{Listen, ListenError, Socket};
pub use metrics_listener::MetricsListener;
pub use problem::Problem;
pub use server::{ServeError, serve, serve_router};
pub use settings::{ServiceLimits, ServiceSettings};
pub use tls::{TlsError, server_config};
