//! Passes the progress of a run on to `--metrics` and `--profile`.

use std::{sync::Arc, time::Duration};

use trommel::metrics::Metrics;
use trommel::{ExtractionObserver, ExtractionStage};

/// Tells several observers.
#[derive(Debug, Default)]
pub struct Observers(pub Vec<Arc<dyn ExtractionObserver>>);

impl ExtractionObserver for Observers {
    fn stage_ended(&self, stage: ExtractionStage, time: Duration) {
        for observer in &self.0 {
            observer.stage_ended(stage, time);
        }
    }
}

/// Keeps the times of stages for Prometheus.
#[derive(Debug)]
pub struct StageTimes(pub Arc<Metrics>);

impl ExtractionObserver for StageTimes {
    fn stage_ended(&self, stage: ExtractionStage, time: Duration) {
        self.0.stage(stage.name(), time);
    }
}
