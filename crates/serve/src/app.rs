//! What all requests share.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use tokio::sync::Semaphore;
use trommel_extract::{ContentPolicy, Extractor};
use trommel_filters::Filters;
use trommel_metrics::Metrics;
use trommel_model::Model;
use trommel_sites::KnownSites;

use crate::{
    ServiceLimits, ServiceSettings, Token,
    admission::{Admission, Ticket},
    answer::Refusal,
    models::Models,
    request_id::RequestIds,
    stage_times::StageTimes,
};

/// What all requests share.
pub(crate) struct App {
    pub(crate) models: Models,
    pub(crate) policy: ContentPolicy,
    pub(crate) filters: Arc<Filters>,
    pub(crate) has_filters: bool,
    pub(crate) limits: ServiceLimits,
    pub(crate) token: Option<Token>,
    pub(crate) admission: Arc<Admission>,
    /// Batches that may run at a time.
    pub(crate) batches: Arc<Semaphore>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) ids: RequestIds,
    #[cfg(feature = "index")]
    pub(crate) index: Option<trommel_index::Index>,
    pub(crate) archives: Option<PathBuf>,
    sites: Option<Arc<KnownSites>>,
    stages: Arc<StageTimes>,
    stopping: AtomicBool,
}

impl App {
    pub(crate) fn new(settings: ServiceSettings) -> Arc<Self> {
        let metrics = Arc::new(Metrics::new());
        let limits = settings.limits;
        Arc::new(Self {
            models: Models::new(settings.models),
            policy: settings.policy,
            has_filters: !settings.filters.describe().is_empty(),
            filters: settings.filters,
            limits,
            token: settings.token,
            admission: Admission::new(&limits, metrics.clone()),
            batches: Arc::new(Semaphore::new(limits.jobs.get().saturating_mul(2))),
            stages: Arc::new(StageTimes(metrics.clone())),
            metrics,
            ids: RequestIds::new(),
            #[cfg(feature = "index")]
            index: settings.index,
            archives: settings.archives,
            sites: settings.sites,
            stopping: AtomicBool::new(false),
        })
    }

    /// An extractor by this model and policy, whose times are counted.
    pub(crate) fn extractor(&self, model: Arc<Model>, policy: ContentPolicy) -> Extractor {
        let extractor = Extractor::new(model)
            .with_policy(policy)
            .with_observer(self.stages.clone());
        match &self.sites {
            Some(sites) => extractor.with_sites(sites.clone()),
            None => extractor,
        }
    }

    /// Has `work` done by a worker as soon as one is free. It is done even if the client has gone; the
    /// place of its ticket is free after it.
    ///
    /// # Errors
    /// [`Refusal::Fault`] if it panics.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        ticket: Ticket,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let begin = Instant::now();
        let permit = self.admission.worker().await.ok_or(Refusal::Busy)?;
        self.metrics.stage("wait", begin.elapsed());
        let app = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let made = work(&app);
            drop((permit, ticket));
            made
        });
        done.await.map_err(|_| {
            self.metrics.failed("panic");
            Refusal::Fault
        })
    }

    /// From now on the service is not ready: it finishes what it has begun.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether requests are welcome.
    pub(crate) fn is_ready(&self) -> bool {
        !self.stopping.load(Ordering::Relaxed) && self.admission.has_room()
    }
}
