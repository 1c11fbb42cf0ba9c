//! Reads byte ranges of one object, reconnects after broken connections, and detects changes of the object.

use std::time::{Duration, Instant};
use std::{mem::take, ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt, stream::BoxStream};
use object_store::{Error, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, client::HttpError, path::Path};

use super::requests::{UNKNOWN_LENGTH, causes, innermost};
use crate::{NetworkOptions, SourceError};

/// Maximum number of consecutive broken connections, without a byte in between, before a read of an object fails.
const MAX_BREAKS: u32 = 5;

/// Maximum number of bytes read from an object whose server does not state its length; reading more fails.
const MAX_UNSTATED: u64 = 64 << 30;

/// Number of times that a server must be too slow for a read of an object to fail.
const MAX_SLOW_READS: u32 = 3;

/// Start of messages of `object_store` about an HTTP status, before the number of the status.
const STATUS: &str = "Server returned non-2xx status code: ";

/// Maximum number of characters kept of a server's message.
const MAX_MESSAGE: usize = 300;

/// Text in the message of `object_store` about a server that answers with more than the requested byte range.
const NOT_PARTIAL: &str = "non-partial response";

/// Object in a store, such as a file in a bucket. The first response determines its version, and later requests fail if
/// the object has changed.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    identity: Option<Identity>,
    /// True if the server ignores byte ranges and always sends the whole object.
    whole: bool,
    /// URL of the object in messages, without secrets.
    name: String,
    idle: Duration,
    least_rate: u64,
}

/// Identity of a version of an object, to detect changes between requests.
#[derive(Clone, Debug, PartialEq)]
struct Identity {
    size: u64,
    tag: Option<String>,
    /// Time of the last change in seconds since 1970; 0 if the server states an `ETag`.
    modified: i64,
}

impl Identity {
    fn of(meta: &ObjectMeta) -> Self {
        let modified = meta.last_modified.timestamp();
        Self { size: meta.size, modified: if meta.e_tag.is_some() { 0 } else { modified }, tag: meta.e_tag.clone() }
    }
}

impl Object {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, path: Path, name: String, options: &NetworkOptions) -> Self {
        Self { store, path, identity: None, whole: false, name, idle: options.idle, least_rate: options.least_rate }
    }

    /// Requests the size of the object in bytes, and records its version. The request is for one byte; if the server
    /// does not support byte ranges, it is repeated for the whole object.
    pub(crate) async fn size(&mut self) -> Result<u64, SourceError> {
        let result = match self.get(Some(0..1)).await {
            Ok(result) => result,
            // A server without ranges, or an object without a byte to ask for.
            Err(error) if !is_final(&error) && !is_exhausted(&error) => {
                self.whole = true;
                self.get(None).await.map_err(|error| source_error(&error))?
            }
            Err(error) => return Err(source_error(&error)),
        };
        let identity = Identity::of(&result.meta);
        let size = identity.size;
        self.identity = Some(identity);
        Ok(size)
    }

    /// Returns whether the server supports byte ranges of the object; known once [`Object::size`] has run.
    pub(crate) fn knows_ranges(&self) -> bool {
        !self.whole
    }

    /// Returns a reader of a byte range of the object, which is requested at the first read.
    pub(crate) fn range(self, range: Range<u64>) -> ObjectBytes {
        let (waited, Range { start: at, end }) = (Duration::ZERO, range);
        ObjectBytes { object: self, at, end, pieces: None, skip: 0, waited, came: 0, breaks: 0, slow: 0 }
    }

    /// Reads a byte range of the object; returns fewer bytes if the object ends earlier.
    pub(crate) async fn whole(self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        let (mut pieces, mut bytes) = (self.range(range), Vec::new());
        while let Some(piece) = pieces.next().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    async fn get(&self, range: Option<Range<u64>>) -> object_store::Result<GetResult> {
        // A weak tag never matches; the answer's own is compared in every case.
        let tag = self.identity.as_ref().and_then(|known| known.tag.clone());
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            if_match: tag.filter(|tag| !tag.starts_with("W/")),
            ..GetOptions::default()
        };
        self.store.get_opts(&self.path, options).await
    }
}

/// Reader of a byte range of an object, as the bytes arrive. After a broken connection it continues at the same byte,
/// if the object has not changed.
pub(crate) struct ObjectBytes {
    object: Object,
    /// Offset in the object of the next byte to return.
    pub(crate) at: u64,
    /// Offset in the object at which the range ends (exclusive).
    end: u64,
    /// Response body of the server; `None` before the first request and after a broken connection.
    pieces: Option<BoxStream<'static, object_store::Result<Bytes>>>,
    /// Number of received bytes to discard before the next byte to return; above 0 if the server ignores byte ranges.
    skip: u64,
    /// Time spent waiting for the server since the rate was last checked.
    waited: Duration,
    came: u64,
    /// Number of broken connections since the last received byte.
    breaks: u32,
    /// Number of times that the server was too slow.
    slow: u32,
}

impl ObjectBytes {
    /// Returns the next bytes as soon as they arrive; `None` at the end of the range.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, SourceError> {
        while self.at < self.end {
            let Some(pieces) = &mut self.pieces else {
                self.ask().await?;
                continue;
            };
            let begin = Instant::now();
            let piece = pieces.next().await;
            self.waited += begin.elapsed();
            match piece {
                Some(Ok(mut piece)) => {
                    self.came += piece.len() as u64;
                    if self.is_slow() {
                        self.slow += 1;
                        self.leave(self.slow, MAX_SLOW_READS - 1, SourceError::TooSlow(self.object.least_rate))?;
                        continue;
                    }
                    let passed = usize::try_from(self.skip).unwrap_or(usize::MAX).min(piece.len());
                    self.skip -= passed as u64;
                    drop(piece.split_to(passed));
                    piece.truncate(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
                    if !piece.is_empty() {
                        self.at += piece.len() as u64;
                        self.breaks = 0;
                        return Ok(Some(piece));
                    }
                }
                // Without a length only the end of the connection tells where the object ends.
                None if self.end == UNKNOWN_LENGTH => break,
                None => self.mend("the connection ended early".to_owned()).await?,
                Some(Err(error)) => self.mend(one_line(&error)).await?,
            }
            if self.end == UNKNOWN_LENGTH && self.at > MAX_UNSTATED {
                let what = format!("has more than {} GiB, and its server does not say how many", MAX_UNSTATED >> 30);
                return Err(SourceError::Failed(what));
            }
        }
        self.end = self.at;
        Ok(None)
    }

    /// Requests the remaining bytes of the range, and checks that the object has not changed.
    async fn ask(&mut self) -> Result<(), SourceError> {
        let object = &mut self.object;
        let result = match object.get((!object.whole).then_some(self.at..self.end)).await {
            Err(error) if object.identity.is_none() && one_line(&error).contains(NOT_PARTIAL) => {
                object.whole = true;
                object.get(None).await
            }
            result => result,
        }
        .map_err(|error| source_error(&error))?;
        let identity = Identity::of(&result.meta);
        self.end = self.end.min(identity.size);
        if *object.identity.get_or_insert_with(|| identity.clone()) != identity {
            return Err(SourceError::Changed);
        }
        self.skip = if object.whole { self.at } else { 0 };
        (self.waited, self.came) = (Duration::ZERO, 0);
        self.pieces = Some(result.into_stream());
        Ok(())
    }

    /// Returns whether the server sent fewer bytes a second than the minimum, over at least `idle` of waiting.
    fn is_slow(&mut self) -> bool {
        if self.waited < self.object.idle {
            return false;
        }
        let (waited, came) = (take(&mut self.waited), take(&mut self.came));
        (came as f64) < self.object.least_rate as f64 * waited.as_secs_f64()
    }

    /// Drops the response, so that the next read requests the remaining bytes again. Returns `error` instead if the
    /// number of failures, `times`, exceeds `most`.
    fn leave(&mut self, times: u32, most: u32, error: SourceError) -> Result<(), SourceError> {
        if times > most {
            return Err(error);
        }
        tracing::warn!("{}: byte {}: {error}; asking again", self.object.name, self.at);
        self.pieces = None;
        Ok(())
    }

    /// Drops the response after a broken connection and waits before the next request. Fails after too many breaks.
    async fn mend(&mut self, what: String) -> Result<(), SourceError> {
        self.breaks += 1;
        self.leave(self.breaks, MAX_BREAKS, SourceError::Failed(what))?;
        tokio::time::sleep(pause(self.breaks)).await;
        Ok(())
    }
}

/// Returns the time to wait after a number of broken connections: 0.1 s after the first, doubled each time.
fn pause(breaks: u32) -> Duration {
    Duration::from_millis(50 << breaks.min(10))
}

/// Returns whether another kind of request would fail with the same error: not found, denied or without credentials.
fn is_final(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. } | Error::PermissionDenied { .. } | Error::Unauthenticated { .. })
}

/// Returns whether a request failed after all retries (status 429, or 5xx except 501), or its connection failed.
fn is_exhausted(error: &Error) -> bool {
    let status = one_line(error).strip_prefix(STATUS).and_then(|rest| rest.get(..3)?.parse().ok());
    let is_it = |status: u16| status == 429 || status >= 500 && status != 501;
    causes(error).any(|cause| cause.is::<HttpError>()) || status.is_some_and(is_it)
}

pub(super) fn source_error(error: &Error) -> SourceError {
    if let Some(error) = causes(error).find_map(|cause| cause.downcast_ref::<SourceError>()) {
        return error.clone();
    }
    match error {
        Error::NotFound { .. } => SourceError::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => SourceError::Denied,
        Error::Precondition { .. } => SourceError::Changed,
        other => SourceError::Failed(one_line(other)),
    }
}

/// Returns the message of the innermost error as one line of at most [`MAX_MESSAGE`] characters.
pub(crate) fn one_line(error: &Error) -> String {
    let text = innermost(error);
    // Servers send pages, and what terminals obey.
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_MESSAGE).collect()
}
