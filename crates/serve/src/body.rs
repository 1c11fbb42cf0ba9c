//! The body of a request, within bounds.

use std::{io, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING},
};
use http_body_util::BodyExt as _;
use tokio::{sync::mpsc, time::timeout};

use crate::{ServiceLimits, admission::Ticket, answer::Refusal};

/// Most bytes that are made room for before they come.
const AT_ONCE: u64 = 1 << 20;

/// All of a body.
///
/// # Errors
/// If it is coded, longer or slower than the bounds allow, or ends before its end.
pub(crate) async fn whole(
    body: Body,
    headers: &HeaderMap,
    limits: &ServiceLimits,
    ticket: &mut Ticket,
) -> Result<Vec<u8>, Refusal> {
    plain(headers)?;
    let stated: Option<u64> = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    if stated.is_some_and(|length| length > limits.max_body) {
        return Err(Refusal::TooLarge(limits.max_body));
    }
    let room = stated.unwrap_or_default().min(AT_ONCE) as usize;
    let read = read(body, Vec::with_capacity(room), limits.max_body, ticket);
    timeout(limits.timeout, read)
        .await
        .unwrap_or(Err(Refusal::TimedOut(limits.timeout.as_secs())))
}

async fn read(
    mut body: Body,
    mut bytes: Vec<u8>,
    most: u64,
    ticket: &mut Ticket,
) -> Result<Vec<u8>, Refusal> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::BadRequest("the body ends early".to_owned()))?;
        if let Ok(data) = frame.into_data() {
            if (bytes.len() + data.len()) as u64 > most {
                return Err(Refusal::TooLarge(most));
            }
            ticket.hold(data.len() as u64)?;
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

/// Refuses what is not done: codings, which a crawler has undone, and expectations but the usual one.
pub(crate) fn plain(headers: &HeaderMap) -> Result<(), Refusal> {
    let is =
        |value: &HeaderValue, name: &str| value.as_bytes().eq_ignore_ascii_case(name.as_bytes());
    if headers
        .get_all(EXPECT)
        .iter()
        .any(|value| !is(value, "100-continue"))
    {
        return Err(Refusal::Expectation);
    }
    if headers
        .get_all(TRANSFER_ENCODING)
        .iter()
        .any(|value| !is(value, "chunked"))
    {
        return Err(Refusal::Unsupported(
            "no transfer coding but chunked is undone".to_owned(),
        ));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(coding) if !coding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(Refusal::Unsupported(
                "bodies are taken as they are: undo Content-Encoding before".to_owned(),
            ))
        }
        _ => Ok(()),
    }
}

/// Hands the pieces of a body on until it ends, nobody wants them, or none comes for `idle`.
pub(crate) async fn pump(mut body: Body, pieces: mpsc::Sender<io::Result<Bytes>>, idle: Duration) {
    loop {
        let piece = match timeout(idle, body.frame()).await {
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
        Self {
            pieces,
            piece: Bytes::new(),
        }
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
