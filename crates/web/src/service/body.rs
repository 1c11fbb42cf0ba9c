//! The body of a request, within bounds. The rest of a body is read after the answer, within bounds, too.

use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use std::{io, pin::Pin};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::{runtime::Handle, sync::mpsc, time::timeout};
use trommel::archive::binary_type;

use crate::{
    service::ServiceLimits, service::answer::Refusal, service::app::App, service::connection::Pace,
    service::memory::HeldPage,
};

/// Bytes that are made room for at least.
const MIN_ROOM: usize = 4 << 10;

/// A whole body that may be a page.
///
/// # Errors
/// If its bytes are not a page, if it is coded, longer or slower than the bounds allow, or cut off, or if there is
/// no room for it.
pub(crate) async fn whole(body: Body, headers: &HeaderMap, app: &App) -> Result<HeldPage, Refusal> {
    plain(headers)?;
    let stated: Option<u64> = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if stated.is_some_and(|length| length > app.max_page) {
        return Err(Refusal::TooLarge(app.max_page));
    }
    // It takes its place when it has come; that there is none is better known now.
    if !app.admission.has_room() {
        return Err(Refusal::Busy);
    }
    let patience = app.settings.limits.timeout;
    let reading = read(body, stated.unwrap_or(app.max_page), app);
    let page = timeout(patience, reading).await;
    let page = page.unwrap_or(Err(Refusal::TimedOut(patience.as_secs())))?;
    match binary_type(&page.bytes) {
        Some(name) => Err(Refusal::NoPage(name)),
        None => Ok(page),
    }
}

async fn read(mut body: Body, most: u64, app: &App) -> Result<HeldPage, Refusal> {
    let memory = &app.admission.bodies;
    let (mut bytes, mut share) = (Vec::new(), memory.share(0)?);
    let mut pace = Pace::new(app.settings.limits.timeout, app.admission.pressure());
    loop {
        pace.waits();
        let frame = match timeout(pace.look(), body.frame()).await {
            Err(_) if pace.is_too_slow() => return Err(Refusal::TooSlow),
            Err(_) => continue,
            Ok(None) => {
                return Ok(HeldPage { bytes, _share: share });
            }
            Ok(Some(frame)) => frame,
        };
        let frame = frame.map_err(|_| Refusal::BadRequest("the body ends early".to_owned()))?;
        let Ok(data) = frame.into_data() else { continue };
        pace.moved(data.len());
        if pace.is_too_slow() {
            return Err(Refusal::TooSlow);
        }
        let length = bytes.len() + data.len();
        if length as u64 > app.max_page {
            return Err(Refusal::TooLarge(app.max_page));
        }
        if length > bytes.capacity() {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let room = (2 * bytes.capacity()).max(MIN_ROOM).min(most).max(length);
            memory.grow(&mut share, (room - bytes.capacity()) as u64)?;
            bytes.reserve_exact(room - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
}

/// Refuses unsupported requests: codings, which a crawler has undone, and unusual expectations.
pub(crate) fn plain(headers: &HeaderMap) -> Result<(), Refusal> {
    let is = |value: &HeaderValue, name: &str| value.as_bytes().eq_ignore_ascii_case(name.as_bytes());
    if headers.get_all(EXPECT).iter().any(|value| !is(value, "100-continue")) {
        return Err(Refusal::Expectation);
    }
    if headers.get_all(TRANSFER_ENCODING).iter().any(|value| !is(value, "chunked")) {
        return Err(Refusal::Unsupported("no transfer coding but chunked is undone".to_owned()));
    }
    let is_form = |value: &HeaderValue| {
        value.as_bytes().get(..20).is_some_and(|kind| kind.eq_ignore_ascii_case(b"multipart/form-data;"))
    };
    if headers.get(CONTENT_TYPE).is_some_and(is_form) {
        let why = "the body is the page itself, not a form with it: curl --data-binary @page.html";
        return Err(Refusal::Unsupported(why.to_owned()));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(coding) if !coding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(Refusal::Unsupported("bodies are taken as they are: undo Content-Encoding before".to_owned()))
        }
        _ => Ok(()),
    }
}

/// Bytes a second below which a body counts as stopped, in the long run.
const MIN_BYTES_PER_SECOND: u64 = 64;

/// Passes on the pieces of a body until it ends, nobody wants them, none arrives for `idle`, or they are so
/// small that the client only occupies a place.
pub(crate) async fn pump(mut body: Body, pieces: mpsc::Sender<io::Result<Bytes>>, idle: Duration) {
    let mut behind = Duration::ZERO;
    loop {
        let begin = Instant::now();
        let left = idle.saturating_sub(behind);
        let next = timeout(left, body.frame()).await;
        behind += begin.elapsed();
        if let Ok(Some(Ok(frame))) = &next {
            let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
            behind = behind.saturating_sub(Duration::from_millis(bytes * 1000 / MIN_BYTES_PER_SECOND));
        }
        let piece = match next {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => Ok(data),
                Err(_) => continue,
            },
            Ok(Some(Err(error))) => Err(io::Error::other(error)),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        let is_last = piece.is_err();
        if pieces.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

/// A body that is read on a thread of its own as it comes.
pub(crate) struct Incoming {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
}

impl Incoming {
    pub(crate) fn new(pieces: mpsc::Receiver<io::Result<Bytes>>) -> Self {
        Self { pieces, piece: Bytes::new() }
    }
}

impl io::Read for Incoming {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                None => return Ok(0),
                Some(piece) => self.piece = piece?,
            }
        }
        let taken = self.piece.split_to(self.piece.len().min(into.len()));
        if let Some(room) = into.get_mut(..taken.len()) {
            room.copy_from_slice(&taken);
        }
        Ok(taken.len())
    }
}

/// Maximum time of reading the rest of a body.
const MAX_LINGER: Duration = Duration::from_secs(5);
/// Bytes that are read on, in pages of maximum length.
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
