//! Counts and times of a run: measures where its time goes, and reports its progress.

pub(crate) mod reasons;
pub(crate) mod summary;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, fmt};

use trommel_extract::{ExtractionObserver, ExtractionStage};

use crate::run::counts::summary::Summary;

trommel_text::named! {
    /// Stage of processing, from reading an archive to writing documents, for which a run's time is measured.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stage {
        /// Reading archives: decompression and division into records.
        Records = "records",
        /// Decoding payloads: HTTP framing and codings.
        Payload = "payload",
        /// Parsing pages: decoding of the charset, and building of the tables of elements and texts.
        Tables = "charset and tables",
        /// Judging blocks: features, scores and choice of main text.
        Choice = "features and choice",
        /// Making documents: text, title, metadata and language.
        Document = "text, metadata, language",
        /// Filtering documents, and encoding them in the output formats.
        Encoding = "filters and encoding",
        /// Compressing and writing the encoded documents.
        Writing = "compressing and writing",
    }
}

/// Time spent in each stage of processing, summed over all threads that share the clock. Time in which a thread waited
/// for a processor is included.
#[derive(Debug, Default)]
// Atomic sums: all threads add to them, and a lock would show in what is measured.
pub struct Clock {
    stages: [AtomicU64; Stage::ALL.len()],
    /// CPU seconds of the threads that have ended, summed by thread name.
    threads: Mutex<BTreeMap<String, f64>>,
}

impl Clock {
    /// Adds the time since `begin` to the total of a stage of processing, and sets `begin` to now.
    pub fn lap(&self, stage: Stage, begin: &mut Instant) {
        let now = Instant::now();
        self.add(stage, now.saturating_duration_since(*begin));
        *begin = now;
    }

    fn add(&self, stage: Stage, time: Duration) {
        if let Some(sum) = self.stages.get(stage as usize) {
            let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            // Only sums are read, after the threads have ended, so no order among them matters.
            sum.fetch_add(nanos, Ordering::Relaxed);
        }
    }

    /// Adds the CPU time of the calling thread, which is about to end, to the total of threads called `name`.
    pub(crate) fn thread_ended(&self, name: &str) {
        if let Some(seconds) = cpu_seconds() {
            let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
            *threads.entry(name.to_owned()).or_default() += seconds;
        }
    }

    /// Returns the total time spent in a stage of processing so far, such as decoding or compressing.
    pub fn spent(&self, stage: Stage) -> Duration {
        let sum = self.stages.get(stage as usize);
        Duration::from_nanos(sum.map_or(0, |sum| sum.load(Ordering::Relaxed)))
    }
}

/// Returns the CPU seconds of the calling thread; none if the system does not report them.
fn cpu_seconds() -> Option<f64> {
    // Without code that is not safe, only Linux tells them, in hundredths: user and system time.
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
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

/// Writes a line for each stage and each thread: seconds, and share of the total in percent.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = Stage::ALL.map(|stage| (stage.name().to_owned(), self.spent(stage).as_secs_f64()));
        write!(f, "seconds in each stage, all threads")?;
        lines(f, &stages)?;
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let threads: Vec<(String, f64)> = threads.clone().into_iter().collect();
        if !threads.is_empty() {
            write!(f, "\nCPU seconds of each thread")?;
        }
        lines(f, &threads)
    }
}

fn lines(f: &mut fmt::Formatter<'_>, spent: &[(String, f64)]) -> fmt::Result {
    let all: f64 = spent.iter().map(|(_, seconds)| seconds).sum();
    for (name, seconds) in spent {
        // A run without a page has spent nothing.
        let share = 100.0 * seconds / all.max(f64::MIN_POSITIVE);
        write!(f, "\n{seconds:>10.2} {share:>5.1} %  {name}")?;
    }
    Ok(())
}

/// Progress of a run at one moment, in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ProgressState {
    /// Number of bytes read from the inputs so far, as stored.
    pub bytes: u64,
    /// Size of all inputs in stored bytes; none if the size of one is unknown, such as of standard input.
    // Without it a bar can count, but not say how much is left.
    pub total: Option<u64>,
    /// Number of archives that are being read.
    pub archives: usize,
    /// Number of records finished so far.
    pub records: u64,
    /// Number of finished records that were pages.
    pub pages: u64,
    /// Number of documents written so far.
    pub documents: u64,
    /// Number of records dropped so far.
    pub dropped: u64,
    /// Number of records that failed so far.
    pub failures: u64,
}

/// Receiver of the progress of a run, which is called several times a second and once at the end.
pub trait Progress {
    /// Receives the present counts of the run.
    fn update(&mut self, state: &ProgressState);
}

/// Ignores the progress of a run.
impl Progress for () {
    fn update(&mut self, _: &ProgressState) {}
}

impl ProgressState {
    /// Creates the progress of a resumed run from the counts in the summary of its earlier part.
    pub(crate) fn of(summary: &Summary) -> Self {
        Self {
            records: summary.records,
            pages: summary.pages,
            documents: summary.documents,
            dropped: summary.drops.values().sum(),
            failures: summary.failures.values().sum(),
            ..Self::default()
        }
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
        clock.stages[Stage::Records as usize].store(500_000_000, Ordering::Relaxed);
        clock.stages[Stage::Writing as usize].store(1_500_000_000, Ordering::Relaxed);
        let text = clock.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + Stage::ALL.len());
        assert_eq!(lines[1], "      0.50  25.0 %  records");
        assert_eq!(lines[7], "      1.50  75.0 %  compressing and writing");
        clock.threads.lock().unwrap().extend([("reader-0".to_owned(), 1.0), ("worker-0".to_owned(), 3.0)]);
        let threads = "\nCPU seconds of each thread\n      1.00  25.0 %  reader-0\n      3.00  75.0 %  worker-0";
        assert!(clock.to_string().ends_with(threads), "{clock}");
    }
}
