//! Serves one connection, HTTP/1.1 or HTTP/2, with time limits for clients that request nothing, or take no answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use std::{io, io::IoSlice, pin::Pin, sync::Arc};

use axum::Router;
use http_body_util::BodyExt as _;
use hyper::service::{Service as _, service_fn};
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::{server::conn::auto::Builder, server::graceful::Watcher, service::TowerToHyperService};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Maximum number of simultaneous streams (requests) on an HTTP/2 connection.
const STREAMS: u32 = 32;
/// Maximum number of bytes of a request's head, and with HTTP/1.1 of the answers in a connection's buffer.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Maximum number of bytes of bodies that wait to be read on one HTTP/2 connection, and of answers to be written.
const WINDOW: u32 = 128 << 10;

/// Answers the requests of a connection until it ends, breaks, or is told to stop. Closes a connection that for the
/// time `patience` brings no request, does not complete the head of a request, or takes too little of an answer.
///
/// Each request and each write to the stream sets `active`.
pub(crate) async fn serve<S>(stream: S, router: Router, patience: Duration, active: Arc<AtomicBool>, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_send_buf_size(WINDOW as usize)
        .max_header_list_size(MAX_HEAD_BYTES as u32);
    let of_requests = active.clone();
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        // Held as long as the answer is made.
        let open = of_requests.clone();
        open.store(true, Ordering::Relaxed);
        let answer = router.call(request);
        async move {
            let answer: Response<axum::body::Body> = answer.await?;
            let held = move |frame| {
                let _ = &open;
                frame
            };
            Ok::<_, std::convert::Infallible>(answer.map(|body| body.map_frame(held)))
        }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(watcher.watch(connection.into_owned()));
    // The clocks of hyper do not run before it knows which protocol it is, and not between requests of HTTP/2.
    loop {
        tokio::select! {
            // How it ends is the client's affair.
            _ = &mut connection => return,
            () = sleep(patience) => {}
        }
        // Three are held without requests: here, by the service and by the stream.
        if !active.swap(false, Ordering::Relaxed) && Arc::strong_count(&active) == 3 {
            return;
        }
    }
}

/// Minimum number of bytes per second that a client must send or take in the long run.
const RATE: f64 = 256.0;

/// Progress of a client: the time by which the client is behind the minimum rate. That time may not exceed `patience`.
#[derive(Debug)]
pub(crate) struct Pace {
    patience: Duration,
    behind: Duration,
}

impl Pace {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { patience, behind: Duration::ZERO }
    }

    /// Returns the time for which the service may still wait for the client.
    pub(crate) fn left(&self) -> Duration {
        self.patience.saturating_sub(self.behind)
    }

    /// Counts bytes that the client has sent or taken, and the time for which the service waited for the client.
    pub(crate) fn moved(&mut self, bytes: usize, waited: Duration) {
        let earned = Duration::from_secs_f64(bytes as f64 / RATE);
        self.behind = (self.behind + waited).saturating_sub(earned);
    }
}

/// Stream that fails when the client takes the written bytes too slowly.
pub(crate) struct PacedStream<S> {
    stream: S,
    active: Arc<AtomicBool>,
    pace: Pace,
    /// Start of the write that is waiting, and the timer that ends the wait; `None` if no write waits.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> PacedStream<S> {
    pub(crate) fn new(stream: S, patience: Duration, active: Arc<AtomicBool>) -> Self {
        Self { stream, active, pace: Pace::new(patience), waiting: None }
    }

    /// Returns the result `tried` of an attempt to write, or an error if the client keeps writes waiting for too long.
    fn paced<T>(
        &mut self,
        context: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(done) = tried {
            let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
            let bytes = done.as_ref().map_or(0, bytes);
            self.pace.moved(bytes, waited);
            self.active.fetch_or(bytes > 0, Ordering::Relaxed);
            return Poll::Ready(done);
        }
        let left = self.pace.left();
        let (_, clock) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        ready!(clock.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(context, written, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.paced(context, written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.paced(context, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.paced(context, ended, |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_drips_is_too_slow_in_the_long_run() {
        let second = Duration::from_secs(1);
        let (mut drips, mut reads) = (Pace::new(30 * second), Pace::new(30 * second));
        for _ in 0..29 {
            drips.moved(1, second);
            reads.moved(300, second);
        }
        assert!(drips.left() < 2 * second);
        assert_eq!(reads.left(), 30 * second);
        drips.moved(1, second);
        drips.moved(1, second);
        assert_eq!(drips.left(), Duration::ZERO);
        drips.moved(1 << 20, Duration::ZERO);
        assert_eq!(drips.left(), 30 * second);
    }
}
