//! One connection: HTTP/1.1 or HTTP/2, in time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::Router;
use hyper::{
    Request,
    body::Incoming,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::Watcher},
    service::TowerToHyperService,
};
use tokio::io::{AsyncRead, AsyncWrite};

/// Streams of one HTTP/2 connection at a time.
const STREAMS: u32 = 128;
/// Bytes of the head of a request.
const HEAD: usize = 64 << 10;

/// Marks requests that came through a Unix socket, which no browser reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByUnixSocket;

/// Answers the requests of a connection until it ends, breaks, or is told to stop. One that brings no
/// request in `patience`, or is longer about the head of one, is closed.
pub(crate) async fn serve<S>(
    stream: S,
    by_unix_socket: Option<ByUnixSocket>,
    router: Router,
    patience: Duration,
    watcher: Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEAD as u32)
        .keep_alive_interval(patience)
        .keep_alive_timeout(patience);
    let has_asked = Arc::new(AtomicBool::new(false));
    let asked = has_asked.clone();
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        by_unix_socket.and_then(|mark| request.extensions_mut().insert(mark));
        router.call(request)
    });
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(watcher.watch(connection.into_owned()));
    // Until hyper knows which protocol it is, its own clocks do not run.
    tokio::select! {
        _ = &mut connection => return,
        () = tokio::time::sleep(patience) => {}
    }
    if has_asked.load(Ordering::Relaxed) {
        // How it ends is the client's affair.
        let _ = connection.await;
    }
}
