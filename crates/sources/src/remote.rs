//! Objects behind `http(s)://` and `s3://`.

mod object;

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    io::{self, Read},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::{Buf, Bytes};
use object_store::{
    ClientConfigKey, ClientOptions, ObjectStore, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey},
    http::HttpBuilder,
    path::Path,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::mpsc,
    task::JoinHandle,
};
use url::Url;

use crate::SourceError;
use object::Object;

/// Bytes of one piece on its way to the reader.
const PIECE: usize = 64 << 10;
/// Pieces that are read ahead of the reader, 8 MiB of them.
const AHEAD: usize = 128;
/// Bytes asked for by one request.
const CHUNK: u64 = 16 << 20;
/// Segments of an index that are asked for at the same time.
const TOGETHER: usize = 8;
/// Time without a byte after which a connection counts as broken.
const SILENCE: Duration = Duration::from_secs(30);

/// Reads objects on a thread of its own, at most 8 MiB ahead of each reader.
///
/// `http(s)://` URLs are taken as they are. `s3://BUCKET/KEY` follows the usual variables of the
/// environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_DEFAULT_REGION`, `AWS_ENDPOINT`,
/// `AWS_ALLOW_HTTP`, `AWS_SKIP_SIGNATURE` and others that `object_store` knows.
pub struct Remote {
    runtime: Runtime,
    /// Stores by what they are for, so that connections are used again.
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
    /// If the system gives none.
    pub fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("sources")
            .enable_all()
            .build()?;
        Ok(Self {
            runtime,
            stores: Mutex::default(),
        })
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
    /// As [`Remote::open`].
    pub fn open_at(&self, url: &str, start: u64) -> Result<RemoteReader, SourceError> {
        let mut object = self.object(url)?;
        let (sender, receiver) = mpsc::channel(AHEAD);
        let length = self.runtime.block_on(object.size())?;
        // Where ranges are not known every request begins with the first byte: there must be one only.
        let chunk = if object.knows_ranges() { CHUNK } else { length };
        self.runtime.spawn(async move {
            let mut at = start;
            while at < length {
                let end = at.saturating_add(chunk).min(length);
                match object.read(at..end, &sender).await {
                    Ok(true) => at = end,
                    Ok(false) => return,
                    Err(error) => {
                        // A reader that went away wants no error either.
                        let _ = sender.send(Err(error)).await;
                        return;
                    }
                }
            }
        });
        Ok(RemoteReader {
            receiver,
            piece: Bytes::new(),
            length,
        })
    }

    /// The bytes of ranges in their order, each with its own error. Several are asked for at a time.
    pub(crate) fn fetch(
        &self,
        ranges: Vec<(String, Range<u64>)>,
    ) -> impl Iterator<Item = Result<Vec<u8>, SourceError>> + use<> {
        let handle = self.runtime.handle().clone();
        let mut ranges: VecDeque<_> = ranges
            .into_iter()
            .map(|(url, range)| (self.object(&url), range))
            .collect();
        let mut running: VecDeque<JoinHandle<Result<Vec<u8>, SourceError>>> = VecDeque::new();
        std::iter::from_fn(move || {
            while running.len() < TOGETHER
                && let Some((object, range)) = ranges.pop_front()
            {
                running.push_back(handle.spawn(async move { object?.whole(range).await }));
            }
            let next = running.pop_front()?;
            let done = handle.block_on(next);
            Some(done.unwrap_or_else(|error| Err(SourceError::Failed(error.to_string()))))
        })
    }

    fn object(&self, url: &str) -> Result<Object, SourceError> {
        let address = |what: &dyn fmt::Display| SourceError::Address(what.to_string());
        let parsed = Url::parse(url).map_err(|error| address(&error))?;
        let (key, path) = match parsed.scheme() {
            "http" | "https" => {
                let origin = parsed.origin().ascii_serialization();
                // Stores rewrite some characters of paths; such a URL, or one with a query, is given
                // whole to a store of its own.
                let path = Path::parse(parsed.path()).ok();
                match path.filter(|path| format!("{origin}/{path}") == url) {
                    Some(path) => (origin, path),
                    None => (url.to_owned(), Path::default()),
                }
            }
            "s3" | "s3a" => {
                let bucket = parsed.host_str().unwrap_or_default();
                let path = url.splitn(4, '/').nth(3).unwrap_or_default();
                let path = Path::parse(path).map_err(|error| address(&error))?;
                (format!("s3://{bucket}"), path)
            }
            other => return Err(address(&format!("{other}:// is not read"))),
        };
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let store = match stores.get(&key) {
            Some(store) => Arc::clone(store),
            None => {
                let store = store(&key).map_err(|error| address(&object::one_line(&error)))?;
                stores.insert(key, Arc::clone(&store));
                store
            }
        };
        Ok(Object::new(store, path))
    }
}

fn store(key: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let retry = RetryConfig {
        max_retries: 5,
        retry_timeout: Duration::from_secs(60),
        ..RetryConfig::default()
    };
    // A reader that is slow must not look like a server that is: only silence counts.
    Ok(match key.strip_prefix("s3://") {
        Some(bucket) => {
            let never = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
            let silence = AmazonS3ConfigKey::Client(ClientConfigKey::ReadTimeout);
            let builder = AmazonS3Builder::from_env()
                .with_config(never, "30days")
                .with_config(silence, format!("{}s", SILENCE.as_secs()))
                .with_bucket_name(bucket)
                .with_retry(retry);
            Arc::new(builder.build()?)
        }
        None => {
            let options = ClientOptions::new()
                .with_allow_http(true)
                .with_timeout_disabled()
                .with_read_timeout(SILENCE);
            let builder = HttpBuilder::new()
                .with_url(key)
                .with_client_options(options)
                .with_retry(retry);
            Arc::new(builder.build()?)
        }
    })
}

/// The bytes of an object, in order. After a break they go on at the byte where it was, if the object
/// is still the same.
#[derive(Debug)]
pub struct RemoteReader {
    receiver: mpsc::Receiver<Result<Bytes, SourceError>>,
    piece: Bytes,
    length: u64,
}

impl RemoteReader {
    /// Bytes of the whole object.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for RemoteReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.receiver.blocking_recv() {
                Some(piece) => self.piece = piece?,
                None => return Ok(0),
            }
        }
        let count = self.piece.len().min(buffer.len());
        self.piece
            .copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        Ok(count)
    }
}
