//! Counts and times of a run or a service, in the format of Prometheus.
//!
//! [`Metrics`] has the names. They are the same for `trommel run --metrics` and for the service.
//!
//! ```
//! use std::time::Duration;
//! use trommel_metrics::Metrics;
//!
//! let metrics = Metrics::new();
//! metrics.page(4_000, Duration::from_millis(2));
//! metrics.document(0.91, 1_200);
//! metrics.dropped("too-short");
//! let text = metrics.to_string();
//! assert!(text.contains("trommel_pages_total 1\n"));
//! assert!(text.contains("trommel_drops_total{reason=\"too-short\"} 1\n"));
//! ```

mod metrics;

pub use metrics::{CONTENT_TYPE, Metrics};
