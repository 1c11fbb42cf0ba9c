//! The server on this machine.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;

use crate::router::{Labelling, router};

/// Time between two looks at whether to stop.
const TICK: Duration = Duration::from_millis(50);

/// Why pages cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// Threads or sockets cannot be had.
    #[error("the pages cannot be shown: {0}")]
    Start(#[from] std::io::Error),
}

/// Shows the pages to browsers that ask at this socket until `stop` is set. A choice that was answered is
/// in the gold file.
///
/// # Errors
/// If it cannot start.
pub fn serve(
    labelling: Labelling,
    socket: &TcpListener,
    stop: &AtomicBool,
) -> Result<(), LabelError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("label")
        .enable_all()
        .build()?;
    let ended = runtime.block_on(run(Arc::new(labelling), socket, stop));
    // Browsers keep their connections open.
    runtime.shutdown_timeout(TICK);
    ended
}

async fn run(
    labelling: Arc<Labelling>,
    socket: &TcpListener,
    stop: &AtomicBool,
) -> Result<(), LabelError> {
    let socket = socket.try_clone()?;
    socket.set_nonblocking(true)?;
    let socket = tokio::net::TcpListener::from_std(socket)?;
    let router = router(labelling);
    while !stop.load(Ordering::Relaxed) {
        let accepted = tokio::select! {
            accepted = socket.accept() => accepted,
            () = tokio::time::sleep(TICK) => continue,
        };
        let Ok((stream, _)) = accepted else {
            // The system is out of something: not for long, as a rule.
            tokio::time::sleep(TICK).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new());
            // How a connection ends is the browser's affair.
            let _ = builder
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
    Ok(())
}
