//! One connection, HTTP/1.1 or HTTP/2, with time limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::Watcher;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::service::pace::Pace;
use crate::service::paced_stream::{PacedStream, Requests};
use crate::service::pressure::Pressure;

/// Streams of one HTTP/2 connection at a time.
const STREAMS: u32 = 32;
/// Bytes of the head of a request, and of answers that wait to be written beside the one that is held.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Bytes of bodies that may wait to be read on one HTTP/2 connection, and of answers to be written.
const WINDOW: u32 = 128 << 10;

/// Marks requests that came through a Unix socket, which no browser reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByUnixSocket;

/// The way in which the connections of a listener are served.
#[derive(Clone)]
pub(crate) struct ConnectionSettings {
    pub(crate) router: Router,
    pub(crate) by_unix_socket: Option<ByUnixSocket>,
    pub(crate) patience: Duration,
    pub(crate) pressure: Arc<Pressure>,
}

impl ConnectionSettings {
    /// A connection that ends when its client is too slow. The clocks of hyper end idle connections, with a
    /// message, before the clock of reading does.
    pub(crate) fn paced<S>(&self, stream: S, requests: &Arc<Requests>) -> PacedStream<S> {
        let pace = |patience| Pace::new(patience, self.pressure.clone());
        let reading = pace(self.patience.saturating_mul(2));
        PacedStream::new(stream, requests.clone(), reading, pace(self.patience))
    }
}

/// Answers the requests of a connection until it ends, breaks, or is told to stop. One that brings no
/// request in the patience, is longer about the head of one, or takes nothing of an answer for as long, is closed.
pub(crate) async fn serve<S>(stream: S, requests: Arc<Requests>, settings: ConnectionSettings, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let patience = settings.patience;
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_send_buf_size(WINDOW as usize)
        .max_header_list_size(MAX_HEAD_BYTES as u32)
        .keep_alive_interval(patience)
        .keep_alive_timeout(patience);
    let has_asked = Arc::new(AtomicBool::new(false));
    let asked = has_asked.clone();
    let router = TowerToHyperService::new(settings.router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        if let Some(mark) = settings.by_unix_socket {
            request.extensions_mut().insert(mark);
        }
        let requests = requests.clone();
        requests.begin();
        let answer = router.call(request);
        async move {
            let answered = AnsweredGuard(requests);
            let answer = answer.await;
            drop(answered);
            answer
        }
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

/// Counts a request as answered, also one whose stream was reset.
struct AnsweredGuard(Arc<Requests>);

impl Drop for AnsweredGuard {
    fn drop(&mut self) {
        self.0.answer();
    }
}
