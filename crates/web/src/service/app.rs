//! State that all requests share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{spawn_blocking, yield_now};
use trommel::metrics::Metrics;
use trommel::{Extractor, Model, Settings};

use crate::service::{
    ServiceSettings, admission::Admission, answer::Refusal, body::HeldPage, memory::Share, models::Models,
    request_id::RequestIds, stage_times::StageTimes, weight,
};

/// Maximum bytes of a page that is judged on the thread of its connection. This takes some milliseconds, for which
/// other connections wait.
const SHORT: usize = 256 << 10;

/// The state that all requests share.
pub(crate) struct App {
    pub(crate) settings: ServiceSettings,
    pub(crate) models: Models,
    /// Maximum bytes of a page, by its bound and by the memory for it.
    pub(crate) max_page: u64,
    pub(crate) admission: Arc<Admission>,
    /// Batches that may run at a time.
    pub(crate) batches: Arc<Semaphore>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) ids: RequestIds,
    /// The description of the service, made when it is first asked for.
    pub(crate) openapi: OnceLock<Bytes>,
    stages: Arc<StageTimes>,
    stopping: AtomicBool,
}

impl App {
    pub(crate) fn new(settings: ServiceSettings) -> Arc<Self> {
        let metrics = Arc::new(Metrics::new());
        let limits = &settings.limits;
        let admission = Admission::new(limits, metrics.clone());
        Arc::new(Self {
            models: Models::new(settings.models.clone()),
            max_page: limits.max_body.min(admission.bodies.all()).min(weight::longest(admission.work.all())),
            batches: Arc::new(Semaphore::new(limits.jobs.get().saturating_mul(2))),
            settings,
            admission,
            stages: Arc::new(StageTimes(metrics.clone())),
            metrics,
            ids: RequestIds::new(),
            openapi: OnceLock::new(),
            stopping: AtomicBool::new(false),
        })
    }

    /// An extractor by this model and these settings, whose times are counted.
    pub(crate) fn extractor(&self, model: Arc<Model>, settings: &Settings) -> Extractor {
        let extractor = Extractor::with_model(settings, model).with_observer(self.stages.clone());
        match &self.settings.sites {
            Some(sites) => extractor.with_sites(sites.clone()),
            None => extractor,
        }
    }

    /// Has a page judged as soon as a worker and enough memory are free. A short one is judged right here, on the
    /// thread of its connection: handing it to another thread and back costs an eighth of the time of a request and
    /// leaves cores idle. Before, whatever has come on other connections is taken in, so that small requests and pieces
    /// of bodies do not wait behind every page. The memory is free again when the share that is given is dropped.
    ///
    /// # Errors
    /// [`Refusal::Fault`] if it panics; if there is no room for it.
    pub(crate) async fn judge<T: Send + 'static>(
        self: &Arc<Self>,
        page: HeldPage,
        weight: u64,
        judge: impl FnOnce(&App, &[u8]) -> T + Send + 'static,
    ) -> Result<(T, Share), Refusal> {
        if weight > self.admission.work.all() {
            return Err(Refusal::TooHeavy);
        }
        if page.bytes.len() > SHORT {
            return self.work(weight, move |app| judge(app, &page.bytes)).await;
        }
        let place = self.admission.enter()?;
        let (permit, share) = self.worker(weight).await?;
        yield_now().await;
        let made = catch_unwind(AssertUnwindSafe(|| judge(self, &page.bytes)));
        drop((permit, place, page));
        Ok((made.map_err(|_| self.fault())?, share))
    }

    /// Has `work` done on a thread of its own as soon as a worker and enough memory are free. It is done even if the
    /// client has gone; its place is free after it.
    ///
    /// # Errors
    /// [`Refusal::Fault`] if it panics; if there is no room for it.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        weight: u64,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<(T, Share), Refusal> {
        let place = self.admission.enter()?;
        let weight = weight.min(self.admission.work.all());
        let (permit, share) = self.worker(weight).await?;
        let app = self.clone();
        let done = spawn_blocking(move || {
            let made = work(&app);
            drop((permit, place));
            (made, share)
        });
        done.await.map_err(|_| self.fault())
    }

    /// Waits for a free worker, and then for enough memory.
    async fn worker(&self, weight: u64) -> Result<(OwnedSemaphorePermit, Share), Refusal> {
        let begin = Instant::now();
        let permit = self.admission.worker().await.ok_or(Refusal::Busy)?;
        let memory = &self.admission.work;
        let share = memory.share_within(weight, self.settings.limits.timeout).await?;
        self.metrics.stage("wait", begin.elapsed());
        Ok((permit, share))
    }

    fn fault(&self) -> Refusal {
        self.metrics.failed("panic");
        Refusal::Fault
    }

    /// Makes the service report that it is not ready. It finishes current requests.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Returns whether requests are welcome.
    pub(crate) fn is_ready(&self) -> bool {
        !self.is_stopping() && self.admission.has_room()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::thread::{self, ThreadId};

    use tokio::runtime::Builder;

    use super::*;
    use crate::service::ServiceLimits;

    fn app() -> Arc<App> {
        let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 0, ..ServiceLimits::default() };
        App::new(ServiceSettings { limits, ..ServiceSettings::default() })
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(future)
    }

    fn page(app: &App, bytes: usize) -> HeldPage {
        HeldPage { bytes: vec![b'x'; bytes], _share: app.admission.bodies.share(bytes as u64).unwrap() }
    }

    #[test]
    fn short_pages_are_judged_here_and_long_ones_elsewhere() {
        let app = app();
        let on = |bytes| -> ThreadId {
            block_on(async {
                let judged = app.judge(page(&app, bytes), 1, |_, _| thread::current().id());
                judged.await.unwrap().0
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
            let judged = app.judge(page(&app, 0), 1, move |_, _| is_taken_in.load(Ordering::Relaxed));
            assert!(judged.await.unwrap().0);
            other.await.unwrap();
        });
    }

    #[test]
    fn a_page_that_meets_a_fault_gives_its_place_back() {
        let app = app();
        let all = app.admission.work.all();
        for bytes in [0, SHORT + 1] {
            block_on(async {
                let judged = app.judge(page(&app, bytes), all, |_, _| panic!("a fault"));
                assert_eq!(judged.await.map(|((), _)| ()), Err(Refusal::Fault));
                let judged = app.judge(page(&app, bytes), all, |_, _| "well");
                assert_eq!(judged.await.unwrap().0, "well");
                let heavy = app.judge(page(&app, bytes), all + 1, |_, _| "never");
                assert_eq!(heavy.await.map(|_| ()), Err(Refusal::TooHeavy));
            });
        }
        assert!(app.admission.bodies.share(app.admission.bodies.all()).is_ok());
        let metrics = app.metrics.to_string();
        assert!(metrics.contains("trommel_failures_total{kind=\"panic\"} 2\n"));
    }
}
