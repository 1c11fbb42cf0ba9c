//! Counts and times of a run or a service, in the format of Prometheus.
//!
//! [`Metrics`] has the names. They are the same for `trommel run --metrics` and for the service.
//!
//! ```
//! use std::time::Duration;
//! use trommel::metrics::Metrics;
//!
//! let metrics = Metrics::new();
//! metrics.page(4_000, Duration::from_millis(2));
//! metrics.document(0.91, 1_200);
//! metrics.dropped("too-short");
//! let text = metrics.to_string();
//! assert!(text.contains("trommel_pages_total 1\n"));
//! assert!(text.contains("trommel_drops_total{reason=\"too-short\"} 1\n"));
//! ```

use std::{fmt, sync::atomic::AtomicU64, time::Duration};

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram};
use prometheus_client::registry::{Metric, Registry, Unit};
use trommel_extract::{ExtractionObserver, ExtractionStage};

/// Media type of the text that [`Metrics`] displays.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the histogram buckets for durations, in seconds.
const SECONDS: [f64; 14] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// Upper bounds of the histogram buckets for confidences (0 to 1).
const CONFIDENCE: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// One label of a metric: its name and its value, both known when the program is built.
type Label = [(&'static str, &'static str); 1];

/// Registry of all metrics with their names and help texts.
struct Names(Registry);

impl Names {
    fn of<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }

    fn in_unit<M: Metric + Clone>(&mut self, name: &str, help: &str, unit: Unit, metric: M) -> M {
        self.0.register_with_unit(name, help, unit, metric.clone());
        metric
    }
}

/// Counts and times of a program, for monitoring; any thread may add to them. [`Display`](fmt::Display) writes them as
/// the text that Prometheus reads ([`CONTENT_TYPE`]).
///
/// ```
/// use std::time::Duration;
///
/// use trommel::metrics::Metrics;
///
/// let metrics = Metrics::new();
/// // What a reader of archives counts ...
/// metrics.archives(1);
/// metrics.record();
/// metrics.stored(5310);
/// metrics.page(48_000, Duration::from_millis(3));
/// metrics.stage("features", Duration::from_millis(1));
/// metrics.document(0.92, 2000);
/// metrics.dropped("media-type");
/// metrics.failed("payload");
/// metrics.damaged();
/// metrics.idle(Duration::from_secs(2));
/// // ... and a service.
/// metrics.queue(3);
/// metrics.request(200);
/// assert!(metrics.to_string().contains("trommel_stored_bytes_total 5310\n"));
/// ```
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    records: Counter,
    stored_bytes: Counter,
    pages: Counter,
    page_bytes: Counter,
    page_seconds: Histogram,
    documents: Counter,
    text_bytes: Counter,
    confidence: Histogram,
    drops: Family<Label, Counter>,
    failures: Family<Label, Counter>,
    damage: Counter,
    stages: Family<Label, Histogram>,
    queue: Gauge,
    archives: Gauge,
    requests: Family<[(&'static str, u16); 1], Counter>,
    idle: Gauge<f64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Creates metrics whose counts are all 0.
    pub fn new() -> Self {
        let mut names = Names(Registry::with_prefix("trommel"));
        Self {
            records: names.of("records", "Records read", Counter::default()),
            stored_bytes: names.in_unit(
                "stored",
                "Bytes read from archives as they are stored",
                Unit::Bytes,
                Counter::default(),
            ),
            pages: names.of("pages", "Pages handed to the extractor", Counter::default()),
            page_bytes: names.in_unit("page", "Decoded bytes of pages", Unit::Bytes, Counter::default()),
            page_seconds: names.in_unit(
                "extraction",
                "Time that one page took",
                Unit::Seconds,
                Histogram::new(SECONDS),
            ),
            documents: names.of("documents", "Documents given", Counter::default()),
            text_bytes: names.in_unit("text", "Bytes of the text of documents", Unit::Bytes, Counter::default()),
            confidence: names.of("confidence", "Confidence of documents", Histogram::new(CONFIDENCE)),
            drops: names.of("drops", "Records passed over, by reason", Family::default()),
            failures: names.of("failures", "Records or pages that failed, by kind", Family::default()),
            damage: names.of("damage", "Damaged places of archives", Counter::default()),
            stages: names.in_unit(
                "stage",
                "Time of one thread in each stage of a page",
                Unit::Seconds,
                Family::new_with_constructor(|| Histogram::new(SECONDS)),
            ),
            queue: names.of("queue", "Records or requests in work or waiting", Gauge::default()),
            archives: names.of("archives", "Archives in work", Gauge::default()),
            requests: names.of("requests", "Requests answered, by status", Family::default()),
            idle: names.in_unit(
                "idle",
                "Time since anything last came from the input",
                Unit::Seconds,
                Gauge::default(),
            ),
            registry: names.0,
        }
    }

    /// Counts a record that was read from an archive.
    pub fn record(&self) {
        self.records.inc();
    }

    /// Adds `bytes` to the number of stored bytes that were read from archives.
    pub fn stored(&self, bytes: u64) {
        self.stored_bytes.inc_by(bytes);
    }

    /// Counts an extracted page of `bytes` decoded bytes, with the time that its extraction took.
    pub fn page(&self, bytes: u64, time: Duration) {
        self.pages.inc();
        self.page_bytes.inc_by(bytes);
        self.page_seconds.observe(time.as_secs_f64());
    }

    /// Counts a document, with its confidence (0 to 1) and the UTF-8 bytes of its text.
    pub fn document(&self, confidence: f64, text: u64) {
        self.documents.inc();
        self.text_bytes.inc_by(text);
        self.confidence.observe(confidence);
    }

    /// Counts a record or page that was dropped for a reason such as `media-type`.
    pub fn dropped(&self, reason: &'static str) {
        self.drops.get_or_create(&[("reason", reason)]).inc();
    }

    /// Counts a record or page that failed with a kind of fault such as `payload`.
    pub fn failed(&self, kind: &'static str) {
        self.failures.get_or_create(&[("kind", kind)]).inc();
    }

    /// Counts a place in an archive whose bytes are damaged.
    pub fn damaged(&self) {
        self.damage.inc();
    }

    /// Records the time that one page spent in a stage of its extraction, such as `features`.
    pub fn stage(&self, stage: &'static str, time: Duration) {
        self.stages.get_or_create(&[("stage", stage)]).observe(time.as_secs_f64());
    }

    /// Sets the number of records or requests in progress or waiting.
    pub fn queue(&self, length: usize) {
        self.queue.set(i64::try_from(length).unwrap_or(i64::MAX));
    }

    /// Sets the number of archives that are being read.
    pub fn archives(&self, number: usize) {
        self.archives.set(i64::try_from(number).unwrap_or(i64::MAX));
    }

    /// Counts an HTTP response of the service by its status code, such as `200`.
    pub fn request(&self, status: u16) {
        self.requests.get_or_create(&[("status", status)]).inc();
    }

    /// Sets the time since the last new data arrived from the input.
    pub fn idle(&self, time: Duration) {
        self.idle.set(time.as_secs_f64());
    }
}

impl ExtractionObserver for Metrics {
    fn stage_ended(&self, stage: ExtractionStage, time: Duration) {
        self.stage(stage.name(), time);
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_in_the_text() {
        let metrics = Metrics::new();
        metrics.record();
        metrics.record();
        metrics.stored(500);
        metrics.page(1000, Duration::from_millis(3));
        metrics.document(0.75, 80);
        metrics.dropped("request");
        metrics.failed("payload");
        metrics.damaged();
        metrics.stage("tables", Duration::from_micros(200));
        metrics.queue(7);
        metrics.request(200);
        metrics.idle(Duration::from_millis(1500));
        let text = metrics.to_string();
        for line in [
            "trommel_records_total 2",
            "trommel_stored_bytes_total 500",
            "trommel_pages_total 1",
            "trommel_page_bytes_total 1000",
            "trommel_extraction_seconds_bucket{le=\"0.0025\"} 0",
            "trommel_extraction_seconds_bucket{le=\"0.005\"} 1",
            "trommel_documents_total 1",
            "trommel_text_bytes_total 80",
            "trommel_confidence_bucket{le=\"0.7\"} 0",
            "trommel_confidence_bucket{le=\"0.8\"} 1",
            "trommel_drops_total{reason=\"request\"} 1",
            "trommel_failures_total{kind=\"payload\"} 1",
            "trommel_damage_total 1",
            "trommel_stage_seconds_bucket{le=\"0.00025\",stage=\"tables\"} 1",
            "trommel_queue 7",
            "trommel_requests_total{status=\"200\"} 1",
            "trommel_idle_seconds 1.5",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
