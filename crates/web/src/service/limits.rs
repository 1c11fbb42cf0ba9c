//! The settings of a service, and its limits with their defaults.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

use trommel::{Model, PartialSettings, record::filters::Filters};
use trommel_model::sites::SiteMemory;

use crate::service::{HostGuard, Token};

/// The settings of a service: its models, filters, bounds and access. By default it has no models and no filters.
#[derive(Default)]
pub struct ServiceSettings {
    /// The models that requests may name; the first is the default.
    pub models: Vec<(String, Arc<Model>)>,
    /// The default settings of pages, which a request may override.
    pub defaults: PartialSettings,
    /// The filters. They drop documents of a batch, and mark a single page.
    pub filters: Arc<Filters>,
    /// The bounds on memory and time.
    pub limits: ServiceLimits,
    /// The token that requests must bring; none to answer every request.
    pub token: Option<Token>,
    /// The guard of a service without a token. It keeps out requests that pages of other sites send through a
    /// browser.
    pub guard: HostGuard,
    /// The TLS configuration of TCP connections; none for plain connections.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// The memory of sites, which corrects the model by other pages of a page's site.
    pub sites: Option<Arc<SiteMemory>>,
    /// The index that is searched.
    #[cfg(feature = "index")]
    pub index: Option<trommel::index::Index>,
    /// The folder of the archives of the index, if its pages may be viewed.
    pub archives: Option<PathBuf>,
}

/// Bounds of a service on memory, time and connections, whatever requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Maximum number of pages judged at a time.
    pub jobs: NonZeroUsize,
    /// Maximum number of waiting requests; more are answered 429.
    pub queue: usize,
    /// Maximum bytes of a page, and of a record of a batch; longer pages are answered 413.
    pub max_body: u64,
    /// Maximum bytes that requests use: a quarter for heads and bodies, a quarter for the input of batches, a half for the
    /// work on pages and for unsent answers. Further requests get 429, and pages that never fit get 413.
    pub max_memory: u64,
    /// Maximum time for the head of a request, for its body, between two pieces of a batch, and between two received
    /// pieces of an answer.
    pub timeout: Duration,
    /// Maximum time for finishing current requests after a signal to stop.
    pub grace: Duration,
    /// Maximum number of connections at a time; further ones wait to be accepted.
    pub connections: usize,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            queue: 256,
            max_body: 16 << 20,
            max_memory: 512 << 20,
            timeout: Duration::from_secs(30),
            grace: Duration::from_secs(30),
            connections: 1024,
        }
    }
}
