//! Reads the rest of a body after the answer, within bounds.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http::{HeaderMap, header::EXPECT};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::{runtime::Handle, time::timeout};

use crate::service::ServiceLimits;

/// Maximum time of reading the rest of a body.
const MAX_LINGER: Duration = Duration::from_secs(5);
/// Bytes that are read on, in longest pages.
const PAGES: u64 = 4;

/// A body of which more is read for a while after the answer. Many clients send all of a request before
/// they look at the answer. If the connection closes under them, they lose an early answer, such as that
/// there is no room, or that the page is too long.
pub(crate) struct LingeringBody {
    /// The body; none after its end.
    body: Option<Body>,
    /// True if the client waits to be asked for it.
    waits: bool,
    bytes: u64,
    time: Duration,
}

impl LingeringBody {
    pub(crate) fn new(body: Body, headers: &HeaderMap, limits: &ServiceLimits) -> Self {
        Self {
            body: Some(body),
            waits: headers.contains_key(EXPECT),
            bytes: limits.max_body.saturating_mul(PAGES),
            time: limits.timeout.min(MAX_LINGER),
        }
    }
}

impl HttpBody for LingeringBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.waits = false;
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.body.as_ref().map(Body::size_hint);
        hint.unwrap_or_else(|| SizeHint::with_exact(0))
    }
}

impl Drop for LingeringBody {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take() else { return };
        if self.waits || body.is_end_stream() {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let (mut room, time) = (self.bytes, self.time);
        runtime.spawn(timeout(time, async move {
            while let Some(Ok(frame)) = body.frame().await {
                let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
                match room.checked_sub(bytes) {
                    Some(left) => room = left,
                    None => return,
                }
            }
        }));
    }
}
