//! Settings of a service, and its limits with their defaults.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

use trommel::{Model, PartialSettings, record::filters::Filters};
use trommel_model::sites::SiteMemory;

use crate::service::{HostGuard, Token};

/// Settings of a service: models, filters, limits and access. By default there are no models and no filters.
#[derive(Default)]
pub struct ServiceSettings {
    /// Models that requests may name, with their names; the first is the default.
    pub models: Vec<(String, Arc<Model>)>,
    /// Default settings for extraction, which a request may override.
    pub defaults: PartialSettings,
    /// Filters that drop documents of a batch; the answer about a single page only states the reason for a drop.
    pub filters: Arc<Filters>,
    /// Limits on memory, time and connections.
    pub limits: ServiceLimits,
    /// Token that requests must bring; `None` if requests need no token.
    pub token: Option<Token>,
    /// Guard of a service without a token. Refuses requests that pages of other sites send through a browser.
    pub guard: HostGuard,
    /// TLS configuration of TCP connections; `None` for plain connections.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Statistics of the blocks on other pages of each site, which correct the model's judgement; `None` to do without.
    pub sites: Option<Arc<SiteMemory>>,
    /// Index that requests can search; `None` if there is no index.
    #[cfg(feature = "index")]
    pub index: Option<trommel::index::Index>,
    /// Folder with the archives of the index; `None` if archived pages may not be viewed.
    pub archives: Option<PathBuf>,
}

/// Limits of a service on memory, time and connections, whatever requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Maximum number of pages that are judged at the same time.
    pub jobs: NonZeroUsize,
    /// Maximum number of waiting requests; further requests get status 429.
    pub queue: usize,
    /// Maximum number of bytes of a page, and of a record of a batch; longer pages get status 413.
    pub max_body: u64,
    /// Maximum number of bytes that requests use. A quarter is for heads and bodies, a quarter for the input of
    /// batches, a half for work on pages and unsent answers. Further requests get status 429, and pages that never fit
    /// get 413.
    pub max_memory: u64,
    /// Maximum time for the head of a request, for its body, between two pieces of a batch, and between two received
    /// pieces of an answer.
    pub timeout: Duration,
    /// Maximum time for finishing current requests after a signal to stop.
    pub grace: Duration,
    /// Maximum number of simultaneous connections; further connections wait to be accepted.
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
