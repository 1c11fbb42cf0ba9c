//! Signals that end a run.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use trommel::run::StopFlag;

use crate::exit::Exit;

/// Has a file that would pass a bound of the system (`ulimit -f`) fail to be written, as it does on a full
/// disk, instead of ending the program without a word.
pub fn outlive_bounds_on_files() {
    // A signal that somebody takes does no more than that. Where it cannot be taken it ends the program.
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// The request to stop of SIGINT and SIGTERM.
pub struct Stop {
    any: Arc<AtomicBool>,
    interrupt: Arc<AtomicBool>,
}

impl Stop {
    /// Signals end the program at once, as ever.
    pub fn never() -> Self {
        Self { any: Arc::default(), interrupt: Arc::default() }
    }

    /// SIGINT and SIGTERM ask for an early end; a second SIGINT ends the program at once.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::never();
        flag::register_conditional_shutdown(SIGINT, i32::from(Exit::Interrupted.code()), stop.interrupt.clone())?;
        flag::register(SIGINT, stop.interrupt.clone())?;
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, stop.any.clone())?;
        }
        Ok(stop)
    }

    /// Set once an early end is asked for.
    pub fn flag(&self) -> &AtomicBool {
        &self.any
    }

    /// The flag itself, for reads that wait.
    pub fn shared(&self) -> StopFlag {
        self.any.clone().into()
    }

    /// The exit code of a run that was ended early.
    pub fn exit(&self) -> Exit {
        if self.interrupt.load(Ordering::Relaxed) { Exit::Interrupted } else { Exit::Fatal }
    }
}
