//! Time limits for clients that send or read slowly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::service::pressure::Pressure;

/// Bytes a second that a client must keep up with while others wait for room.
const RATE: f64 = 16.0 * 1024.0;
/// Time by which it may be behind that.
const MAX_LAG: Duration = Duration::from_secs(2);
/// Time between two looks at a client that is waited for.
pub(crate) const CLIENT_POLL: Duration = Duration::from_millis(500);

/// Measures the progress of a client. It is too slow if it moves nothing for the whole patience. As long as
/// others wait for room, it is also too slow if it is two seconds behind 16 KiB a second.
#[derive(Debug)]
pub(crate) struct Pace {
    patience: Duration,
    pressure: Arc<Pressure>,
    /// Since when nothing moves.
    since: Option<Instant>,
    /// Time by which it was behind when something moved last.
    behind: Duration,
}

impl Pace {
    pub(crate) fn new(patience: Duration, pressure: Arc<Pressure>) -> Self {
        Self { patience, pressure, since: None, behind: Duration::ZERO }
    }

    /// The client is waited for.
    pub(crate) fn waits(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Counts bytes that the client has sent or taken.
    pub(crate) fn moved(&mut self, bytes: usize) {
        let waited = self.waited();
        self.since = None;
        let earned = Duration::from_secs_f64(bytes as f64 / RATE);
        self.behind = (self.behind + waited).saturating_sub(earned);
    }

    /// The client is not waited for any more.
    pub(crate) fn rests(&mut self) {
        self.since = None;
        self.behind = Duration::ZERO;
    }

    pub(crate) fn is_too_slow(&self) -> bool {
        let waited = self.waited();
        waited >= self.patience || self.behind + waited >= MAX_LAG.min(self.patience) && self.pressure.is_high()
    }

    /// Time until the next look at it.
    pub(crate) fn look(&self) -> Duration {
        CLIENT_POLL.min(self.patience)
    }

    fn waited(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(patience: u64) -> Pace {
        Pace::new(Duration::from_secs(patience), Arc::new(Pressure::new()))
    }

    /// The same after it was waited for another while.
    fn after(mut pace: Pace, seconds: u64) -> Pace {
        pace.waits();
        pace.since = pace.since.map(|since| since - Duration::from_secs(seconds));
        pace
    }

    #[test]
    fn nothing_for_all_of_the_patience_is_too_slow() {
        assert!(!after(pace(30), 29).is_too_slow());
        assert!(after(pace(30), 30).is_too_slow());
        let mut resting = after(pace(30), 30);
        resting.rests();
        assert!(!resting.is_too_slow());
    }

    #[test]
    fn who_drips_makes_room_for_others() {
        let mut drips = pace(30);
        for _ in 0..100 {
            drips = after(drips, 1);
            assert!(!drips.is_too_slow(), "there is room");
            drips.moved(1);
        }
        let mut reads = pace(30);
        for pace in [&drips, &reads] {
            pace.pressure.rise();
        }
        assert!(drips.is_too_slow());
        for _ in 0..100 {
            reads = after(reads, 1);
            assert!(!reads.is_too_slow());
            reads.moved(17 << 10);
        }
    }
}
