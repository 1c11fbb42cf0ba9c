//! The saved state of a run, its journal and its lock.

pub(crate) mod archive;
pub(crate) mod checkpoint;
pub(crate) mod files;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod remaining;
