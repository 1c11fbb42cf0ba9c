//! Counts and times of a run.

pub(crate) mod clock;
pub(crate) mod drop_reason;
pub(crate) mod progress;
pub(crate) mod summary;
pub(crate) mod times;
