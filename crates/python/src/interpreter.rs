//! Runs work outside the Python interpreter, checks for Ctrl-C meanwhile, and sends log lines to Python's `logging`.
//!
//! Programs may fork before and after a call. Log lines go to the logger `trommel_text`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError, mpsc};
use std::{thread, time::Duration};

use pyo3::prelude::*;
use rayon::{ThreadPoolBuilder, prelude::*};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use crate::errors::TrommelError;

/// Calls `work` for each number below `count` on `threads` threads (default: all processor cores), and returns the
/// results in order. Ends early at a signal. The threads end with the call, because a later fork would lose them.
///
/// # Errors
/// Raises the exception of a signal, and `TrommelError` if a thread cannot be started or `work` panics.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: Option<NonZeroUsize>,
    work: impl Fn(usize) -> T + Sync,
) -> PyResult<Vec<T>> {
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let (work, stop) = (&work, &AtomicBool::new(false));
    let made = thread::scope(|scope| {
        // Nothing is ever sent: the channel ends with the work.
        let (ending, ended) = mpsc::channel::<()>();
        let worker = scope.spawn(move || {
            let _ending = ending;
            let one = |number| (!stop.load(Ordering::Relaxed)).then(|| work(number));
            let all = || (0..count).into_par_iter().with_max_len(1).map(one).collect::<Option<Vec<T>>>();
            on_own_threads(threads.min(count).max(1), all)
        });
        while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(PAUSE) {
            Python::attach(|py| py.check_signals()).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        }
        worker.join().map_err(|_| TrommelError::new_err("a fault of the program"))?
    })?;
    made.ok_or_else(|| TrommelError::new_err("ended by a signal"))
}

/// Runs `work` on a new pool of `threads` threads (0: one for each processor core), which end with the call.
///
/// # Errors
/// Raises `TrommelError` if no thread can be started.
pub(crate) fn on_own_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let threads = ThreadPoolBuilder::new().num_threads(threads).build();
    let threads = threads.map_err(|error| TrommelError::new_err(format!("cannot start a thread: {error}")))?;
    Ok(threads.install(work))
}

/// Time between two checks for signals while a call waits.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// Python function that is called with each log line, such as the progress of training.
static LISTENER: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Guard that passes each log line to a Python function until it is dropped.
#[cfg(feature = "train")]
pub(crate) struct Listener;

#[cfg(feature = "train")]
impl Listener {
    pub(crate) fn new(told: Option<Py<PyAny>>) -> Self {
        *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = told;
        Self
    }
}

#[cfg(feature = "train")]
impl Drop for Listener {
    fn drop(&mut self) {
        *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Sends log lines to Python's `logging` for the rest of the process.
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

/// Text of a log line: the message, followed by the other fields as ` NAME=VALUE`.
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
