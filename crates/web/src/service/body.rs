//! Reads the body of a request within limits, and the rest of a body after the answer, within limits, too.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::{io, pin::Pin};

use axum::body::{Body, HttpBody};
use bytes::{Buf as _, Bytes};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::{runtime::Handle, sync::mpsc, time::timeout};
use trommel::archive::binary_type;

use crate::{
    service::ServiceLimits, service::answer::Refusal, service::connection::Pace, service::memory::HeldBytes,
    service::shared_state::App,
};

/// Minimum number of bytes of memory that are reserved for the body of a request.
const MIN_ROOM: usize = 4 << 10;

/// Reads a whole request body, which should be a page, within the limits on length, time and memory.
///
/// # Errors
/// Fails if the body is not a page, has a coding, exceeds a limit or is cut off, or if there is no room for it.
pub(crate) async fn whole(body: Body, headers: &HeaderMap, app: &App) -> Result<HeldBytes, Refusal> {
    plain(headers)?;
    let stated: Option<u64> = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if stated.is_some_and(|length| length > app.max_page) {
        return Err(too_large(app));
    }
    // It takes its place when it has come; that there is none is better known now.
    if !app.admission.has_room() {
        return Err(Refusal::BUSY);
    }
    let patience = app.settings.limits.timeout;
    let reading = read(body, stated.unwrap_or(app.max_page), app);
    let page = timeout(patience, reading).await.unwrap_or(Err(Refusal::late(patience.as_secs())))?;
    match binary_type(&page.bytes) {
        Some(name) => Err(Refusal::unsupported(format!("the body is {name}, not a page"))),
        None => Ok(page),
    }
}

async fn read(mut body: Body, most: u64, app: &App) -> Result<HeldBytes, Refusal> {
    let memory = &app.admission.bodies;
    let (mut bytes, mut share) = (Vec::new(), memory.share(0)?);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::bad("the body ends early"))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length as u64 > app.max_page {
            return Err(too_large(app));
        }
        if length > bytes.capacity() {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let room = (2 * bytes.capacity()).max(MIN_ROOM).min(most).max(length);
            memory.grow(&mut share, (room - bytes.capacity()) as u64)?;
            bytes.reserve_exact(room - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(HeldBytes { bytes, _share: share })
}

fn too_large(app: &App) -> Refusal {
    Refusal(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is longer than {} bytes", app.max_page).into())
}

/// Refuses requests that expect anything but `100-continue`, or whose body is form data or has a coding except chunked.
pub(crate) fn plain(headers: &HeaderMap) -> Result<(), Refusal> {
    let is = |value: &HeaderValue, name: &str| value.as_bytes().eq_ignore_ascii_case(name.as_bytes());
    if headers.get_all(EXPECT).iter().any(|value| !is(value, "100-continue")) {
        return Err(Refusal(StatusCode::EXPECTATION_FAILED, "nothing can be expected but 100-continue".into()));
    }
    if headers.get_all(TRANSFER_ENCODING).iter().any(|value| !is(value, "chunked")) {
        return Err(Refusal::unsupported("no transfer coding but chunked is undone"));
    }
    let is_form = |value: &HeaderValue| {
        value.as_bytes().get(..20).is_some_and(|kind| kind.eq_ignore_ascii_case(b"multipart/form-data;"))
    };
    if headers.get(CONTENT_TYPE).is_some_and(is_form) {
        let why = "the body is the page itself, not a form with it: curl --data-binary @page.html";
        return Err(Refusal::unsupported(why));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(coding) if !coding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(Refusal::unsupported("bodies are taken as they are: undo Content-Encoding before"))
        }
        _ => Ok(()),
    }
}

/// Sends the pieces of a body into a channel until the body ends, the receiver is dropped, or the client is too slow.
pub(crate) async fn pump(mut body: Body, pieces: mpsc::Sender<io::Result<Bytes>>, patience: Duration) {
    let mut pace = Pace::new(patience);
    loop {
        let begin = Instant::now();
        let piece = match timeout(pace.left(), body.frame()).await {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => Ok(frame.into_data().unwrap_or_default()),
            Ok(Some(Err(error))) => Err(io::Error::other(error)),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        pace.moved(piece.as_ref().map_or(0, Bytes::len), begin.elapsed());
        let is_last = piece.is_err();
        if pieces.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

/// Blocking reader of a body that arrives in pieces, for use on a separate thread.
pub(crate) struct Incoming {
    pub(crate) pieces: mpsc::Receiver<io::Result<Bytes>>,
    pub(crate) piece: Bytes,
}

impl io::Read for Incoming {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                None => return Ok(0),
                Some(piece) => self.piece = piece?,
            }
        }
        (&mut self.piece).reader().read(into)
    }
}

/// Maximum time for which the rest of a request body is read after the answer was sent.
const MAX_LINGER: Duration = Duration::from_secs(5);
/// Maximum amount of a request body that is read after the answer, as a multiple of the maximum length of a page.
const PAGES: u64 = 4;

/// Request body whose rest is read for a while after the answer. Many clients send a whole request before they read the
/// answer. If the connection closed meanwhile, they would lose an early answer, such as that the page is too long.
pub(crate) struct LingeringBody {
    body: Body,
    /// True if the client waits for a go-ahead (`Expect: 100-continue`) before it sends the body.
    waits: bool,
    bytes: u64,
    time: Duration,
}

impl LingeringBody {
    pub(crate) fn new(body: Body, headers: &HeaderMap, limits: &ServiceLimits) -> Self {
        Self {
            body,
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
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for LingeringBody {
    fn drop(&mut self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if self.waits || self.body.is_end_stream() {
            return;
        }
        let (mut body, mut room) = (std::mem::take(&mut self.body), self.bytes);
        runtime.spawn(timeout(self.time, async move {
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
