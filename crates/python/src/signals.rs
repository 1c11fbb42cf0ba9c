//! Reacts to Ctrl-C during work without the interpreter.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

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
