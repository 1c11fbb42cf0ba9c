//! One connection, HTTP/1.1 or HTTP/2, with time limits for clients that send or read slowly.
//!
//! A connection ends if its client is too slow: if it does not take its answer, or requests nothing while others
//! wait for room.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::{io, io::IoSlice, pin::Pin, sync::Arc};

use axum::Router;
use hyper::service::{Service as _, service_fn};
use hyper::{Request, body::Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::{server::conn::auto::Builder, server::graceful::Watcher, service::TowerToHyperService};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time;
use tokio::time::{Sleep, sleep};

use crate::service::memory::Pressure;

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

/// A stream that fails when its client is too slow.
pub(crate) struct PacedStream<S> {
    stream: S,
    requests: Arc<Requests>,
    /// Requests that had begun at the last look.
    known: usize,
    reading: PaceWatch,
    writing: PaceWatch,
}

/// The requests of a connection.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    begun: AtomicUsize,
    answered: AtomicUsize,
}

/// The pace of one direction, and the clock that looks at it.
struct PaceWatch {
    pace: Pace,
    clock: Option<Pin<Box<Sleep>>>,
}

impl<S> PacedStream<S> {
    /// The paces are those of requests, between which a client may be silent, and of answers.
    pub(crate) fn new(stream: S, requests: Arc<Requests>, reading: Pace, writing: Pace) -> Self {
        let watch = |pace| PaceWatch { pace, clock: None };
        Self { stream, requests, known: 0, reading: watch(reading), writing: watch(writing) }
    }

    /// Starts the counts again for a new request.
    fn look(&mut self) {
        let begun = self.requests.begun.load(Ordering::Relaxed);
        if begun != self.known {
            self.known = begun;
            self.reading.pace.rests();
            self.writing.pace.rests();
        }
    }
}

impl Requests {
    pub(crate) fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether an answer is being made: meanwhile the client is not waited for.
    fn is_busy(&self) -> bool {
        self.begun.load(Ordering::Relaxed) != self.answered.load(Ordering::Relaxed)
    }
}

impl PaceWatch {
    /// The result of an attempt to read or write. A waiting one fails when the client is too slow.
    fn over<T>(
        &mut self,
        context: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
        bytes: impl FnOnce(&T) -> usize,
        is_waited_for: impl Fn() -> bool,
    ) -> Poll<io::Result<T>> {
        match tried {
            Poll::Ready(done) => {
                self.clock = None;
                self.pace.moved(done.as_ref().map_or(0, bytes));
                return Poll::Ready(done);
            }
            Poll::Pending => {}
        }
        loop {
            match is_waited_for() {
                true => self.pace.waits(),
                false => self.pace.rests(),
            }
            if self.pace.is_too_slow() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let look = self.pace.look();
            let clock = self.clock.get_or_insert_with(|| Box::pin(sleep(look)));
            if clock.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            clock.as_mut().reset(time::Instant::now() + look);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        stream.look();
        let before = into.filled().len();
        let read = Pin::new(&mut stream.stream).poll_read(context, into);
        let bytes = into.filled().len() - before;
        let is_idle = || !stream.requests.is_busy();
        stream.reading.over(context, read, |()| bytes, is_idle)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        stream.look();
        let written = Pin::new(&mut stream.stream).poll_write(context, bytes);
        stream.writing.over(context, written, |bytes| *bytes, || true)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        stream.look();
        let written = Pin::new(&mut stream.stream).poll_write_vectored(context, bytes);
        stream.writing.over(context, written, |bytes| *bytes, || true)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let flushed = Pin::new(&mut stream.stream).poll_flush(context);
        stream.writing.over(context, flushed, |()| 0, || true)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let ended = Pin::new(&mut stream.stream).poll_shutdown(context);
        stream.writing.over(context, ended, |()| 0, || true)
    }
}

/// Bytes a second that a client must keep up with while others wait for room.
const RATE: f64 = 16.0 * 1024.0;
/// Time by which it may be behind that.
const MAX_LAG: Duration = Duration::from_secs(2);
/// Time between two looks at a client that is waited for.
pub(crate) const CLIENT_POLL: Duration = Duration::from_millis(500);

/// Measures the progress of a client. It is too slow if it moves nothing for the whole patience. As long as
/// others wait for room, it is also too slow if it is two seconds behind 16 KiB a second.
#[derive(Debug)]
pub(crate) struct Pace {
    patience: Duration,
    pressure: Arc<Pressure>,
    /// Since when nothing moves.
    since: Option<Instant>,
    /// Time by which it was behind when something moved last.
    behind: Duration,
}

impl Pace {
    pub(crate) fn new(patience: Duration, pressure: Arc<Pressure>) -> Self {
        Self { patience, pressure, since: None, behind: Duration::ZERO }
    }

    /// The client is waited for.
    pub(crate) fn waits(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Counts bytes that the client has sent or taken.
    pub(crate) fn moved(&mut self, bytes: usize) {
        let waited = self.waited();
        self.since = None;
        let earned = Duration::from_secs_f64(bytes as f64 / RATE);
        self.behind = (self.behind + waited).saturating_sub(earned);
    }

    /// The client is not waited for any more.
    pub(crate) fn rests(&mut self) {
        self.since = None;
        self.behind = Duration::ZERO;
    }

    pub(crate) fn is_too_slow(&self) -> bool {
        let waited = self.waited();
        waited >= self.patience || self.behind + waited >= MAX_LAG.min(self.patience) && self.pressure.is_high()
    }

    /// Time until the next look at it.
    pub(crate) fn look(&self) -> Duration {
        CLIENT_POLL.min(self.patience)
    }

    fn waited(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(patience: u64) -> Pace {
        Pace::new(Duration::from_secs(patience), Arc::new(Pressure::new()))
    }

    /// The same after it was waited for another while.
    fn after(mut pace: Pace, seconds: u64) -> Pace {
        pace.waits();
        pace.since = pace.since.map(|since| since - Duration::from_secs(seconds));
        pace
    }

    #[test]
    fn nothing_for_all_of_the_patience_is_too_slow() {
        assert!(!after(pace(30), 29).is_too_slow());
        assert!(after(pace(30), 30).is_too_slow());
        let mut resting = after(pace(30), 30);
        resting.rests();
        assert!(!resting.is_too_slow());
    }

    #[test]
    fn who_drips_makes_room_for_others() {
        let mut drips = pace(30);
        for _ in 0..100 {
            drips = after(drips, 1);
            assert!(!drips.is_too_slow(), "there is room");
            drips.moved(1);
        }
        let mut reads = pace(30);
        for pace in [&drips, &reads] {
            pace.pressure.rise();
        }
        assert!(drips.is_too_slow());
        for _ in 0..100 {
            reads = after(reads, 1);
            assert!(!reads.is_too_slow());
            reads.moved(17 << 10);
        }
    }
}
