//! Starts a service in the process of the test.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;
use std::time::Duration;

use trommel::{Extractor, Model, Settings};
use trommel_web::service::{Listen, ServeError, ServiceLimits, ServiceSettings, Socket, Token, serve};

pub static FAST: LazyLock<Arc<Model>> = LazyLock::new(|| Arc::new(Model::builtin("fast").unwrap()));

/// Creates an extractor with the settings in a JSON text and the same model as the service.
pub fn extractor(settings: &str) -> Extractor {
    Extractor::with_model(&Settings::from_json(settings).unwrap(), FAST.clone())
}

/// Running service for a test, which ends when dropped.
pub struct Host {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// Returns limits that are too wide for tests to meet.
pub fn limits() -> ServiceLimits {
    ServiceLimits {
        jobs: NonZeroUsize::new(2).unwrap(),
        queue: 64,
        max_body: 1 << 20,
        timeout: Duration::from_secs(20),
        grace: Duration::from_secs(20),
        ..ServiceLimits::default()
    }
}

pub fn settings(limits: ServiceLimits) -> ServiceSettings {
    ServiceSettings { models: vec![("fast".into(), FAST.clone())], limits, ..ServiceSettings::default() }
}

/// Token of services that need one.
pub const SECRET: &str = "correct-horse-battery-staple";

impl Host {
    pub fn new() -> Self {
        Self::with(settings(limits()), &[])
    }

    /// Starts a service within these limits that needs the token [`SECRET`].
    pub fn with_token(limits: ServiceLimits) -> Self {
        Self::with(ServiceSettings { token: Some(Token::new(SECRET).unwrap()), ..settings(limits) }, &[])
    }

    /// Starts a service that listens on a free port and on the addresses `more`.
    pub fn with(settings: ServiceSettings, more: &[Listen]) -> Self {
        let tcp = Socket::bind(&Listen::Tcp("127.0.0.1:0".into())).unwrap();
        let address = tcp.to_string().parse().unwrap();
        let mut sockets = vec![tcp];
        sockets.extend(more.iter().map(|listen| Socket::bind(listen).unwrap()));
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = std::thread::spawn(move || serve(settings, sockets, &flag));
        Self { address, stop, thread: Some(thread) }
    }

    /// Tells the service to stop, without waiting for its end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Stops the service, waits for its end, and returns its result.
    pub fn ended(mut self) -> Result<(), ServeError> {
        self.stop();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
