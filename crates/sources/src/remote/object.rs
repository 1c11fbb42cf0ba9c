//! Reads ranges of one object, reconnects after breaks, and detects changes. For data at its end it is seekable.

use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{collections::VecDeque, error::Error as _, fmt, io, ops::Range};

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::{Error, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, client::HttpError, path::Path};
use tokio::sync::mpsc::Sender;

use super::{PIECE, Remote, lock, requests::UNKNOWN_LENGTH, sought};
use crate::{NetworkOptions, SourceError};

/// Breaks in a row, without a byte in between, after which an object is given up.
const MAX_BREAKS: u32 = 5;

/// Bytes of an object whose server does not say its length; it may have no end.
const MAX_UNSTATED: u64 = 64 << 30;

/// Times that an object may come too slowly before it is given up.
const MAX_SLOW_READS: u32 = 3;

/// The beginning of messages of `object_store` about a status.
const STATUS: &str = "Server returned non-2xx status code: ";

/// Maximum characters kept of a server's message.
const MAX_MESSAGE: usize = 300;

/// The message of `object_store` about a server that answers with more than the requested range.
const NOT_PARTIAL: &str = "non-partial response";

/// An object as it was when it was first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    identity: Option<Identity>,
    /// True if the server answers requests for ranges with the whole object.
    whole: bool,
    /// Its name in messages.
    name: String,
    idle: Duration,
    least_rate: u64,
}

/// The identity of a version of an object.
#[derive(Clone, Debug, PartialEq)]
struct Identity {
    size: u64,
    tag: Option<String>,
    /// Seconds since 1970; only looked at without a tag.
    modified: i64,
}

impl Identity {
    fn of(meta: &ObjectMeta) -> Self {
        let modified = meta.last_modified.timestamp();
        Self { size: meta.size, modified: if meta.e_tag.is_some() { 0 } else { modified }, tag: meta.e_tag.clone() }
    }
}

/// The result of one request.
enum RequestEnd {
    /// All bytes were sent.
    Whole,
    /// The reader wants no more bytes.
    Unwanted,
    /// The connection broke.
    Broken(String),
    /// Too few bytes came for too long.
    Slow,
}

impl Object {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, path: Path, name: String, options: &NetworkOptions) -> Self {
        Self { store, path, identity: None, whole: false, name, idle: options.idle, least_rate: options.least_rate }
    }

    /// Asks for the object's size. It is what the first answer says, so that no bytes are wasted
    /// where a server knows ranges; an empty object has none, so it is asked for whole.
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

    /// Returns whether the server supports ranges of the object, as [`Object::size`] found.
    pub(crate) fn knows_ranges(&self) -> bool {
        !self.whole
    }

    /// Sends the bytes of a range. False if nobody wants them any more.
    pub(crate) async fn read(
        &mut self,
        range: Range<u64>,
        sender: &Sender<Result<Bytes, SourceError>>,
    ) -> Result<bool, SourceError> {
        let (mut at, mut breaks, mut slow) = (range.start, 0, 0);
        loop {
            let before = at;
            match self.request(&mut at, range.end, sender).await? {
                RequestEnd::Whole => return Ok(true),
                RequestEnd::Unwanted => return Ok(false),
                RequestEnd::Broken(what) => {
                    breaks = if at > before { 1 } else { breaks + 1 };
                    if breaks > MAX_BREAKS {
                        return Err(SourceError::Failed(what));
                    }
                    tracing::warn!("{}: byte {at}: {what}; asking again", self.name);
                    tokio::time::sleep(pause(breaks)).await;
                }
                RequestEnd::Slow => {
                    slow += 1;
                    let error = SourceError::TooSlow(self.least_rate);
                    if slow == MAX_SLOW_READS {
                        return Err(error);
                    }
                    tracing::warn!("{}: byte {at}: {error}; asking again", self.name);
                }
            }
        }
    }

    /// The bytes of a range; fewer if the object ends before.
    pub(crate) async fn whole(mut self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(16);
        let gather = async {
            let mut bytes = Vec::new();
            while let Some(piece) = receiver.recv().await {
                let piece: Bytes = piece?;
                bytes.extend_from_slice(&piece);
            }
            Ok::<_, SourceError>(bytes)
        };
        let send = async {
            let done = self.read(range, &sender).await;
            drop(sender);
            done
        };
        let (bytes, done) = futures_util::join!(gather, send);
        done?;
        bytes
    }

    /// Sends the bytes from `at` to `end`, moving `at` along.
    async fn request(
        &mut self,
        at: &mut u64,
        end: u64,
        sender: &Sender<Result<Bytes, SourceError>>,
    ) -> Result<RequestEnd, SourceError> {
        if *at >= end {
            return Ok(RequestEnd::Whole);
        }
        let result = match self.get((!self.whole).then_some(*at..end)).await {
            Err(error) if self.identity.is_none() && one_line(&error).contains(NOT_PARTIAL) => {
                self.whole = true;
                self.get(None).await
            }
            result => result,
        }
        .map_err(|error| source_error(&error))?;
        let identity = Identity::of(&result.meta);
        let end = end.min(identity.size);
        match &self.identity {
            Some(known) if *known != identity => return Err(SourceError::Changed),
            Some(_) => {}
            None => self.identity = Some(identity),
        }
        let mut skip = if self.whole { *at } else { 0 };
        let mut stream = result.into_stream();
        let (mut waited, mut came) = (Duration::ZERO, 0);
        loop {
            let begin = Instant::now();
            let Some(piece) = stream.next().await else { break };
            waited += begin.elapsed();
            came += piece.as_ref().map_or(0, Bytes::len) as u64;
            if waited >= self.idle {
                if (came as f64) < self.least_rate as f64 * waited.as_secs_f64() {
                    return Ok(RequestEnd::Slow);
                }
                (waited, came) = (Duration::ZERO, 0);
            }
            if end == UNKNOWN_LENGTH && *at > MAX_UNSTATED {
                let what = format!("has more than {} GiB, and its server does not say how many", MAX_UNSTATED >> 30);
                return Err(SourceError::Failed(what));
            }
            let mut piece = match piece {
                Ok(piece) => piece,
                Err(error) => return Ok(RequestEnd::Broken(one_line(&error))),
            };
            let passed = usize::try_from(skip).unwrap_or(usize::MAX).min(piece.len());
            skip -= passed as u64;
            drop(piece.split_to(passed));
            piece.truncate(usize::try_from(end - *at).unwrap_or(usize::MAX));
            while !piece.is_empty() {
                let part = piece.split_to(piece.len().min(PIECE));
                let length = part.len() as u64;
                if sender.send(Ok(part)).await.is_err() {
                    return Ok(RequestEnd::Unwanted);
                }
                *at += length;
            }
            if *at >= end {
                return Ok(RequestEnd::Whole);
            }
        }
        // Without a length only the end of the connection tells where the object ends.
        if end == UNKNOWN_LENGTH {
            return Ok(RequestEnd::Whole);
        }
        Ok(RequestEnd::Broken("the connection ended early".to_owned()))
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

/// Time before the next try: 0.1 s, doubled each time.
fn pause(breaks: u32) -> Duration {
    Duration::from_millis(50 << breaks.min(10))
}

/// Returns whether asking in another way would change nothing.
fn is_final(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. } | Error::PermissionDenied { .. } | Error::Unauthenticated { .. })
}

/// Returns whether the request was repeated for as long as it may be, or did not come through at all.
fn is_exhausted(error: &Error) -> bool {
    let status = one_line(error).strip_prefix(STATUS).and_then(|rest| rest.get(..3)?.parse().ok());
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<HttpError>() {
            return true;
        }
        cause = error.source();
    }
    status.is_some_and(|status: u16| status == 429 || status >= 500 && status != 501)
}

pub(super) fn source_error(error: &Error) -> SourceError {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(source_error) = error.downcast_ref::<SourceError>() {
            return source_error.clone();
        }
        cause = error.source();
    }
    match error {
        Error::NotFound { .. } => SourceError::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => SourceError::Denied,
        Error::Precondition { .. } => SourceError::Changed,
        other => SourceError::Failed(one_line(other)),
    }
}

/// The message of the innermost error, in one line.
pub(crate) fn one_line(error: &Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    // The outer ones repeat it, with addresses that the caller names anyway.
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = if error.source().is_some() { innermost.to_string() } else { error.to_string() };
    // Servers send pages, and what terminals obey.
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_MESSAGE).collect()
}

/// Bytes asked for at a time.
const BLOCK: u64 = 128 << 10;
/// Blocks that are kept.
const MAX_KEPT_BLOCKS: usize = 16;

/// The bytes of an object for reading at scattered places, requested in blocks of 128 KiB. Copies have positions of
/// their own and share the blocks. For reading in order, [`Remote::open`] is faster.
#[derive(Clone)]
pub struct SeekableObject {
    shared: Arc<SharedBlocks>,
    remote: Remote,
    at: u64,
}

struct SharedBlocks {
    object: Object,
    length: u64,
    /// Blocks by their number, those used last at the end.
    blocks: Mutex<VecDeque<(u64, Bytes)>>,
}

impl fmt::Debug for SeekableObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeekableObject").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Remote {
    /// Opens an object for seeking.
    ///
    /// # Errors
    /// Like [`Remote::open`], and [`SourceError::NoRanges`] if the server gives it as a whole only.
    pub fn seekable(&self, url: &str) -> Result<SeekableObject, SourceError> {
        let (object, length) = self.sized(url)?;
        if !object.knows_ranges() {
            return Err(SourceError::NoRanges);
        }
        let shared = Arc::new(SharedBlocks { object, length, blocks: Mutex::default() });
        Ok(SeekableObject { shared, remote: self.clone(), at: 0 })
    }
}

impl SharedBlocks {
    fn block(&self, number: u64, remote: &Remote) -> Result<Bytes, SourceError> {
        let mut blocks = lock(&self.blocks);
        if let Some(at) = blocks.iter().position(|(known, _)| *known == number)
            && let Some((_, block)) = blocks.remove(at)
        {
            blocks.push_back((number, block.clone()));
            return Ok(block);
        }
        let start = number.saturating_mul(BLOCK);
        let end = start.saturating_add(BLOCK).min(self.length);
        let block: Bytes = remote.wait(self.object.clone().whole(start..end))??.into();
        if blocks.len() == MAX_KEPT_BLOCKS {
            blocks.pop_front();
        }
        blocks.push_back((number, block.clone()));
        Ok(block)
    }
}

impl Read for SeekableObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.shared.length || buffer.is_empty() {
            return Ok(0);
        }
        let block = self.shared.block(self.at / BLOCK, &self.remote)?;
        let from = usize::try_from(self.at % BLOCK).unwrap_or(usize::MAX);
        let there = block.get(from..).unwrap_or_default();
        let count = there.len().min(buffer.len());
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (to, byte) in buffer.iter_mut().zip(there) {
            *to = *byte;
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for SeekableObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = sought(to, self.at, Ok(self.shared.length))?;
        Ok(self.at)
    }
}
