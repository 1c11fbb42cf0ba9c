//! Processes many pages on threads that end with the call, so that a program may fork before and after it.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pyo3::prelude::*;

use crate::errors::TrommelError;
use crate::signals::{PAUSE, Signals};

/// The results of `work` for each number below `count`, in their order, on `threads` threads (default: all
/// processor cores). Ends early at a signal.
///
/// # Errors
/// The exception of the signal; `TrommelError` if a thread cannot be started or the program met a fault.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: Option<NonZeroUsize>,
    work: impl Fn(usize) -> T + Sync,
) -> PyResult<Vec<T>> {
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get).min(count);
    let mut signals = Signals::new();
    if threads <= 1 {
        return (0..count).map(|number| signals.check().map(|()| work(number))).collect();
    }
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut made = thread::scope(|scope| -> PyResult<Vec<(usize, T)>> {
        let (done, all_done) = mpsc::channel::<()>();
        let mut workers = Vec::with_capacity(threads);
        for _ in 0..threads {
            let (next, stop, work, done) = (&next, &stop, &work, done.clone());
            let worker = thread::Builder::new().name("trommel".to_owned()).spawn_scoped(scope, move || {
                let _done = done;
                let mut made = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || stop.load(Ordering::Relaxed) {
                        return made;
                    }
                    made.push((number, work(number)));
                }
            });
            match worker {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    return Err(TrommelError::new_err(format!("cannot start a thread: {error}")));
                }
            }
        }
        drop(done);
        // Nothing is ever sent: the channel ends with the last worker.
        while let Err(mpsc::RecvTimeoutError::Timeout) = all_done.recv_timeout(PAUSE) {
            if let Err(signal) = signals.check() {
                stop.store(true, Ordering::Relaxed);
                return Err(signal);
            }
        }
        let mut all = Vec::with_capacity(count);
        for worker in workers {
            all.extend(worker.join().map_err(|_| TrommelError::new_err("a fault of the program"))?);
        }
        Ok(all)
    })?;
    made.sort_unstable_by_key(|(number, _)| *number);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}
