//! Turns records into results, on many threads.

pub(crate) mod record;
pub(crate) mod task;
pub(crate) mod worker;
