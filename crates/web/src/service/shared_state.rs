//! State that all requests share: settings, models, metrics, and the ids of requests.

use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{spawn_blocking, yield_now};
use trommel::{Extractor, Model, Settings, metrics::Metrics};

use crate::service::memory::{Admission, Share};
use crate::service::{limits::ServiceSettings, memory};
use crate::{service::answer::Refusal, service::memory::HeldBytes};

/// Maximum number of bytes of a page that is judged on the thread of its connection. Judging takes some milliseconds,
/// for which other connections wait.
const SHORT: usize = 256 << 10;

/// State of the service that all requests share.
pub(crate) struct App {
    pub(crate) settings: ServiceSettings,
    /// Maximum number of bytes of a page, which follows from the limits on its length and on memory for judging.
    pub(crate) max_page: u64,
    pub(crate) admission: Admission,
    /// Permits for batches, which limit the number of batches that run at the same time.
    pub(crate) batches: Arc<Semaphore>,
    pub(crate) metrics: Arc<Metrics>,
    /// Counter of the requests without a usable id; new ids are made from it.
    nameless: AtomicU64,
    /// OpenAPI document of the service, made at the first request for it.
    pub(crate) openapi: OnceLock<Bytes>,
    stopping: AtomicBool,
}

impl App {
    pub(crate) fn new(settings: ServiceSettings) -> Arc<Self> {
        let limits = &settings.limits;
        let admission = Admission::new(limits);
        Arc::new(Self {
            max_page: limits.max_body.min(admission.bodies.all).min(memory::longest(admission.work.all)),
            batches: memory::semaphore(limits.jobs.get().saturating_mul(2)),
            settings,
            admission,
            metrics: Arc::default(),
            nameless: AtomicU64::new(0),
            openapi: OnceLock::new(),
            stopping: AtomicBool::new(false),
        })
    }

    /// Returns the names of the service's models; the first is the default.
    pub(crate) fn model_names(&self) -> Vec<&str> {
        self.settings.models.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the model called `name`, or the default model if `name` is `None`.
    ///
    /// # Errors
    /// Fails if the service has no model of this name.
    pub(crate) fn model(&self, name: Option<&str>) -> Result<Arc<Model>, Refusal> {
        let models = &self.settings.models;
        let found = match name {
            None => models.first(),
            Some(name) => {
                let of_name = |name: &str| models.iter().find(|(known, _)| known == name);
                of_name(name).or_else(|| of_name(Model::main_name(name)))
            }
        };
        let none = || Refusal::bad(format!("there is no such model; there are {}", self.model_names().join(", ")));
        found.map(|(_, model)| model.clone()).ok_or_else(none)
    }

    /// Creates an extractor with this model and these settings, which reports its times to the service's metrics.
    pub(crate) fn extractor(&self, model: Arc<Model>, settings: &Settings) -> Extractor {
        let extractor = Extractor::with_model(settings, model).with_observer(self.metrics.clone());
        match &self.settings.sites {
            Some(sites) => extractor.with_sites(sites.clone()),
            None => extractor,
        }
    }

    /// Judges a page as soon as a worker and enough memory are free; dropping the returned share frees the memory. A
    /// short page is judged on the thread of its connection. Handing it to another thread and back would cost an eighth
    /// of the time of a request and leave cores idle. Other connections get a turn before, so that small requests and
    /// pieces of bodies do not wait behind every page.
    ///
    /// # Errors
    /// Fails with [`Refusal::FAULT`] if judging panics, and with [`Refusal::BUSY`] if there is no room for the page.
    /// The status is 413 if the page needs more memory than there is for all pages.
    pub(crate) async fn judge<T: Send + 'static>(
        self: &Arc<Self>,
        page: HeldBytes,
        weight: u64,
        judge: impl FnOnce(&App, &[u8]) -> T + Send + 'static,
    ) -> Result<(T, Share), Refusal> {
        if weight > self.admission.work.all {
            let detail = "the page needs more memory than there is for one";
            return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE, detail.into()));
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

    /// Runs `work` on a separate thread as soon as a worker and `weight` bytes of memory are free. The work is done
    /// even if the client has gone, and the place of the request is free afterwards.
    ///
    /// # Errors
    /// Fails with [`Refusal::FAULT`] if the work panics, and with [`Refusal::BUSY`] if there is no room for it.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        weight: u64,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<(T, Share), Refusal> {
        let place = self.admission.enter()?;
        let weight = weight.min(self.admission.work.all);
        let (permit, share) = self.worker(weight).await?;
        let app = self.clone();
        let done = spawn_blocking(move || {
            let made = work(&app);
            drop((permit, place));
            (made, share)
        });
        done.await.map_err(|_| self.fault())
    }

    /// Waits for a free worker, and then for `weight` bytes of memory; returns the reservations of both.
    async fn worker(&self, weight: u64) -> Result<(OwnedSemaphorePermit, Share), Refusal> {
        let begin = Instant::now();
        let permit = self.admission.worker().await.ok_or(Refusal::BUSY)?;
        let memory = &self.admission.work;
        let share = memory.share_within(weight, self.settings.limits.timeout).await?;
        self.metrics.stage("wait", begin.elapsed());
        Ok((permit, share))
    }

    /// Returns the id of a request from its header, or a new id if the header has no usable one.
    pub(crate) fn id_of(&self, headers: &HeaderMap) -> HeaderValue {
        if let Some(given) = headers.get(REQUEST_ID)
            && given.len() <= MAX_ID_BYTES
            && !given.is_empty()
            && given.as_bytes().iter().all(u8::is_ascii_graphic)
        {
            return given.clone();
        }
        // Another one in each process.
        static START: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
        let number = self.nameless.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}-{number:x}", *START);
        HeaderValue::from_str(&id).unwrap_or_else(|_| HeaderValue::from_static("-"))
    }

    fn fault(&self) -> Refusal {
        self.metrics.failed("panic");
        Refusal::FAULT
    }

    /// Makes the service report that it is not ready, while it finishes current requests.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Returns whether the service accepts requests: it is not stopping and has room for another.
    pub(crate) fn is_ready(&self) -> bool {
        !self.stopping.load(Ordering::Relaxed) && self.admission.has_room()
    }
}

/// Name of the header with the id of a request.
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// Maximum number of bytes of a request id in a header; a longer id is replaced by a new one.
const MAX_ID_BYTES: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::ServiceLimits;
    use std::num::NonZeroUsize;
    use std::thread::{self, ThreadId};
    use tokio::runtime::Builder;

    fn app() -> Arc<App> {
        let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 0, ..ServiceLimits::default() };
        App::new(ServiceSettings { limits, ..ServiceSettings::default() })
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(future)
    }

    fn page(app: &App, bytes: usize) -> HeldBytes {
        HeldBytes { bytes: vec![b'x'; bytes], _share: app.admission.bodies.share(bytes as u64).unwrap() }
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
        let all = app.admission.work.all;
        for bytes in [0, SHORT + 1] {
            block_on(async {
                let judged = app.judge(page(&app, bytes), all, |_, _| panic!("a fault"));
                assert_eq!(judged.await.map(|((), _)| ()), Err(Refusal::FAULT));
                let judged = app.judge(page(&app, bytes), all, |_, _| "well");
                assert_eq!(judged.await.unwrap().0, "well");
                let heavy = app.judge(page(&app, bytes), all + 1, |_, _| "never");
                assert_eq!(heavy.await.map(|_| ()).unwrap_err().0, StatusCode::PAYLOAD_TOO_LARGE);
            });
        }
        assert!(app.admission.bodies.share(app.admission.bodies.all).is_ok());
        let metrics = app.metrics.to_string();
        assert!(metrics.contains("trommel_failures_total{kind=\"panic\"} 2\n"));
    }

    #[test]
    fn models_are_found_by_name() {
        let models = vec![("fast".into(), Arc::new(Model::builtin("fast").unwrap()))];
        let app = App::new(ServiceSettings { models, ..ServiceSettings::default() });
        for name in [None, Some("best")] {
            assert!(Arc::ptr_eq(&app.model(name).unwrap(), &app.settings.models[0].1));
        }
        let refusal = app.model(Some("/etc/passwd")).map(drop).unwrap_err();
        assert_eq!(refusal, Refusal::bad("there is no such model; there are fast"));
    }

    #[test]
    fn ids_are_taken_over_or_made() {
        let app = app();
        let of = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
            app.id_of(&headers)
        };
        assert_eq!(of(b"crawl-7/page-9"), "crawl-7/page-9");
        let made = app.id_of(&HeaderMap::new());
        assert_ne!(made, app.id_of(&HeaderMap::new()));
        for bad in [b"".as_slice(), b"with space", b"\xff", &[b'x'; 200]] {
            assert_ne!(of(bad).as_bytes(), bad);
        }
    }
}
