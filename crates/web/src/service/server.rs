//! Runs the service from start to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, sync::Arc, time::Duration};

use axum::serve::{Listener, ListenerExt as _};
use axum::{Extension, Router};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::service::connection::{self, PacedStream};
use crate::service::{ServiceLimits, ServiceSettings, Socket};
use crate::{
    service::listen::ByUnixSocket, service::listen::Kind, service::memory::semaphore, service::routes::router,
    service::shared_state::App,
};

/// Time between two checks whether the service should stop.
const STOP_POLL: Duration = Duration::from_millis(50);

/// Time after which an idle thread for large pages ends.
// The tables of its last page go with it; to start another costs a ten-thousandth of such a page.
const KEEP_ALIVE: Duration = Duration::from_millis(100);

/// Error of a service that ended before it was told to stop, or that did not finish stopping in time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Threads or sockets cannot be created.
    #[error("the service cannot start: {0}")]
    Start(#[from] io::Error),
    /// Current requests did not end within this number of seconds, on this number of connections.
    #[error("connections that were still busy after {0} seconds: {1}")]
    Unfinished(u64, usize),
}

/// Runs the service: answers requests on these sockets until `stop` is set, and then finishes current requests.
///
/// # Errors
/// Fails if the service cannot start, or if current requests do not finish in time.
pub fn serve(settings: ServiceSettings, sockets: Vec<Socket>, stop: &AtomicBool) -> Result<(), ServeError> {
    let (limits, tls) = (settings.limits, settings.tls.clone().map(TlsAcceptor::from));
    let app = App::new(settings);
    Server::new(router(app.clone()), limits, tls).answer(sockets, stop, || app.stop())
}

/// Runs a service with these routes, within the `limits` on connections and time, until `stop` is set.
///
/// # Errors
/// Fails like [`serve`].
pub fn serve_router(
    router: Router,
    limits: &ServiceLimits,
    sockets: Vec<Socket>,
    stop: &AtomicBool,
) -> Result<(), ServeError> {
    Server::new(router, *limits, None).answer(sockets, stop, || {})
}

/// Routes of a service, and the state that all of its connections need.
struct Server {
    router: Router,
    limits: ServiceLimits,
    tls: Option<TlsAcceptor>,
    graceful: GracefulShutdown,
    /// Permits for connections, which limit the number of simultaneous connections.
    room: Arc<Semaphore>,
}

impl Server {
    fn new(router: Router, limits: ServiceLimits, tls: Option<TlsAcceptor>) -> Self {
        Self { router, limits, tls, graceful: GracefulShutdown::new(), room: semaphore(limits.connections) }
    }

    fn answer(self, sockets: Vec<Socket>, stop: &AtomicBool, stopping: impl Fn()) -> Result<(), ServeError> {
        let jobs = self.limits.jobs.get();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(jobs.max(2))
            // Workers, and a thread for each batch.
            .max_blocking_threads(jobs.saturating_mul(4).saturating_add(4))
            .thread_keep_alive(KEEP_ALIVE)
            .thread_name("serve")
            .enable_io()
            .enable_time()
            .build()?;
        let ended = runtime.block_on(self.run(sockets, stop, stopping));
        // A batch whose client does not read may still wait on its thread.
        runtime.shutdown_timeout(STOP_POLL);
        ended
    }

    async fn run(self, sockets: Vec<Socket>, stop: &AtomicBool, stopping: impl Fn()) -> Result<(), ServeError> {
        let grace = self.limits.grace;
        let server = Arc::new(self);
        let (ending, stops) = watch::channel(());
        let mut listening = Vec::new();
        for socket in &sockets {
            let (server, router, stops) = (server.clone(), server.router.clone(), stops.clone());
            listening.push(match &socket.kind {
                Kind::Tcp(listener) => {
                    listener.set_nonblocking(true)?;
                    // Answers are written whole: waiting to fill a packet only delays them.
                    let listener = TcpListener::from_std(listener.try_clone()?)?.tap_io(|stream| {
                        let _ = stream.set_nodelay(true);
                    });
                    let tls = server.tls.clone();
                    tokio::spawn(server.accept(listener, router, tls, stops))
                }
                Kind::Unix(listener) => {
                    listener.set_nonblocking(true)?;
                    let listener = UnixListener::from_std(listener.try_clone()?)?;
                    tokio::spawn(server.accept(listener, router.layer(Extension(ByUnixSocket)), None, stops))
                }
            });
        }
        while !stop.load(Ordering::Relaxed) {
            sleep(STOP_POLL).await;
        }
        stopping();
        drop(ending);
        for accepting in listening {
            let _ = accepting.await;
        }
        drop(sockets);
        let Some(server) = Arc::into_inner(server) else { return Ok(()) };
        let open = server.graceful.count();
        tracing::info!(connections = open, "stopping");
        timeout(grace, server.graceful.shutdown()).await.map_err(|_| ServeError::Unfinished(grace.as_secs(), open))
    }

    /// Accepts connections while there is room for them, and serves each in a separate task, until the service stops.
    async fn accept<L: Listener>(
        self: Arc<Self>,
        mut listener: L,
        router: Router,
        tls: Option<TlsAcceptor>,
        mut stops: watch::Receiver<()>,
    ) {
        let patience = self.limits.timeout;
        loop {
            let next = async {
                let (stream, _) = listener.accept().await;
                (stream, self.room.clone().acquire_owned().await)
            };
            let (stream, room) = tokio::select! {
                // The sender is dropped, nothing is ever sent.
                _ = stops.changed() => return,
                next = next => next,
            };
            let (router, tls, watcher) = (router.clone(), tls.clone(), self.graceful.watcher());
            let active = Arc::new(AtomicBool::new(false));
            let stream = PacedStream::new(stream, patience, active.clone());
            tokio::spawn(async move {
                match tls {
                    None => connection::serve(stream, router, patience, active, watcher).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = timeout(patience, tls.accept(stream)).await {
                            connection::serve(stream, router, patience, active, watcher).await;
                        }
                    }
                }
                drop(room);
            });
        }
    }
}
