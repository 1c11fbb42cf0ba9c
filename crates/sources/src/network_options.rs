//! Options of the network: how long reading may wait, and what stops it.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::{sync::Arc, thread, time::Duration};

use crate::SourceError;

/// Time after which a waiting read checks its stop flag again.
pub(crate) const POLL: Duration = Duration::from_millis(100);
/// Bytes of one piece that a thread reads ahead, and pieces.
const PIECE: usize = 256 << 10;
const PIECES_AHEAD: usize = 4;

/// A flag that stops network reads early. Set from outside (for example by a signal handler), it makes every read and
/// pause that has it fail with [`SourceError::Stopped`] within a fifth of a second. Copies share the flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Sets the flag, so that reads end.
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
    /// Ends once the flag is set.
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

    /// Returns the result of `work`, or an error as soon as the flag is set.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Result<T, SourceError> {
        let (work, wait) = (std::pin::pin!(work), std::pin::pin!(self.wait()));
        match futures_util::future::select(work, wait).await {
            futures_util::future::Either::Left((done, _)) => Ok(done),
            futures_util::future::Either::Right(_) => Err(SourceError::Stopped),
        }
    }
}

impl From<Arc<AtomicBool>> for StopFlag {
    /// The flag itself, not a copy of its value.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

/// Options for network reads: their time limits, repetitions and stop flag.
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// The flag that stops every read early.
    pub stop: StopFlag,
    /// Time without a byte after which a connection counts as broken. Default 30 s.
    pub idle: Duration,
    /// Minimum bytes a second, measured over [`NetworkOptions::idle`] of waiting; an object is given up after falling
    /// below three times. 0: no minimum. Default 1,024.
    pub least_rate: u64,
    /// Maximum time for repeating a request that the server or the network refuses temporarily, such as with 429 and
    /// 503. A `Retry-After` of up to 5 minutes is respected in any case. Default 10 minutes.
    pub retry_for: Duration,
    /// True to follow redirects, and containers of a collection, to other hosts than that of the URL, including this
    /// machine and its network. Default false.
    pub follow_hosts: bool,
    /// Fixed addresses of hosts, for tests, which must not ask a name server.
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

/// A reader that fails with [`SourceError::Stopped`] once its flag is set, for long work on files, whose reads never
/// wait.
#[derive(Debug)]
pub struct Stoppable<R> {
    /// The reader that is wrapped.
    pub input: R,
    /// The flag that makes reads fail.
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

/// Opens and reads an input on a thread of its own, up to 1 MiB ahead, so that a read that waits ends with
/// [`SourceError::Stopped`] once `stop` is set. For standard input and named pipes; a thread that waits in
/// the system then stays behind until the program ends. An error of opening comes with the first read.
///
/// # Errors
/// If the system gives no thread.
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

/// The data that a thread reads, piece by piece.
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

    /// Gives what a test sends, and waits for it.
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
