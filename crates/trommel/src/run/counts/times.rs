//! Measures how long pages take.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

/// Steps of the scale within a doubling.
// A logarithmic scale keeps any number of pages in some hundred counts, which fit into the saved state.
const STEPS_PER_DOUBLING: f64 = 16.0;

/// Times of pages on a logarithmic scale (16 steps a doubling, so percentiles are off by 4.4 % at
/// most), and the slowest page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    /// Pages by step; step 0 ends at one microsecond.
    steps: BTreeMap<u32, u64>,
    slowest: Option<Slowest>,
}

/// The page that took longest, with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slowest {
    /// Seconds of one worker.
    pub seconds: f64,
    /// WARC-Record-ID, or the URL where there is none.
    pub id: String,
    /// The archive.
    pub file: String,
    /// Stored offset of the record.
    pub offset: u64,
}

impl Times {
    /// Notes a page; `place` is asked for only if it is the slowest so far.
    pub(crate) fn add(&mut self, time: Duration, place: impl FnOnce() -> (String, String, u64)) {
        let seconds = time.as_secs_f64();
        // Below a microsecond the clock itself is no better.
        let step = (seconds * 1e6).max(1.0).log2() * STEPS_PER_DOUBLING;
        *self.steps.entry(step.ceil() as u32).or_default() += 1;
        if self.slowest.as_ref().is_none_or(|slowest| seconds > slowest.seconds) {
            let (id, file, offset) = place();
            self.slowest = Some(Slowest { seconds, id, file, offset });
        }
    }

    /// Adds the times of other pages, which came after these.
    pub(crate) fn join(&mut self, more: Self) {
        for (step, pages) in more.steps {
            *self.steps.entry(step).or_default() += pages;
        }
        let seconds = |slowest: &Option<Slowest>| slowest.as_ref().map_or(-1.0, |page| page.seconds);
        if seconds(&more.slowest) > seconds(&self.slowest) {
            self.slowest = more.slowest;
        }
    }

    /// Seconds within which this share of the pages was done; none if there is no page.
    pub(crate) fn within(&self, share: f64) -> Option<f64> {
        let all: u64 = self.steps.values().sum();
        let wanted = (all as f64 * share).ceil();
        let mut seen = 0;
        for (&step, &pages) in &self.steps {
            seen += pages;
            if seen as f64 >= wanted {
                // The end of the last step lies beyond the slowest page.
                let most = self.slowest.as_ref().map_or(f64::INFINITY, |page| page.seconds);
                return Some(((f64::from(step) / STEPS_PER_DOUBLING).exp2() / 1e6).min(most));
            }
        }
        None
    }

    /// The slowest page.
    pub(crate) fn slowest(&self) -> Option<&Slowest> {
        self.slowest.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_the_slowest() {
        let mut times = Times::default();
        assert_eq!(times.within(0.5), None);
        for millis in 1..=100 {
            times.add(Duration::from_millis(millis), || (millis.to_string(), "a".to_owned(), millis));
        }
        for (share, expected) in [(0.5, 0.050), (0.99, 0.099)] {
            let within = times.within(share).unwrap();
            assert!((within / expected - 1.0).abs() < 0.045, "{share}: {within}");
        }
        let slowest = times.slowest().unwrap();
        assert_eq!(times.within(1.0), Some(slowest.seconds));
        assert_eq!((slowest.id.as_str(), slowest.offset), ("100", 100));
    }
}
