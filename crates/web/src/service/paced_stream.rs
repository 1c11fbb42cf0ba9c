//! A connection that ends if its client is too slow. A client is too slow if it does not take its answer, or
//! requests nothing while others wait for room.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::service::pace::Pace;

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
            clock.as_mut().reset(Instant::now() + look);
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
