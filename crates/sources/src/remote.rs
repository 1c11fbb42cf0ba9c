//! Objects behind `http(s)://`, `s3://`, `gs://`, `az://` and `hf://`.

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

/// Bytes that are asked for at a time where an object is read at scattered places.
const BLOCK: u64 = 128 << 10;
/// Segments of an index that are asked for at the same time.
const MAX_PARALLEL_SEGMENTS: usize = 8;
/// Processors for which one thread takes what comes, and threads at the least and at the most.
// With one, a server that never ends its head keeps the timers from running.
const WORKERS_OF_A_THREAD: usize = 4;
const MIN_THREADS: usize = 2;
const MAX_THREADS: usize = 16;

/// A client that reads objects behind URLs, on threads of its own. The threads start with the first object. Copies of
/// the client share them, and they last as long as a copy or a reader does.
///
/// `http(s)://` URLs are used unchanged; a user and password in them are sent as basic authorization. The other
/// schemes follow the usual variables of the environment: for `s3://` those that begin with `AWS_`, for `gs://` with
/// `GOOGLE_`, for `az://` with `AZURE_`, as `object_store` reads them; for `hf://` `HF_TOKEN` and `HF_ENDPOINT`.
#[derive(Clone)]
pub struct Remote(Arc<Shared>);

struct Shared {
    options: NetworkOptions,
    // Most runs need no network, and start no thread for it.
    runtime: OnceLock<Result<Runtime, SourceError>>,
    /// Stores by their host or bucket, so that connections are reused.
    stores: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
    /// Objects with their lengths. All that is read of one must be of one version.
    known: Mutex<HashMap<String, (Object, u64)>>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

impl Remote {
    /// Creates a client; nothing is connected before the first object.
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

    /// The result of `work`, unless reading is asked to end.
    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, SourceError> {
        self.runtime()?.block_on(self.0.options.stop.unless(work))
    }

    /// Opens an object and waits for the first answer of its server.
    ///
    /// # Errors
    /// If the address is none, the object does not come, or the system gives no thread.
    pub fn open(&self, url: &str) -> Result<RemoteReader, SourceError> {
        let (object, length) = self.sized(url)?;
        Ok(RemoteReader { remote: self.clone(), object, length, reach: u64::MAX, at: 0, coming: None })
    }

    /// Opens an object for reading at scattered places. For reading in order, [`Remote::open`] is faster.
    ///
    /// # Errors
    /// Like [`Remote::open`], and [`SourceError::NoRanges`] if the server gives it as a whole only.
    pub fn seekable(&self, url: &str) -> Result<RemoteReader, SourceError> {
        let reader = self.open(url)?;
        match reader.object.knows_ranges() {
            true => Ok(RemoteReader { reach: BLOCK, ..reader }),
            false => Err(SourceError::NoRanges),
        }
    }

    /// An object, and its length.
    fn sized(&self, url: &str) -> Result<(Object, u64), SourceError> {
        if let Some(known) = lock(&self.0.known).get(url) {
            return Ok(known.clone());
        }
        let mut object = self.object(url)?;
        let length = self.wait(object.size())??;
        lock(&self.0.known).insert(url.to_owned(), (object.clone(), length));
        Ok((object, length))
    }

    /// Returns the size of an object in bytes; none if it is unknown or the server gives no parts of the object.
    pub fn length(&self, url: &str) -> Option<u64> {
        let (object, length) = self.sized(url).ok()?;
        Some(length).filter(|length| object.knows_ranges() && *length < UNKNOWN_LENGTH)
    }

    /// Fetches ranges of objects, several at a time. Returns the bytes of each in order, or its own error.
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

    /// Name for messages, store and path of an object.
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

/// A reader of the bytes of an object, in order. Seeking sends a new request.
pub struct RemoteReader {
    remote: Remote,
    object: Object,
    length: u64,
    /// Bytes that are asked for from a place on.
    reach: u64,
    at: u64,
    /// Bytes on their way, and those of them that came and are not read.
    coming: Option<(ObjectBytes, Bytes)>,
}

impl RemoteReader {
    /// Returns the size of the whole object in bytes; none if the server does not state it.
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
