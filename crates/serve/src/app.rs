//! State that all requests share.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{spawn_blocking, yield_now},
};
use trommel_extract::{ContentPolicy, Extractor};
use trommel_filters::Filters;
use trommel_metrics::Metrics;
use trommel_model::Model;
use trommel_sites::KnownSites;

use crate::{
    HostGuard, ServiceLimits, ServiceSettings, Token,
    admission::{Admission, Ticket},
    answer::Refusal,
    models::Models,
    request_id::RequestIds,
    stage_times::StageTimes,
};

/// Most bytes of a page that is judged on the thread of its connection: some milliseconds of work, for which
/// health checks and other connections may wait.
const SHORT: usize = 256 << 10;

/// What all requests share.
pub(crate) struct App {
    pub(crate) models: Models,
    pub(crate) policy: ContentPolicy,
    pub(crate) filters: Arc<Filters>,
    pub(crate) has_filters: bool,
    pub(crate) limits: ServiceLimits,
    pub(crate) token: Option<Token>,
    pub(crate) guard: HostGuard,
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
            guard: settings.guard,
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

    /// Has a page of so many bytes judged as soon as a worker is free. A short one is judged right here, on
    /// the thread of its connection: handing it to another thread and back costs an eighth of the
    /// time of a request and leaves cores idle. Before, whatever has come on other connections is taken
    /// in, so that small requests and pieces of bodies do not wait behind every page.
    ///
    /// # Errors
    /// [`Refusal::Fault`] if it panics.
    pub(crate) async fn judge<T: Send + 'static>(
        self: &Arc<Self>,
        ticket: Ticket,
        bytes: usize,
        judge: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes > SHORT {
            return self.work(ticket, judge).await;
        }
        let permit = self.worker().await?;
        yield_now().await;
        let made = catch_unwind(AssertUnwindSafe(|| judge(self)));
        drop((permit, ticket));
        made.map_err(|_| self.fault())
    }

    /// Has `work` done on a thread of its own as soon as a worker is free. It is done even if the client has
    /// gone; the place of its ticket is free after it.
    ///
    /// # Errors
    /// [`Refusal::Fault`] if it panics.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        ticket: Ticket,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = self.worker().await?;
        let app = self.clone();
        let done = spawn_blocking(move || {
            let made = work(&app);
            drop((permit, ticket));
            made
        });
        done.await.map_err(|_| self.fault())
    }

    /// Waits for a free worker.
    async fn worker(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let begin = Instant::now();
        let permit = self.admission.worker().await.ok_or(Refusal::Busy)?;
        self.metrics.stage("wait", begin.elapsed());
        Ok(permit)
    }

    fn fault(&self) -> Refusal {
        self.metrics.failed("panic");
        Refusal::Fault
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

#[cfg(test)]
mod tests {
    use std::{
        num::NonZeroUsize,
        thread::{self, ThreadId},
    };

    use tokio::runtime::Builder;
    use trommel_filters::FilterSettings;

    use super::*;

    fn app() -> Arc<App> {
        App::new(ServiceSettings {
            models: Vec::new(),
            policy: ContentPolicy::default(),
            filters: Arc::new(Filters::new(&FilterSettings::default())),
            limits: ServiceLimits {
                jobs: NonZeroUsize::MIN,
                queue: 0,
                ..ServiceLimits::default()
            },
            token: None,
            guard: HostGuard::default(),
            tls: None,
            sites: None,
            #[cfg(feature = "index")]
            index: None,
            archives: None,
        })
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(future)
    }

    #[test]
    fn short_pages_are_judged_here_and_long_ones_elsewhere() {
        let app = app();
        let on = |bytes| -> ThreadId {
            block_on(async {
                let ticket = app.admission.enter().unwrap();
                let judged = app.judge(ticket, bytes, |_| thread::current().id());
                judged.await.unwrap()
            })
        };
        assert_eq!(on(SHORT), thread::current().id());
        assert_ne!(on(SHORT + 1), thread::current().id());
    }

    #[test]
    fn other_connections_come_before_each_page() {
        let app = app();
        block_on(async {
            let is_taken_in = Arc::new(AtomicBool::new(false));
            let other = is_taken_in.clone();
            let other = tokio::spawn(async move { other.store(true, Ordering::Relaxed) });
            let ticket = app.admission.enter().unwrap();
            let judged = app.judge(ticket, 0, move |_| is_taken_in.load(Ordering::Relaxed));
            assert!(judged.await.unwrap());
            other.await.unwrap();
        });
    }

    #[test]
    fn a_page_that_meets_a_fault_gives_its_place_back() {
        let app = app();
        for bytes in [0, SHORT + 1] {
            block_on(async {
                let ticket = app.admission.enter().unwrap();
                let judged = app.judge(ticket, bytes, |_| panic!("a fault on this page"));
                assert_eq!(judged.await, Err::<(), _>(Refusal::Fault));
                let ticket = app.admission.enter().unwrap();
                assert_eq!(app.judge(ticket, bytes, |_| "well").await, Ok("well"));
            });
        }
        let metrics = app.metrics.to_string();
        assert!(metrics.contains("trommel_failures_total{kind=\"panic\"} 2\n"));
    }
}
