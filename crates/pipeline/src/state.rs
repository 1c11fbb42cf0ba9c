//! The saved state of a run, its journal and its lock.

pub(crate) mod checkpoint;
pub(crate) mod journal;
pub(crate) mod lock;
