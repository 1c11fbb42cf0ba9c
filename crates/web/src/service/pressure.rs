//! Pressure: whether other clients wait for room that slow clients take.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time for which a want of room is remembered.
const PRESSURE_TIME: Duration = Duration::from_secs(2);

/// Is high for a while after there was no room for a request or a connection.
#[derive(Debug)]
pub(crate) struct Pressure {
    start: Instant,
    /// Milliseconds since the start until which it is high.
    until: AtomicU64,
}

impl Pressure {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), until: AtomicU64::new(0) }
    }

    /// Records that a request found no room.
    pub(crate) fn rise(&self) {
        let until = self.start.elapsed() + PRESSURE_TIME;
        self.until.fetch_max(until.as_millis() as u64, Ordering::Relaxed);
    }

    pub(crate) fn is_high(&self) -> bool {
        (self.start.elapsed().as_millis() as u64) < self.until.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_high_for_a_while() {
        let pressure = Pressure::new();
        assert!(!pressure.is_high());
        pressure.rise();
        assert!(pressure.is_high());
        pressure.until.store(0, Ordering::Relaxed);
        assert!(!pressure.is_high());
    }
}
