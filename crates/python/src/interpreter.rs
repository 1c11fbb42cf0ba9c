//! Work beside the interpreter: threads that end with the call, Ctrl-C, and log lines for Python's `logging`.
//!
//! A program may fork before and after the call. Log lines go to the logger `trommel_text`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use crate::errors::TrommelError;

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

/// Time between two looks.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// Asks now and then whether a signal came.
pub(crate) struct Signals {
    last: Instant,
}

impl Signals {
    /// Asks for the first time after [`PAUSE`].
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// The exception that a signal raised, if one came since the last look.
    ///
    /// # Errors
    /// The exception of the signal, such as `KeyboardInterrupt`.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.last.elapsed() < PAUSE {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}

/// The function that is told what a long work is doing.
static LISTENER: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Calls a function with each line about the progress, until it is dropped.
pub(crate) struct Listener;

impl Listener {
    pub(crate) fn new(told: Option<Py<PyAny>>) -> Self {
        *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = told;
        Self
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Sends log lines to `logging` from now on.
pub(crate) fn connect() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Whoever embeds this module and listens already goes on listening.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(ToPython));
    });
}

struct ToPython;

impl<S: Subscriber> Layer<S> for ToPython {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= Level::INFO && metadata.target().starts_with("trommel")
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        // Numbers of the levels of `logging`.
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            _ => 20,
        };
        // A logger that fails must not end a run; nothing can be said anywhere else.
        let _ = Python::attach(|py| -> PyResult<()> {
            let logger = py.import("logging")?.call_method1("getLogger", ("trommel_text",))?;
            logger.call_method1("log", (level, "%s", &line.0))?;
            // Not called under the lock, because it may train, too.
            let told = {
                let told = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
                told.as_ref().map(|told| told.clone_ref(py))
            };
            told.map_or(Ok(()), |told| told.call1(py, (line.0,)).map(drop))
        });
    }
}

/// The message, followed by the other fields.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
