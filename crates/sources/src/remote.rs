//! Reads objects behind `http(s)://`, `s3://`, `gs://`, `az://` and `hf://` URLs.

mod hub;
mod object;
mod requests;
mod store;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, num::NonZeroUsize, ops::Range, thread};

use bytes::{Buf, Bytes};
use futures_util::{StreamExt, stream};
use object_store::{ObjectStore, path::Path};
use tokio::runtime::{Builder, Runtime};

use crate::{NetworkOptions, SourceError, redacted};
use object::{Object, ObjectBytes};
use requests::UNKNOWN_LENGTH;

/// Number of bytes in one request when an object is read at scattered offsets.
const BLOCK: u64 = 128 << 10;
/// Maximum number of byte ranges that are requested at the same time.
const MAX_PARALLEL_SEGMENTS: usize = 8;
/// Number of processors for each network thread. There are at least [`MIN_THREADS`] and at most [`MAX_THREADS`]
/// threads.
// With one, a server that never ends its head keeps the timers from running.
const WORKERS_OF_A_THREAD: usize = 4;
const MIN_THREADS: usize = 2;
const MAX_THREADS: usize = 16;

/// Client that reads objects behind URLs, on its own threads. The threads start with the first object. Copies of the
/// client share the threads, which end with the last copy or reader.
///
/// `http(s)://` URLs are used unchanged; a user and password in the URL are sent as basic authorization. The other
/// schemes follow the usual environment variables. `object_store` reads those that begin with `AWS_` for `s3://`,
/// `GOOGLE_` for `gs://` and `AZURE_` for `az://`. The variables for `hf://` are `HF_TOKEN` and `HF_ENDPOINT`.
#[derive(Clone)]
pub struct Remote(Arc<Shared>);

struct Shared {
    options: NetworkOptions,
    // Most runs need no network, and start no thread for it.
    runtime: OnceLock<Result<Runtime, SourceError>>,
    /// Open object stores by host or bucket name, kept so that connections are reused.
    stores: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
    /// Objects and their lengths in bytes, by URL. All reads of an object must return the same version.
    known: Mutex<HashMap<String, (Object, u64)>>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

impl Remote {
    /// Creates a client, which connects to a server only when the first object is opened.
    pub fn new(options: NetworkOptions) -> Self {
        let (stores, known) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { options, runtime: OnceLock::new(), stores, known }))
    }

    fn runtime(&self) -> Result<&Runtime, SourceError> {
        let start = || {
            // The first one stays: it does not matter whose it is.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let all = thread::available_parallelism().map_or(1, NonZeroUsize::get);
            let threads = (all / WORKERS_OF_A_THREAD).clamp(MIN_THREADS, MAX_THREADS);
            let runtime =
                Builder::new_multi_thread().worker_threads(threads).thread_name("sources").enable_all().build();
            runtime.map_err(|error| SourceError::Failed(error.to_string()))
        };
        self.0.runtime.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    /// Waits for the result of `work`; fails if the stop flag is set first.
    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, SourceError> {
        self.runtime()?.block_on(self.0.options.stop.unless(work))
    }

    /// Opens an object and waits for the first response of its server.
    ///
    /// # Errors
    /// Fails if the URL is invalid, the object cannot be fetched, or the system cannot start a thread.
    pub fn open(&self, url: &str) -> Result<RemoteReader, SourceError> {
        let (object, length) = self.sized(url)?;
        Ok(RemoteReader { remote: self.clone(), object, length, reach: u64::MAX, at: 0, coming: None })
    }

    /// Opens an object for reading at scattered offsets. For reading in order, [`Remote::open`] is faster.
    ///
    /// # Errors
    /// Fails like [`Remote::open`], and with [`SourceError::NoRanges`] if the server does not support byte ranges.
    pub fn seekable(&self, url: &str) -> Result<RemoteReader, SourceError> {
        let reader = self.open(url)?;
        match reader.object.knows_ranges() {
            true => Ok(RemoteReader { reach: BLOCK, ..reader }),
            false => Err(SourceError::NoRanges),
        }
    }

    /// Returns an object and its length in bytes, asking the server if they are not yet known.
    fn sized(&self, url: &str) -> Result<(Object, u64), SourceError> {
        if let Some(known) = lock(&self.0.known).get(url) {
            return Ok(known.clone());
        }
        let mut object = self.object(url)?;
        let length = self.wait(object.size())??;
        lock(&self.0.known).insert(url.to_owned(), (object.clone(), length));
        Ok((object, length))
    }

    /// Returns the size of an object in bytes; `None` if it is unknown, or if the server does not support byte ranges.
    pub fn length(&self, url: &str) -> Option<u64> {
        let (object, length) = self.sized(url).ok()?;
        Some(length).filter(|length| object.knows_ranges() && *length < UNKNOWN_LENGTH)
    }

    /// Fetches byte ranges of objects by URL, several at a time; returns the bytes or the error of each, in order.
    pub(crate) fn fetch(
        &self,
        ranges: Vec<(String, Range<u64>)>,
    ) -> impl Iterator<Item = Result<Vec<u8>, SourceError>> + use<> {
        let wanted: Vec<_> = ranges.into_iter().map(|(url, range)| (self.object(&url), range)).collect();
        let (remote, runner) = (self.clone(), self.clone());
        // On threads of the runtime, so that they come while nobody waits.
        let spawned = stream::iter(wanted).map(move |(object, range)| {
            let task = runner.runtime().map(|runtime| runtime.spawn(async { object?.whole(range).await }));
            async { task?.await.map_err(|error| SourceError::Failed(error.to_string()))? }
        });
        let mut done = Box::pin(spawned.buffered(MAX_PARALLEL_SEGMENTS));
        std::iter::from_fn(move || remote.wait(done.next()).transpose().map(Result::flatten))
    }

    fn object(&self, url: &str) -> Result<Object, SourceError> {
        let (name, store, path) = self.place(url)?;
        Ok(Object::new(store, path, name, &self.0.options))
    }

    /// Finds the object behind a URL: returns its name for messages, its store, and its path in the store.
    fn place(&self, url: &str) -> Result<(String, Arc<dyn ObjectStore>, Path), SourceError> {
        let (key, path) = store::split(url)?;
        // Clients are made once it is known how they encrypt.
        self.runtime()?;
        let mut stores = lock(&self.0.stores);
        let store = match stores.get(&key) {
            Some(store) => Arc::clone(store),
            None => {
                let store = store::open(&key, &self.0.options)?;
                stores.insert(key, Arc::clone(&store));
                store
            }
        };
        Ok((redacted(url), store, path))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reader of the bytes of an object in order. Seeking sends a new request.
pub struct RemoteReader {
    remote: Remote,
    object: Object,
    length: u64,
    /// Maximum number of bytes in one request, from the current offset on.
    reach: u64,
    at: u64,
    /// Response in progress, and the received bytes that have not been read yet.
    coming: Option<(ObjectBytes, Bytes)>,
}

impl RemoteReader {
    /// Returns the size of the whole object in bytes; `None` if the server does not state it.
    pub fn length(&self) -> Option<u64> {
        Some(self.length).filter(|length| *length < UNKNOWN_LENGTH)
    }
}

impl Read for RemoteReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let is_here = |(coming, piece): &mut (ObjectBytes, Bytes)| coming.at - piece.len() as u64 == self.at;
        let mut coming = self.coming.take_if(is_here);
        while self.at < self.length {
            let (bytes, piece) = match &mut coming {
                Some((bytes, piece)) => (bytes, piece),
                none => {
                    let end = self.at.saturating_add(self.reach).min(self.length);
                    let (bytes, piece) = none.insert((self.object.clone().range(self.at..end), Bytes::new()));
                    (bytes, piece)
                }
            };
            if piece.is_empty() {
                match self.remote.wait(bytes.next())?? {
                    Some(next) => *piece = next,
                    None if self.length == UNKNOWN_LENGTH => break,
                    // The end of a block.
                    None => coming = None,
                }
                continue;
            }
            let count = piece.len().min(buffer.len());
            piece.copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
            self.at += count as u64;
            self.coming = coming;
            return Ok(count);
        }
        Ok(0)
    }
}

impl Seek for RemoteReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length().ok_or(io::ErrorKind::Unsupported)?.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
