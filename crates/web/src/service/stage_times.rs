//! Times of the stages of an extraction.

use std::{sync::Arc, time::Duration};

use trommel::metrics::Metrics;
use trommel::{ExtractionObserver, ExtractionStage};

/// Tells the metrics how long the stages of an extraction take.
#[derive(Debug)]
pub(crate) struct StageTimes(pub(crate) Arc<Metrics>);

impl ExtractionObserver for StageTimes {
    fn stage_ended(&self, stage: ExtractionStage, time: Duration) {
        self.0.stage(stage.name(), time);
    }
}
