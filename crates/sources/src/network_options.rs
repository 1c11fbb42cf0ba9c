//! Options of network reads: time limits, retries, and the flag that stops reads.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::{sync::Arc, thread, time::Duration};

use crate::SourceError;

/// Interval at which a waiting read checks its stop flag.
pub(crate) const POLL: Duration = Duration::from_millis(100);
/// Number of bytes in each piece of an input that a thread reads ahead.
const PIECE: usize = 256 << 10;
const PIECES_AHEAD: usize = 4;

/// Flag that stops network reads early. Once set, for example by a signal handler, every read and pause that checks the
/// flag fails with [`SourceError::Stopped`] within a fifth of a second. Copies share the flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Sets the flag, so that reads fail from now on.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether reads should end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(feature = "remote")]
impl StopFlag {
    /// Waits until the flag is set.
    async fn wait(&self) {
        while !self.is_set() {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Sleeps for `time`, or until the flag is set.
    pub(crate) async fn sleep(&self, time: Duration) {
        // Which of both it was does not matter here.
        let _ = tokio::time::timeout(time, self.wait()).await;
    }

    /// Runs `work` and returns its result, or [`SourceError::Stopped`] as soon as the flag is set.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Result<T, SourceError> {
        let (work, wait) = (std::pin::pin!(work), std::pin::pin!(self.wait()));
        match futures_util::future::select(work, wait).await {
            futures_util::future::Either::Left((done, _)) => Ok(done),
            futures_util::future::Either::Right(_) => Err(SourceError::Stopped),
        }
    }
}

impl From<Arc<AtomicBool>> for StopFlag {
    /// Wraps the flag itself, so that setting `flag` later stops reads.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

/// Options for network reads: time limits, retries, redirects and the stop flag.
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// Flag that stops every read early.
    pub stop: StopFlag,
    /// Time without a received byte after which a connection counts as broken. Default: 30 s.
    pub idle: Duration,
    /// Minimum number of bytes a second, measured over [`NetworkOptions::idle`] of waiting. A read fails if an object
    /// is slower three times. 0 disables the minimum. Default: 1,024.
    pub least_rate: u64,
    /// Maximum time for repeating a request that fails temporarily, such as with status 429 or 503. A `Retry-After` of
    /// up to 5 minutes is respected even if it exceeds this time. Default: 10 minutes.
    pub retry_for: Duration,
    /// True if redirects, and archives that a collection names, may lead to other hosts than that of the URL, including
    /// this machine and its network. Default: false.
    pub follow_hosts: bool,
    /// Fixed network addresses of host names, for tests, which must not use DNS.
    #[cfg(all(test, feature = "remote"))]
    pub(crate) addresses: Vec<(String, std::net::SocketAddr)>,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self {
            stop: StopFlag::default(),
            idle: Duration::from_secs(30),
            least_rate: 1024,
            retry_for: Duration::from_secs(600),
            follow_hosts: false,
            #[cfg(all(test, feature = "remote"))]
            addresses: Vec::new(),
        }
    }
}

/// Reader that fails with [`SourceError::Stopped`] once its flag is set. Lets a long read of a file end early.
#[derive(Debug)]
pub struct Stoppable<R> {
    /// Wrapped reader, whose bytes are passed on until the flag is set.
    pub input: R,
    /// Flag that makes further reads fail.
    pub stop: StopFlag,
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() { Err(SourceError::Stopped.into()) } else { self.input.read(buffer) }
    }
}

impl<R: io::Seek> io::Seek for Stoppable<R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

/// Opens and reads an input on a separate thread, up to 1 MiB ahead, so that a waiting read fails with
/// [`SourceError::Stopped`] once `stop` is set. For standard input and named pipes. A thread that waits in the system
/// remains until the program ends. An error of `open` is returned by the first read.
///
/// # Errors
/// Fails if the system cannot start a thread.
pub fn interruptible<R: Read>(
    open: impl FnOnce() -> io::Result<R> + Send + 'static,
    stop: &StopFlag,
) -> io::Result<Box<dyn Read + Send>> {
    let (sender, receiver) = sync_channel(PIECES_AHEAD);
    let read = move || {
        let ended = open().and_then(|mut input| {
            loop {
                let mut piece = vec![0; PIECE];
                match input.read(&mut piece) {
                    Ok(length) => piece.truncate(length),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                }
                // Whoever reads may have gone.
                if piece.is_empty() || sender.send(Ok(piece)).is_err() {
                    return Ok(());
                }
            }
        });
        if let Err(error) = ended {
            let _ = sender.send(Err(error));
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(read)?;
    Ok(Box::new(Pieces { receiver, piece: io::Cursor::new(Vec::new()), stop: stop.clone() }))
}

/// Reader of the pieces that another thread reads ahead from an input.
struct Pieces {
    receiver: Receiver<io::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
    stop: StopFlag,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if self.stop.is_set() {
                return Err(SourceError::Stopped.into());
            }
            match self.receiver.recv_timeout(POLL) {
                Ok(piece) => self.piece = io::Cursor::new(piece?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Reader that waits for each byte until a test sends it.
    struct Slow(std::sync::mpsc::Receiver<u8>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.recv() {
                Ok(byte) => {
                    buffer[0] = byte;
                    Ok(1)
                }
                Err(_) => Ok(0),
            }
        }
    }

    #[test]
    fn a_read_that_waits_ends_with_the_flag() {
        let stop = StopFlag::default();
        let (sender, receiver) = channel();
        let mut input = interruptible(|| Ok(Slow(receiver)), &stop).unwrap();
        sender.send(b'a').unwrap();
        let mut byte = [0; 8];
        assert_eq!(input.read(&mut byte).unwrap(), 1);
        assert_eq!(byte[0], b'a');
        let set = stop.clone();
        let setter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            set.set();
        });
        let error = input.read(&mut byte).unwrap_err();
        assert_eq!(error.to_string(), SourceError::Stopped.to_string());
        setter.join().unwrap();
        // The other end is still open: only the flag can have ended the read.
        sender.send(b'b').unwrap();
    }

    #[test]
    fn bytes_and_ends_pass_unchanged() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        let input = io::Cursor::new(bytes.clone());
        let mut through = Vec::new();
        let mut reader = interruptible(|| Ok(input), &StopFlag::default()).unwrap();
        reader.read_to_end(&mut through).unwrap();
        assert!(through == bytes);
        let folder = tempfile::tempdir().unwrap();
        let stop = StopFlag::default();
        let gone = folder.path().join("gone");
        let mut gone = interruptible(move || std::fs::File::open(gone), &stop).unwrap();
        assert_eq!(gone.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
