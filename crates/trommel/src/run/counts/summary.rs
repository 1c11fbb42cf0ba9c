//! The counts of a run, how long its pages take, and the reasons why a record gave no document.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use trommel_text::without_controls;

use super::reasons::{DropReason, FailureKind};

/// Maximum number of damaged places that a summary lists; further ones are only counted.
// A damaged disk gives millions; the summary stays readable, and its counts are complete.
const MAX_LISTED_DAMAGE: usize = 1000;

/// Adds the named counts of `$more` to those of `$to`, without overflow.
macro_rules! sum {
    ($to:ident, $more:ident: $($count:ident)+) => {
        $($to.$count = $to.$count.saturating_add($more.$count);)+
    };
}

/// Counts of a run and its parts, reported at its end. Every record that was read counts as a document, a drop or a
/// failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Report on each input, in the order of the inputs.
    pub files: Vec<FileReport>,
    /// Number of records read.
    pub records: u64,
    /// Number of HTML pages and plain texts that were extracted, whether or not their documents were written.
    pub pages: u64,
    /// Number of documents written.
    pub documents: u64,
    /// Number of documents written without text.
    pub empty: u64,
    /// Number of records dropped, by reason.
    // Sorted, so that two runs over the same input give the same bytes.
    pub drops: BTreeMap<DropReason, u64>,
    /// Number of documents that the duplicate filters forgot when memory was full; later copies of them may be kept.
    pub forgotten: u64,
    /// Number of records that should have given a document and did not, by kind of fault.
    pub failures: BTreeMap<FailureKind, u64>,
    /// Number of pages cut by the crawler, by the reason in `WARC-Truncated` (`other` if it is not in the standard).
    pub truncated: BTreeMap<String, u64>,
    /// Number of pages that exceeded a limit, by its name: `max-record`, `max-payload`, or a limit of the extraction.
    pub capped: BTreeMap<String, u64>,
    /// Report on each of the first 1,000 damaged places.
    pub damage: Vec<DamageReport>,
    /// Number of all damaged places.
    pub damaged: u64,
    /// Number of bytes lost to damage.
    pub lost_bytes: u64,
    /// Number of records whose URL or digest differs from the index (such as CDXJ) by which they were selected.
    pub mismatched: u64,
    /// Number of bytes read from the archives, as stored.
    pub stored_bytes: u64,
    /// Number of decoded bytes of all pages.
    pub page_bytes: u64,
    /// Number of UTF-8 bytes of the text of all documents.
    pub text_bytes: u64,
    /// True if the reader of standard output closed it early; the counts end there.
    pub closed: bool,
    /// True if the run ended because it reached the maximum number of documents (`limit`).
    pub limit_reached: bool,
    /// Reason why the run ended early; none if it ran to its end.
    pub ended_early: Option<String>,
    /// Path of the file to which failed records were written (quarantine); none if no record was written.
    pub quarantine: Option<String>,
    /// Number of records copied for other tools (`--set-aside`, `--hard-to`), by the path of the file with the copies.
    pub set_aside: BTreeMap<String, u64>,
    /// Median, 99th percentile and maximum of the times of single pages; none without pages.
    pub page_times: Option<PageTimes>,
    /// Run time in seconds; of a resumed run, the sum of its parts up to their last saved states.
    pub seconds: f64,
}

/// Distribution of the times in seconds that workers took for single pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTimes {
    /// Median time in seconds, accurate to 5 %.
    pub p50: f64,
    /// 99th percentile of the times in seconds, accurate to 5 %.
    pub p99: f64,
    /// Page that took longest, with its time.
    pub slowest: PageTime,
}

/// Report on one input: its counts, and the error if it could not be read completely.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// Name of the input, as the user gave it.
    pub file: String,
    /// Files and folders written for the input; empty if all inputs go to one output, or no record could be read.
    pub outputs: Vec<String>,
    /// Number of records read from the input.
    pub records: u64,
    /// Number of documents written from the input.
    pub documents: u64,
    /// Number of records of the input that were dropped.
    pub drops: u64,
    /// Number of records of the input that failed.
    pub failures: u64,
    /// Number of damaged places in the input.
    pub damaged: u64,
    /// Number of bytes of the input lost to damage.
    pub lost_bytes: u64,
    /// Number of bytes read from the input, as stored.
    pub stored_bytes: u64,
    /// Reason why the input could not be read completely; none if it was.
    pub error: Option<String>,
}

/// Report on a damaged place in an archive, after which reading continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DamageReport {
    /// Name of the input, as the user gave it.
    pub file: String,
    /// Byte offset in the stored archive where the damage begins.
    pub offset: u64,
    /// Number of bytes lost to the damage.
    pub lost: u64,
    /// Description of the kind of damage.
    pub what: String,
}

/// Error that two counts of a summary differ but should be equal, so something was lost or counted twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the counts do not add up: {0}; the output is not to be relied on, please report this")]
pub struct SumMismatch(String);

/// Outcome of a run: complete, partial or without anything read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All inputs were read completely, and no record failed.
    Clean,
    /// Some input was damaged or not read completely, or some record failed.
    Partial,
    /// No record of any input could be read.
    Nothing,
}

impl Summary {
    /// Returns the outcome of the run, derived from the faults in its counts.
    pub fn outcome(&self) -> Outcome {
        // A run without inputs has lost nothing.
        if self.records == 0 && !self.files.is_empty() && self.files.iter().all(FileReport::is_bad) {
            Outcome::Nothing
        } else if !self.failures.is_empty() || self.files.iter().any(FileReport::is_bad) {
            Outcome::Partial
        } else {
            Outcome::Clean
        }
    }

    /// Returns the faults of a run in one line, such as `damage at 2 places, 1 record failed`; none without faults.
    pub fn faults(&self) -> Option<String> {
        let failed: u64 = self.failures.values().sum();
        let unread = self.files.iter().filter(|file| file.error.is_some()).count() as u64;
        let faults = [
            (self.damaged, format!("damage at {}", counted(self.damaged, "place"))),
            (failed, format!("{} failed", counted(failed, "record"))),
            (unread, format!("{} not read to the end", counted(unread, "input"))),
        ];
        let faults: Vec<String> = faults.into_iter().filter(|(count, _)| *count > 0).map(|(_, fault)| fault).collect();
        (!faults.is_empty()).then(|| faults.join(", "))
    }

    /// Returns whether the counts agree: every record read is a document, drop or failure, in total and by input.
    pub fn adds_up(&self) -> bool {
        self.mismatch().is_none()
    }

    /// Returns the first pair of counts that differ but should be equal; none if all agree.
    pub fn mismatch(&self) -> Option<SumMismatch> {
        let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
        let by_file = |count: fn(&FileReport) -> u64| sum(&mut self.files.iter().map(count));
        let drops = sum(&mut self.drops.values().copied());
        let failures = sum(&mut self.failures.values().copied());
        let all = sum(&mut [self.documents, drops, failures].into_iter());
        // Each sum is counted in two places of the code, so a record that is lost on one way shows.
        let pairs = [
            ("records read", self.records, "documents, drops and failures", all),
            ("records", self.records, "records of all inputs", by_file(|file| file.records)),
            ("documents", self.documents, "documents of all inputs", by_file(|file| file.documents)),
            ("drops", drops, "drops of all inputs", by_file(|file| file.drops)),
            ("failures", failures, "failures of all inputs", by_file(|file| file.failures)),
            ("damaged places", self.damaged, "damaged places of all inputs", by_file(|file| file.damaged)),
        ];
        let mut wrong = pairs.into_iter().filter(|(_, one, _, other)| one != other);
        wrong.next().map(|(what, sum, other, other_sum)| SumMismatch(format!("{sum} {what}, but {other_sum} {other}")))
    }

    /// Adds the counts `more` of an archive to the sum over earlier archives.
    pub(crate) fn add(&mut self, more: Self) {
        sum!(self, more: records pages documents empty damaged lost_bytes mismatched stored_bytes page_bytes text_bytes);
        add_counts(&mut self.drops, more.drops);
        self.forgotten = self.forgotten.max(more.forgotten);
        add_counts(&mut self.failures, more.failures);
        add_counts(&mut self.truncated, more.truncated);
        add_counts(&mut self.capped, more.capped);
        let room = MAX_LISTED_DAMAGE.saturating_sub(self.damage.len());
        self.damage.extend(more.damage.into_iter().take(room));
        self.quarantine = self.quarantine.take().or(more.quarantine);
        add_counts(&mut self.set_aside, more.set_aside);
    }

    /// Removes the counts of an input that could not be read, because it will be tried again.
    pub(crate) fn forget(&mut self, report: &FileReport) {
        self.damaged = self.damaged.saturating_sub(report.damaged);
        self.lost_bytes = self.lost_bytes.saturating_sub(report.lost_bytes);
        self.stored_bytes = self.stored_bytes.saturating_sub(report.stored_bytes);
        // Its places will be found once more.
        self.damage.retain(|place| place.file != report.file);
    }

    pub(crate) fn truncate(&mut self, reason: &str) {
        let reason = ["length", "time", "disconnect", "unspecified"]
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(reason.trim()))
            // Crawlers write anything there; the names of the standard keep the list of counts short.
            .unwrap_or("other");
        count(&mut self.truncated, reason.to_owned(), 1);
    }

    pub(crate) fn time(&mut self, times: &Times) {
        self.page_times = match (times.within(0.5), times.within(0.99), &times.slowest) {
            (Some(p50), Some(p99), Some(slowest)) => Some(PageTimes { p50, p99, slowest: slowest.clone() }),
            _ => None,
        };
    }

    pub(crate) fn damage(&mut self, report: DamageReport) {
        self.damaged += 1;
        self.lost_bytes = self.lost_bytes.saturating_add(report.lost);
        // The counts go on; only the list is bounded, as a hostile archive can be damaged at every byte.
        if self.damage.len() < MAX_LISTED_DAMAGE {
            self.damage.push(report);
        }
    }
}

impl FileReport {
    /// Adds the counts of records that a growing input received after it was last read.
    pub(crate) fn add(&mut self, more: Self) {
        self.outputs.extend(more.outputs);
        sum!(self, more: records documents drops failures damaged lost_bytes stored_bytes);
        // The first error stays: later ones of the same input mostly follow from it.
        self.error = self.error.take().or(more.error);
    }

    /// Returns whether the input could not be read at all.
    pub(crate) fn is_nothing(&self) -> bool {
        self.records == 0 && self.error.is_some()
    }

    fn is_bad(&self) -> bool {
        self.error.is_some() || self.damaged > 0
    }
}

/// Adds `more` to the count of `key` in a map of counts.
pub(crate) fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, more: u64) {
    *counts.entry(key).or_default() += more;
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    more.into_iter().for_each(|(key, more)| count(counts, key, more));
}

/// Writes a few lines for people: counts, drops, failures, damage, speed.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let drops: u64 = self.drops.values().sum();
        let failures: u64 = self.failures.values().sum();
        // Each was named in a line of its own when it happened.
        let unread = self.files.iter().filter(|file| file.error.is_some()).count();
        write!(f, "{}: {}", counted(self.pages, "page"), counted(self.documents, "document"))?;
        if self.empty > 0 {
            write!(f, ", {} of them without text", self.empty)?;
        }
        if !self.truncated.is_empty() {
            write!(f, ", cut by the crawler: {}", list(&self.truncated))?;
        }
        write!(f, "\n{}: {drops} dropped, {failures} failed", counted(self.records, "record"))?;
        let kept = self.quarantine.as_ref().map_or(String::new(), |quarantine| format!("; kept in {quarantine}"));
        let aside = |(file, count): (&String, &u64)| format!("set aside: {} in {file}", counted(*count, "record"));
        let asides: Vec<String> = self.set_aside.iter().map(aside).collect();
        let lost = counted(self.lost_bytes, "byte");
        let inputs = counted(self.files.len() as u64, "input");
        let forgotten = counted(self.forgotten, "document");
        let lines = [
            (drops > 0, format!("dropped: {}", list(&self.drops))),
            (self.forgotten > 0, format!("memory for duplicates full: {forgotten} forgotten")),
            (failures > 0, format!("failed: {}{kept}", list(&self.failures))),
            (!asides.is_empty(), asides.join("\n")),
            (!self.capped.is_empty(), format!("pages over a cap: {}", list(&self.capped))),
            (self.page_times.is_some(), self.page_times.as_ref().map_or(String::new(), PageTimes::to_string)),
            (self.damaged > 0, format!("damage at {}, {lost} lost", counted(self.damaged, "place"))),
            (self.mismatched > 0, format!("not as the index says: {}", counted(self.mismatched, "record"))),
            (unread > 0, format!("{unread} of {inputs} not read to the end")),
            (self.limit_reached, format!("ended at the limit of {}", counted(self.documents, "document"))),
            (self.closed, "standard output was closed before the end".to_owned()),
        ];
        for (_, line) in lines.into_iter().filter(|(is_told, _)| *is_told) {
            write!(f, "\n{line}")?;
        }
        let [stored, pages, text] = [self.stored_bytes, self.page_bytes, self.text_bytes].map(size);
        let speed = self.pages as f64 / self.seconds.max(1e-3);
        write!(f, "\n{stored} stored, {pages} of pages, {text} of text in {:.1} s ({speed:.0} pages/s)", self.seconds)
    }
}

impl fmt::Display for PageTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99, most] = [self.p50, self.p99, self.slowest.seconds].map(|seconds| seconds * 1e3);
        let PageTime { file, offset, id, .. } = &self.slowest;
        let (file, id) = (without_controls(file), without_controls(id));
        write!(f, "page times: p50 {p50:.1} ms, p99 {p99:.1} ms, slowest {most:.1} ms ({file}: offset {offset}: {id})")
    }
}

fn list<K: fmt::Display>(counts: &BTreeMap<K, u64>) -> String {
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    counts.join(", ")
}

/// Formats a number of things: `1 page`, `2 pages`.
fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Number of histogram steps for each doubling of a time.
// A logarithmic scale keeps any number of pages in some hundred counts, which fit into the saved state.
const STEPS_PER_DOUBLING: f64 = 16.0;

/// Histogram of the times of pages, with the slowest page. Its logarithmic scale has 16 steps per doubling, so
/// percentiles are off by at most 4.4 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    /// Number of pages in each step of the logarithmic scale; step 0 ends at one microsecond.
    steps: BTreeMap<u32, u64>,
    slowest: Option<PageTime>,
}

/// Time that one page took, and the place of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTime {
    /// Time in seconds that a worker took to extract the page, and to filter and encode its document.
    pub seconds: f64,
    /// WARC-Record-ID of the page, or an id derived from its place, URL and date if it has none.
    pub id: String,
    /// Name of the archive that holds the page.
    pub file: String,
    /// Byte offset of the page's record in the stored archive.
    pub offset: u64,
}

impl Times {
    /// Adds the time of a page to the histogram.
    pub(crate) fn add(&mut self, page: &PageTime) {
        // Below a microsecond the clock itself is no better.
        let step = (page.seconds * 1e6).max(1.0).log2() * STEPS_PER_DOUBLING;
        *self.steps.entry(step.ceil() as u32).or_default() += 1;
        if self.slowest.as_ref().is_none_or(|slowest| page.seconds > slowest.seconds) {
            self.slowest = Some(page.clone());
        }
    }

    /// Adds the page times of another histogram.
    pub(crate) fn join(&mut self, more: Self) {
        add_counts(&mut self.steps, more.steps);
        let seconds = |slowest: &Option<PageTime>| slowest.as_ref().map_or(-1.0, |page| page.seconds);
        if seconds(&more.slowest) > seconds(&self.slowest) {
            self.slowest = more.slowest;
        }
    }

    /// Returns the percentile of the page times, in seconds, for a fraction from 0 to 1; none without pages.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_record::filters::Reason;

    fn summary() -> Summary {
        let mut summary = Summary {
            files: vec![FileReport {
                file: "a.warc".into(),
                records: 4,
                documents: 1,
                drops: 2,
                failures: 1,
                ..FileReport::default()
            }],
            records: 4,
            pages: 2,
            documents: 1,
            seconds: 2.0,
            ..Summary::default()
        };
        summary.drops = [(DropReason::Request, 1), (DropReason::NotHtml, 1)].into();
        summary.failures = [(FailureKind::Panic, 1)].into();
        summary
    }

    #[test]
    fn a_missing_record_is_noticed() {
        let mut summary = summary();
        assert!(summary.adds_up());
        summary.records += 1;
        let mismatch = summary.mismatch().unwrap().to_string();
        assert!(mismatch.contains(": 5 records read, but 4 documents, drops and failures;"), "{mismatch}");
        summary.documents += 1;
        assert!(!summary.adds_up());
        summary.files[0].records += 1;
        summary.files[0].documents += 1;
        assert!(summary.adds_up());
    }

    #[test]
    fn outcomes() {
        let mut summary = summary();
        assert_eq!(summary.outcome(), Outcome::Partial);
        summary.failures.clear();
        assert_eq!(summary.outcome(), Outcome::Clean);
        summary.files.push(FileReport { error: Some("gone".into()), ..FileReport::default() });
        assert_eq!(summary.outcome(), Outcome::Partial);
        summary.files.remove(0);
        summary.records = 0;
        assert_eq!(summary.outcome(), Outcome::Nothing);
        assert_eq!(Summary::default().outcome(), Outcome::Clean);
    }

    #[test]
    fn an_input_that_is_read_again_is_counted_once() {
        let mut summary = summary();
        let report = FileReport {
            file: "http://a.org/b".into(),
            damaged: 1,
            lost_bytes: 7,
            stored_bytes: 9,
            error: Some("gone".into()),
            ..FileReport::default()
        };
        let before = summary.clone();
        summary.files.push(report.clone());
        summary.stored_bytes += report.stored_bytes;
        summary.damage(DamageReport { file: report.file.clone(), offset: 0, lost: 7, what: "x".into() });
        assert!(summary.adds_up());
        summary.files.pop();
        assert!(!summary.adds_up());
        summary.forget(&report);
        assert_eq!(summary, before);
    }

    #[test]
    fn the_list_of_damage_is_bounded() {
        let mut summary = Summary::default();
        for offset in 0..1500 {
            summary.damage(DamageReport { file: "a".into(), offset, lost: 2, what: "x".into() });
        }
        assert_eq!((summary.damage.len(), summary.damaged), (1000, 1500));
        assert_eq!(summary.lost_bytes, 3000);
    }

    #[test]
    fn in_words_and_in_json() {
        let mut summary = summary();
        summary.truncate("Length");
        summary.truncate("bandwidth");
        summary.capped.insert("tokens".into(), 3);
        let words = summary.to_string();
        assert!(
            words.starts_with(
                "2 pages: 1 document, cut by the crawler: 1 length, 1 other\n\
                 4 records: 2 dropped, 1 failed\n\
                 dropped: 1 request, 1 not-html\n\
                 failed: 1 panic\n\
                 pages over a cap: 3 tokens"
            ),
            "{words}"
        );
        assert_eq!(summary.faults().as_deref(), Some("1 record failed"));
        summary.damage(DamageReport { file: "a".into(), offset: 0, lost: 2, what: "x".into() });
        assert_eq!(summary.faults().as_deref(), Some("damage at 1 place, 1 record failed"));
        assert_eq!(Summary::default().faults(), None);
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["drops"], serde_json::json!({"request": 1, "not-html": 1}));
        assert_eq!(json["failures"]["panic"], 1);
    }

    #[test]
    fn percentiles_and_the_slowest() {
        let mut times = Times::default();
        assert_eq!(times.within(0.5), None);
        for millis in 1..=100 {
            let (id, file) = (millis.to_string(), "a".to_owned());
            times.add(&PageTime { seconds: millis as f64 / 1e3, id, file, offset: millis });
        }
        for (share, expected) in [(0.5, 0.050), (0.99, 0.099)] {
            let within = times.within(share).unwrap();
            assert!((within / expected - 1.0).abs() < 0.045, "{share}: {within}");
        }
        let slowest = times.slowest.clone().unwrap();
        assert_eq!(times.within(1.0), Some(slowest.seconds));
        assert_eq!((slowest.id.as_str(), slowest.offset), ("100", 100));
    }

    #[test]
    fn names_are_the_same_in_words_and_in_json() {
        for reason in [
            DropReason::Warcinfo,
            DropReason::UnknownType,
            DropReason::NoPayload,
            DropReason::NotHtml,
            DropReason::NoText,
            DropReason::Filtered(Reason::NearDuplicate),
        ] {
            let json = serde_json::to_value(reason).unwrap();
            assert_eq!(json, reason.to_string());
            assert_eq!(serde_json::from_value::<DropReason>(json).unwrap(), reason);
            let packed = rmp_serde::to_vec(&reason).unwrap();
            assert_eq!(rmp_serde::from_slice::<DropReason>(&packed).unwrap(), reason);
        }
        for kind in [FailureKind::Payload, FailureKind::Encode, FailureKind::Panic] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        }
    }
}
