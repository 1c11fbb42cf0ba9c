//! Turns records into results, on many threads.

pub(crate) mod aside;
pub(crate) mod crawler_records;
pub(crate) mod encoder;
pub(crate) mod gate;
pub(crate) mod id;
pub(crate) mod label;
pub(crate) mod panic;
pub(crate) mod quarantine;
pub(crate) mod record;
mod robot_files;
pub(crate) mod single;
pub(crate) mod task;
pub(crate) mod worker;
