//! The service from start to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::service::connection::{self, ByUnixSocket, ConnectionSettings, Requests};
use crate::service::{ServiceLimits, ServiceSettings, Socket};
use crate::{service::app::App, service::listen::Kind, service::memory::Pressure, service::routes::router};

/// Time between two looks at whether to stop.
const STOP_POLL: Duration = Duration::from_millis(50);
/// Time to wait after a connection could not be accepted: the system is out of something.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Time after which a thread of large pages ends that has none.
// The tables of its last page go with it; to start another costs a ten-thousandth of such a page.
const KEEP_ALIVE: Duration = Duration::from_millis(100);

/// Reason why a service ended by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Threads or sockets cannot be had.
    #[error("the service cannot start: {0}")]
    Start(#[from] io::Error),
    /// Current requests did not end in time.
    #[error("connections that were still busy after {0} seconds: {1}")]
    Unfinished(u64, usize),
}

/// Answers requests on these sockets until `stop` is set, and then finishes current ones.
///
/// # Errors
/// If it cannot start, or did not finish in time.
pub fn serve(settings: ServiceSettings, sockets: Vec<Socket>, stop: &AtomicBool) -> Result<(), ServeError> {
    let limits = settings.limits;
    let tls = settings.tls.clone().map(TlsAcceptor::from);
    let app = App::new(settings);
    let answers = Answers { router: router(app.clone()), limits, tls, pressure: app.admission.pressure() };
    answer(answers, sockets, stop, || app.stop())
}

/// The same with other routes, within the bounds on connections and time.
///
/// # Errors
/// As for [`serve`].
pub fn serve_router(
    router: Router,
    limits: &ServiceLimits,
    sockets: Vec<Socket>,
    stop: &AtomicBool,
) -> Result<(), ServeError> {
    let answers = Answers { router, limits: *limits, tls: None, pressure: Arc::new(Pressure::new()) };
    answer(answers, sockets, stop, || {})
}

/// The routes, and the settings of connections.
struct Answers {
    router: Router,
    limits: ServiceLimits,
    tls: Option<TlsAcceptor>,
    pressure: Arc<Pressure>,
}

fn answer(answers: Answers, sockets: Vec<Socket>, stop: &AtomicBool, stopping: impl Fn()) -> Result<(), ServeError> {
    let limits = answers.limits;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(limits.jobs.get().max(2))
        // Workers, and a thread for each batch.
        .max_blocking_threads(limits.jobs.get().saturating_mul(4).saturating_add(4))
        .thread_keep_alive(KEEP_ALIVE)
        .thread_name("serve")
        .enable_io()
        .enable_time()
        .build()?;
    let acceptor =
        Acceptor { answers, graceful: GracefulShutdown::new(), room: Arc::new(Semaphore::new(limits.connections)) };
    let ended = runtime.block_on(run(acceptor, sockets, stop, stopping));
    // A batch whose client does not read may still wait on its thread.
    runtime.shutdown_timeout(STOP_POLL);
    ended
}

async fn run(
    acceptor: Acceptor,
    sockets: Vec<Socket>,
    stop: &AtomicBool,
    stopping: impl Fn(),
) -> Result<(), ServeError> {
    let grace = acceptor.answers.limits.grace;
    let acceptor = Arc::new(acceptor);
    let (ending, stops) = watch::channel(());
    let mut listening = Vec::new();
    for socket in &sockets {
        let listener = match &socket.kind {
            Kind::Tcp(listener) => {
                let listener = listener.try_clone()?;
                listener.set_nonblocking(true)?;
                Listener::Tcp(TcpListener::from_std(listener)?)
            }
            Kind::Unix(listener) => {
                let listener = listener.try_clone()?;
                listener.set_nonblocking(true)?;
                Listener::Unix(UnixListener::from_std(listener)?)
            }
        };
        listening.push(tokio::spawn(accept(acceptor.clone(), listener, stops.clone())));
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
    let Some(acceptor) = Arc::into_inner(acceptor) else { return Ok(()) };
    let open = acceptor.graceful.count();
    tracing::info!(connections = open, "stopping");
    timeout(grace, acceptor.graceful.shutdown()).await.map_err(|_| ServeError::Unfinished(grace.as_secs(), open))
}

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

struct Acceptor {
    answers: Answers,
    graceful: GracefulShutdown,
    room: Arc<Semaphore>,
}

/// Accepts connections as there is room for them, until the service stops.
async fn accept(acceptor: Arc<Acceptor>, listener: Listener, mut stops: watch::Receiver<()>) {
    loop {
        tokio::select! {
            // The sender is dropped, nothing is ever sent.
            _ = stops.changed() => return,
            accepted = acceptor.next(&listener) => if let Err(error) = accepted {
                tracing::warn!("a connection could not be accepted: {error}");
                sleep(AFTER_ERROR).await;
            },
        }
    }
}

impl Acceptor {
    async fn next(&self, listener: &Listener) -> io::Result<()> {
        match listener {
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                self.spawn(stream, Some(ByUnixSocket), None).await
            }
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are written whole: waiting to fill a packet only delays them.
                let _ = stream.set_nodelay(true);
                self.spawn(stream, None, self.answers.tls.clone()).await
            }
        }
    }

    /// Serves a connection in a task of its own as soon as there is room for it.
    async fn spawn<S>(
        &self,
        stream: S,
        by_unix_socket: Option<ByUnixSocket>,
        tls: Option<TlsAcceptor>,
    ) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let room = self.room().await?;
        let settings = ConnectionSettings {
            router: self.answers.router.clone(),
            by_unix_socket,
            patience: self.answers.limits.timeout,
            pressure: self.answers.pressure.clone(),
        };
        let watcher = self.graceful.watcher();
        let requests = Arc::new(Requests::default());
        let stream = settings.paced(stream, &requests);
        tokio::spawn(async move {
            match tls {
                None => connection::serve(stream, requests, settings, watcher).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(settings.patience, tls.accept(stream)).await {
                        connection::serve(stream, requests, settings, watcher).await;
                    }
                }
            }
            drop(room);
        });
        Ok(())
    }

    /// Room for a connection that has come: those that do nothing make it.
    async fn room(&self) -> io::Result<OwnedSemaphorePermit> {
        let mut waiting = std::pin::pin!(self.room.clone().acquire_owned());
        loop {
            match timeout(AFTER_ERROR, &mut waiting).await {
                Ok(room) => return room.map_err(io::Error::other),
                Err(_) => self.answers.pressure.rise(),
            }
        }
    }
}
