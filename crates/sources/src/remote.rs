//! Objects behind `http(s)://`, `s3://`, `gs://`, `az://` and `hf://`.

mod hub;
mod object;
mod requests;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, ops::Range};

use bytes::{Buf, Bytes};
use object_store::{ObjectStore, path::Path};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::{sync::mpsc, sync::mpsc::error::TryRecvError, task::JoinHandle};

use crate::{NetworkOptions, SourceError, StopFlag, network::POLL, redacted};
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
/// The piece behind the last one.
const END: Bytes = Bytes::new();

/// Reads objects on a thread of its own, at most 8 MiB ahead of each reader.
///
/// `http(s)://` URLs are used unchanged; a user and password in them are sent as basic authorization. The other
/// schemes follow the usual variables of the environment: for `s3://` those that begin with `AWS_`, for `gs://` with
/// `GOOGLE_`, for `az://` with `AZURE_`, as `object_store` reads them; for `hf://` `HF_TOKEN` and `HF_ENDPOINT`.
pub struct Remote {
    runtime: Runtime,
    options: NetworkOptions,
    /// Stores by their host or bucket, so that connections are reused.
    stores: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

impl Remote {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system gives none, or the program was built without the network.
    pub fn new(options: NetworkOptions) -> Result<Self, SourceError> {
        // The first one stays: it does not matter whose it is.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("sources").enable_all().build();
        let runtime = runtime.map_err(|error| SourceError::Failed(error.to_string()))?;
        Ok(Self { runtime, options, stores: Mutex::default() })
    }

    /// Opens an object and waits for its first answer.
    ///
    /// # Errors
    /// If the address is none, or the object does not come.
    pub fn open(&self, url: &str) -> Result<RemoteReader, SourceError> {
        self.open_at(url, 0)
    }

    /// Opens an object at a byte. Nothing tells whether the object is the one that earlier bytes came
    /// from.
    ///
    /// # Errors
    /// Like [`Remote::open`].
    pub fn open_at(&self, url: &str, start: u64) -> Result<RemoteReader, SourceError> {
        let mut object = self.object(url)?;
        let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
        let stop = self.options.stop.clone();
        let length = self.runtime.block_on(stop.unless(object.size()))??;
        // Where ranges are not known every request begins with the first byte: there must be one only.
        let chunk = if object.knows_ranges() { CHUNK } else { length };
        let flag = stop.clone();
        self.runtime.spawn(async move {
            let mut at = start;
            while at < length {
                let end = at.saturating_add(chunk).min(length);
                match flag.unless(object.read(at..end, &sender)).await {
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
        Ok(RemoteReader {
            receiver,
            piece: Bytes::new(),
            ended: false,
            length: Some(length).filter(|length| *length < UNKNOWN_LENGTH),
            stop,
            handle: self.runtime.handle().clone(),
        })
    }

    /// The bytes of ranges in their order, each with its own error. Several are asked for at a time.
    pub(crate) fn fetch(
        &self,
        ranges: Vec<(String, Range<u64>)>,
    ) -> impl Iterator<Item = Result<Vec<u8>, SourceError>> + use<> {
        let handle = self.runtime.handle().clone();
        let stop = self.options.stop.clone();
        let mut ranges: VecDeque<_> = ranges.into_iter().map(|(url, range)| (self.object(&url), range)).collect();
        let mut running: VecDeque<JoinHandle<Result<Vec<u8>, SourceError>>> = VecDeque::new();
        std::iter::from_fn(move || {
            while running.len() < MAX_PARALLEL_SEGMENTS
                && let Some((object, range)) = ranges.pop_front()
            {
                running.push_back(handle.spawn(async move { object?.whole(range).await }));
            }
            Some(match handle.block_on(stop.unless(running.pop_front()?)) {
                Ok(Ok(done)) => done,
                Ok(Err(error)) => Err(SourceError::Failed(error.to_string())),
                Err(stopped) => Err(stopped),
            })
        })
    }

    fn object(&self, url: &str) -> Result<Object, SourceError> {
        let (name, store, path) = self.place(url)?;
        Ok(Object::new(store, path, name, &self.options))
    }

    /// Name for messages, store and path of an object.
    fn place(&self, url: &str) -> Result<(String, Arc<dyn ObjectStore>, Path), SourceError> {
        let (key, path) = store::split(url)?;
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let store = match stores.get(&key) {
            Some(store) => Arc::clone(store),
            None => {
                let store = store::open(&key, &self.options)?;
                stores.insert(key, Arc::clone(&store));
                store
            }
        };
        Ok((redacted(url), store, path))
    }
}

/// The bytes of an object, in order. After a break they go on at the byte where it was, if the object
/// is still the same. Once its [`Remote`] is gone, what has not come yet is an error, never a clean end.
#[derive(Debug)]
pub struct RemoteReader {
    receiver: mpsc::Receiver<Result<Bytes, SourceError>>,
    piece: Bytes,
    /// True if the mark of the end has come.
    ended: bool,
    length: Option<u64>,
    stop: StopFlag,
    handle: Handle,
}

impl RemoteReader {
    /// Bytes of the whole object; None if the server does not say.
    pub fn length(&self) -> Option<u64> {
        self.length
    }
}

impl Read for RemoteReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !self.ended {
            let piece = match self.receiver.try_recv() {
                Ok(piece) => Some(piece),
                Err(TryRecvError::Disconnected) => None,
                Err(TryRecvError::Empty) if self.stop.is_set() => {
                    return Err(SourceError::Stopped.into());
                }
                Err(TryRecvError::Empty) => {
                    let next = async { tokio::time::timeout(POLL, self.receiver.recv()).await };
                    match self.handle.block_on(next) {
                        Ok(piece) => piece,
                        Err(_) => continue,
                    }
                }
            };
            match piece {
                Some(piece) => {
                    self.piece = piece?;
                    self.ended = self.piece.is_empty();
                }
                None => {
                    let what = "the network was closed before the object's end";
                    return Err(SourceError::Failed(what.to_owned()).into());
                }
            }
        }
        let count = self.piece.len().min(buffer.len());
        self.piece.copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        Ok(count)
    }
}
