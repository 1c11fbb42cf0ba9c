//! Measures where the time of a run goes.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use trommel_extract::{ExtractionObserver, ExtractionStage};

trommel_text::named! {
    /// A stage on the way from an archive to an output.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stage {
        /// Reading archives: inflating and dividing into records.
        Records = "records",
        /// HTTP framing and codings.
        Payload = "payload",
        /// The text of the page, and its tables.
        Tables = "charset and tables",
        /// Features, scores and choice.
        Choice = "features and choice",
        /// Text, title, metadata and language.
        Document = "text, metadata, language",
        /// Filters and encoding.
        Encoding = "filters and encoding",
        /// Compressing and writing.
        Writing = "compressing and writing",
    }
}

/// Time spent in each stage, summed up over all threads that share the clock. Time in which a thread
/// was not let run counts as well.
#[derive(Debug, Default)]
// Atomic sums: all threads add to them, and a lock would show in what is measured.
pub struct Clock([AtomicU64; Stage::ALL.len()]);

impl Clock {
    /// Adds the time since `begin` to a stage, and begins anew.
    pub fn lap(&self, stage: Stage, begin: &mut Instant) {
        let now = Instant::now();
        self.add(stage, now.saturating_duration_since(*begin));
        *begin = now;
    }

    fn add(&self, stage: Stage, time: Duration) {
        if let Some(sum) = self.0.get(stage as usize) {
            let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            // Only sums are read, after the threads have ended, so no order among them matters.
            sum.fetch_add(nanos, Ordering::Relaxed);
        }
    }

    /// Time spent in a stage so far.
    pub fn spent(&self, stage: Stage) -> Duration {
        let sum = self.0.get(stage as usize);
        Duration::from_nanos(sum.map_or(0, |sum| sum.load(Ordering::Relaxed)))
    }
}

impl ExtractionObserver for Clock {
    fn stage_ended(&self, stage: ExtractionStage, time: Duration) {
        let stage = match stage {
            ExtractionStage::Parse => Stage::Tables,
            ExtractionStage::Classify => Stage::Choice,
            ExtractionStage::Render => Stage::Document,
        };
        self.add(stage, time);
    }
}

/// A line a stage: seconds, and share of all stages.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |stage: Stage| self.spent(stage).as_secs_f64();
        let all: f64 = Stage::ALL.into_iter().map(seconds).sum();
        write!(f, "seconds in each stage, all threads")?;
        for stage in Stage::ALL {
            let spent = seconds(stage);
            // A run without a page has spent nothing.
            let share = 100.0 * spent / all.max(f64::MIN_POSITIVE);
            write!(f, "\n{spent:>10.2} {share:>5.1} %  {}", stage.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_follow_each_other_and_add_up() {
        let clock = Clock::default();
        let start = Instant::now();
        let mut begin = start;
        clock.lap(Stage::Tables, &mut begin);
        clock.lap(Stage::Choice, &mut begin);
        clock.lap(Stage::Tables, &mut begin);
        assert_eq!(clock.spent(Stage::Tables) + clock.spent(Stage::Choice), begin - start);
        assert_eq!(clock.spent(Stage::Writing), Duration::ZERO);
    }

    #[test]
    fn stages_of_an_extraction_are_three_of_a_run() {
        let clock = Clock::default();
        for (stage, seconds) in
            [(ExtractionStage::Parse, 1), (ExtractionStage::Classify, 2), (ExtractionStage::Render, 3)]
        {
            clock.stage_ended(stage, Duration::from_secs(seconds));
        }
        let spent = [Stage::Tables, Stage::Choice, Stage::Document].map(|stage| clock.spent(stage));
        assert_eq!(spent, [1, 2, 3].map(Duration::from_secs));
    }

    #[test]
    fn a_line_a_stage_with_its_share() {
        let clock = Clock::default();
        clock.0[Stage::Records as usize].store(500_000_000, Ordering::Relaxed);
        clock.0[Stage::Writing as usize].store(1_500_000_000, Ordering::Relaxed);
        let text = clock.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + Stage::ALL.len());
        assert_eq!(lines[1], "      0.50  25.0 %  records");
        assert_eq!(lines[7], "      1.50  75.0 %  compressing and writing");
    }
}
