//! Exit codes of the program, the signals that end a run, and a panic reported in one line.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use trommel::run::{Outcome, StopFlag, Summary};

use crate::{messages, messages::say};

/// Result of a command, which determines the exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success of the command. For `search`: at least one document found.
    Clean,
    /// Failure of some records; the outputs hold all others. For `search`: no document found.
    SomeFailed,
    /// Failure of the command without a result, because of wrong usage or a fatal error.
    Fatal,
    /// Panic of the program; the exit code is 101, as usual in Rust.
    Panicked,
    /// Interruption by Ctrl-C; the exit code is 130, as usual in shells.
    Interrupted,
}

impl Exit {
    /// Returns the exit code of the process.
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::SomeFailed => 1,
            Self::Fatal => 2,
            Self::Panicked => 101,
            Self::Interrupted => 130,
        }
    }

    /// Returns the exit status of a command that read archives, from the outcome of its run. If the run was not clean,
    /// the last line of the log gives the reason.
    pub fn of_run(summary: &Summary) -> Self {
        match (summary.outcome(), summary.faults()) {
            (Outcome::Clean, _) => Self::Clean,
            // Damage is only warned of, which a quiet program does not show.
            (Outcome::Nothing, Some(faults)) if summary.damaged > 0 => {
                messages::fail(&format_args!("nothing could be read: {faults}"));
                Self::Fatal
            }
            (Outcome::Nothing, _) => Self::Fatal,
            (Outcome::Partial, None) => Self::SomeFailed,
            (Outcome::Partial, Some(faults)) => Self::SomeFailed.because(&faults),
        }
    }

    /// Prints the reason for this exit status as the last line of the log, and returns the status.
    pub fn because(self, why: &str) -> Self {
        say(&format!("exit {}: {why}", self.code()));
        self
    }
}

/// Turns a write beyond the system's limit on file sizes (`ulimit -f`) into an error, as on a full disk. Otherwise the
/// signal SIGXFSZ would end the program without a message.
pub fn outlive_bounds_on_files() {
    // A signal that somebody takes does no more than that. Where it cannot be taken it ends the program.
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Request to stop the program early, which SIGINT and SIGTERM set.
pub struct Stop {
    any: Arc<AtomicBool>,
    interrupt: Arc<AtomicBool>,
}

impl Stop {
    /// Returns a stop request that no signal sets; SIGINT and SIGTERM end the program at once, as usual.
    pub fn never() -> Self {
        Self { any: Arc::default(), interrupt: Arc::default() }
    }

    /// Returns a stop request that SIGINT and SIGTERM set; a second SIGINT ends the program at once.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::never();
        flag::register_conditional_shutdown(SIGINT, i32::from(Exit::Interrupted.code()), stop.interrupt.clone())?;
        flag::register(SIGINT, stop.interrupt.clone())?;
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, stop.any.clone())?;
        }
        Ok(stop)
    }

    /// Returns the flag that SIGINT and SIGTERM set to stop the program early.
    #[cfg(any(feature = "serve", feature = "label"))]
    pub fn flag(&self) -> &AtomicBool {
        &self.any
    }

    /// Returns a copy of the stop flag for network reads, which end once a signal sets the flag.
    pub fn shared(&self) -> StopFlag {
        self.any.clone().into()
    }

    /// Returns the exit status of a stopped run: `Interrupted` after SIGINT, otherwise `Fatal`.
    pub fn exit(&self) -> Exit {
        if self.interrupt.load(Ordering::Relaxed) { Exit::Interrupted } else { Exit::Fatal }
    }
}

/// Runs the program, and turns a panic of its main thread into an exit code. Only uncaught panics are reported, because
/// a library may panic on a damaged file, which then counts as an error of that file.
pub fn run(program: impl FnOnce() -> Exit) -> Exit {
    static LAST: Mutex<Option<String>> = Mutex::new(None);
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let usual = take_hook();
    // In a process of Python the main thread has no name.
    let main = thread::current().id();
    set_hook(Box::new(move |info| {
        let is_main = thread::current().id() == main;
        // Who asks for a backtrace wants it where it is.
        if is_main && std::env::var_os("RUST_BACKTRACE").is_none() {
            *last() = Some(info.to_string());
        } else {
            usual(info);
        }
    }));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let what = last().take().unwrap_or_default();
        messages::fail(&format_args!("internal fault: {}", what.replace('\n', " ")));
        Exit::Panicked
    })
}

/// Hides the usual message about panics on worker threads, because the run catches, counts and logs a panic on a record
/// with the record's place.
pub fn quiet_workers() {
    let usual = take_hook();
    set_hook(Box::new(move |info| {
        let is_caught = thread::current().name().is_some_and(|name| name == "reader" || name.starts_with("worker-"));
        if is_caught {
            tracing::debug!("{info}");
        } else {
            usual(info);
        }
    }));
}
