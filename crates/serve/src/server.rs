//! The service from its start to its end.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, UnixListener},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use crate::{
    ServiceLimits, ServiceSettings, Socket,
    app::App,
    connection::{self, ByUnixSocket},
    listen::Kind,
    routes::router,
};

/// Time between two looks at whether to stop.
const TICK: Duration = Duration::from_millis(50);
/// Time to wait after a connection could not be accepted: the system is out of something.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Why a service ended before it was told to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Threads or sockets cannot be had.
    #[error("the service cannot start: {0}")]
    Start(#[from] io::Error),
    /// What was in flight did not end in time.
    #[error("connections that were still busy after {0} seconds: {1}")]
    Unfinished(u64, usize),
}

/// Answers requests on these sockets until `stop` is set, and then finishes what is in flight.
///
/// # Errors
/// If it cannot start, or did not finish in time.
pub fn serve(
    settings: ServiceSettings,
    sockets: Vec<Socket>,
    stop: &AtomicBool,
) -> Result<(), ServeError> {
    let limits = settings.limits;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(limits.jobs.get().max(2))
        // Workers, and a thread for each batch.
        .max_blocking_threads(limits.jobs.get().saturating_mul(4).saturating_add(4))
        .thread_name("serve")
        .enable_io()
        .enable_time()
        .build()?;
    let ended = runtime.block_on(run(settings, sockets, stop));
    // A batch whose client does not read may still wait on its thread.
    runtime.shutdown_timeout(TICK);
    ended
}

async fn run(
    settings: ServiceSettings,
    sockets: Vec<Socket>,
    stop: &AtomicBool,
) -> Result<(), ServeError> {
    let limits = settings.limits;
    let tls = settings.tls.clone().map(TlsAcceptor::from);
    let app = App::new(settings);
    let acceptor = Acceptor {
        router: router(app.clone()),
        limits,
        tls,
        graceful: GracefulShutdown::new(),
        room: Arc::new(Semaphore::new(limits.connections)),
    };
    let acceptor = Arc::new(acceptor);
    let (stopping, stops) = watch::channel(());
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
        listening.push(tokio::spawn(accept(
            acceptor.clone(),
            listener,
            stops.clone(),
        )));
    }
    while !stop.load(Ordering::Relaxed) {
        sleep(TICK).await;
    }
    app.stop();
    drop(stopping);
    for accepting in listening {
        let _ = accepting.await;
    }
    drop(sockets);
    let Some(acceptor) = Arc::into_inner(acceptor) else {
        return Ok(());
    };
    let open = acceptor.graceful.count();
    tracing::info!(connections = open, "stopping");
    timeout(limits.grace, acceptor.graceful.shutdown())
        .await
        .map_err(|_| ServeError::Unfinished(limits.grace.as_secs(), open))
}

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

struct Acceptor {
    router: Router,
    limits: ServiceLimits,
    tls: Option<TlsAcceptor>,
    graceful: GracefulShutdown,
    room: Arc<Semaphore>,
}

/// Accepts connections as there is room for them, until the service stops.
async fn accept(acceptor: Arc<Acceptor>, listener: Listener, mut stops: watch::Receiver<()>) {
    loop {
        let accepted = async {
            let permit = acceptor.room.clone().acquire_owned().await;
            let permit = permit.map_err(io::Error::other)?;
            acceptor.next(&listener, permit).await
        };
        tokio::select! {
            // The sender is dropped, nothing is ever sent.
            _ = stops.changed() => return,
            accepted = accepted => if let Err(error) = accepted {
                tracing::warn!("a connection could not be accepted: {error}");
                sleep(AFTER_ERROR).await;
            },
        }
    }
}

impl Acceptor {
    async fn next(&self, listener: &Listener, permit: OwnedSemaphorePermit) -> io::Result<()> {
        match listener {
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                self.spawn(stream, Some(ByUnixSocket), permit);
            }
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are written whole: waiting to fill a packet only delays them.
                let _ = stream.set_nodelay(true);
                match self.tls.clone() {
                    None => self.spawn(stream, None, permit),
                    Some(tls) => {
                        let (router, patience) = (self.router.clone(), self.limits.timeout);
                        let watcher = self.graceful.watcher();
                        tokio::spawn(async move {
                            if let Ok(Ok(stream)) = timeout(patience, tls.accept(stream)).await {
                                connection::serve(stream, None, router, patience, watcher).await;
                            }
                            drop(permit);
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn spawn<S>(
        &self,
        stream: S,
        by_unix_socket: Option<ByUnixSocket>,
        permit: OwnedSemaphorePermit,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (router, patience) = (self.router.clone(), self.limits.timeout);
        let watcher = self.graceful.watcher();
        tokio::spawn(async move {
            connection::serve(stream, by_unix_socket, router, patience, watcher).await;
            drop(permit);
        });
    }
}
