//! Objects behind `http(s)://`, `s3://`, `gs://`, `az://` and `hf://`.

mod hub;
mod object;
mod requests;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, num::NonZeroUsize, ops::Range, thread};

use bytes::{Buf, Bytes};
use object_store::{ObjectStore, path::Path};
use tokio::runtime::{Builder, Runtime};
use tokio::{sync::mpsc, sync::mpsc::error::TryRecvError, task::JoinHandle};

use crate::{NetworkOptions, SourceError, network::POLL, redacted};
use object::Object;
use requests::UNKNOWN_LENGTH;

pub use object::SeekableObject;

/// Bytes of one piece on its way to the reader.
const PIECE: usize = 64 << 10;
/// Pieces that are read ahead of the reader, 8 MiB of them.
const PIECES_AHEAD: usize = 128;
/// Bytes asked for by one request.
const CHUNK: u64 = 16 << 20;
/// Segments of an index that are asked for at the same time.
const MAX_PARALLEL_SEGMENTS: usize = 8;
/// Processors for which one thread takes what comes, and threads at the most.
const WORKERS_OF_A_THREAD: usize = 4;
const MAX_THREADS: usize = 16;
/// The piece behind the last one.
const END: Bytes = Bytes::new();

/// Reads objects on threads of its own, at most 8 MiB ahead of each reader. They start with the first object. Copies share
/// them, and they last as long as a copy or a reader does.
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
    /// A network that nobody has used yet.
    pub fn new(options: NetworkOptions) -> Self {
        let (stores, known) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { options, runtime: OnceLock::new(), stores, known }))
    }

    fn runtime(&self) -> Result<&Runtime, SourceError> {
        let start = || {
            // The first one stays: it does not matter whose it is.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let all = thread::available_parallelism().map_or(1, NonZeroUsize::get);
            let threads = (all / WORKERS_OF_A_THREAD).clamp(1, MAX_THREADS);
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

    /// Opens an object and waits for its first answer.
    ///
    /// # Errors
    /// If the address is none, the object does not come, or the system gives no thread.
    pub fn open(&self, url: &str) -> Result<RemoteReader, SourceError> {
        let (object, length) = self.sized(url)?;
        Ok(RemoteReader { remote: self.clone(), object, length, at: 0, stream: None })
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

    /// Bytes of an object that is given in parts; none of others.
    pub fn length(&self, url: &str) -> Option<u64> {
        let (object, length) = self.sized(url).ok()?;
        Some(length).filter(|length| object.knows_ranges() && *length < UNKNOWN_LENGTH)
    }

    /// The bytes of ranges in their order, each with its own error. Several are asked for at a time.
    pub(crate) fn fetch(
        &self,
        ranges: Vec<(String, Range<u64>)>,
    ) -> impl Iterator<Item = Result<Vec<u8>, SourceError>> + use<> {
        let remote = self.clone();
        let mut ranges: VecDeque<_> = ranges.into_iter().map(|(url, range)| (self.object(&url), range)).collect();
        let mut running: VecDeque<JoinHandle<Result<Vec<u8>, SourceError>>> = VecDeque::new();
        std::iter::from_fn(move || {
            while running.len() < MAX_PARALLEL_SEGMENTS
                && let Some((object, range)) = ranges.pop_front()
            {
                match remote.runtime() {
                    Ok(runtime) => running.push_back(runtime.spawn(async move { object?.whole(range).await })),
                    Err(error) => return Some(Err(error)),
                }
            }
            Some(match remote.wait(running.pop_front()?) {
                Ok(Ok(done)) => done,
                Ok(Err(error)) => Err(SourceError::Failed(error.to_string())),
                Err(stopped) => Err(stopped),
            })
        })
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

/// The bytes of an object, in order. After a break they go on at the byte where it was, if the object
/// is still the same. To seek is to ask anew.
#[derive(Debug)]
pub struct RemoteReader {
    remote: Remote,
    object: Object,
    length: u64,
    at: u64,
    stream: Option<Stream>,
}

/// Bytes on their way to a reader.
#[derive(Debug)]
struct Stream {
    receiver: mpsc::Receiver<Result<Bytes, SourceError>>,
    piece: Bytes,
    /// Place of the next byte.
    at: u64,
    /// True if the mark of the end has come.
    ended: bool,
}

impl RemoteReader {
    /// Bytes of the whole object; None if the server does not say.
    pub fn length(&self) -> Option<u64> {
        Some(self.length).filter(|length| *length < UNKNOWN_LENGTH)
    }

    /// Begins to ask for the bytes from here on.
    fn begin(&self) -> Result<Stream, SourceError> {
        let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
        let (mut object, length, start) = (self.object.clone(), self.length, self.at);
        // Where ranges are not known every request begins with the first byte: there must be one only.
        let chunk = if object.knows_ranges() { CHUNK } else { length };
        let stop = self.remote.0.options.stop.clone();
        self.remote.runtime()?.spawn(async move {
            let mut at = start;
            while at < length {
                let end = at.saturating_add(chunk).min(length);
                match stop.unless(object.read(at..end, &sender)).await {
                    Ok(Ok(true)) => at = end,
                    Ok(Ok(false)) => return,
                    Ok(Err(error)) | Err(error) => {
                        // A reader that went away wants no error either.
                        let _ = sender.send(Err(error)).await;
                        return;
                    }
                }
            }
            // Nor does it want the mark of the end.
            let _ = sender.send(Ok(END)).await;
        });
        Ok(Stream { receiver, piece: Bytes::new(), at: start, ended: false })
    }
}

impl Read for RemoteReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stream.as_ref().is_none_or(|stream| stream.at != self.at) {
            self.stream = Some(self.begin()?);
        }
        let Some(stream) = &mut self.stream else { return Ok(0) };
        let stop = &self.remote.0.options.stop;
        while stream.piece.is_empty() && !stream.ended {
            let piece = match stream.receiver.try_recv() {
                Ok(piece) => Some(piece),
                Err(TryRecvError::Disconnected) => None,
                Err(TryRecvError::Empty) if stop.is_set() => {
                    return Err(SourceError::Stopped.into());
                }
                Err(TryRecvError::Empty) => {
                    let next = async { tokio::time::timeout(POLL, stream.receiver.recv()).await };
                    match self.remote.runtime()?.block_on(next) {
                        Ok(piece) => piece,
                        Err(_) => continue,
                    }
                }
            };
            let closed = || SourceError::Failed("the network was closed before the object's end".to_owned());
            stream.piece = piece.ok_or_else(closed)??;
            stream.ended = stream.piece.is_empty();
        }
        let count = stream.piece.len().min(buffer.len());
        stream.piece.copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        stream.at += count as u64;
        self.at = stream.at;
        Ok(count)
    }
}

impl Seek for RemoteReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = sought(to, self.at, self.length().ok_or(io::ErrorKind::Unsupported.into()))?;
        Ok(self.at)
    }
}

/// The place that is sought from another, in bytes of that length.
fn sought(to: SeekFrom, from: u64, length: io::Result<u64>) -> io::Result<u64> {
    let at = match to {
        SeekFrom::Start(at) => Some(at),
        SeekFrom::End(by) => length?.checked_add_signed(by),
        SeekFrom::Current(by) => from.checked_add_signed(by),
    };
    at.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
