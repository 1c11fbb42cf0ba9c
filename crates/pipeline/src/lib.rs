//! Sources, workers, ordered output and counts for whole archives.
//!
//! One thread reads records in order, workers turn them into encoded documents, and the calling
//! thread writes those in the order of the records. [`run`] is the whole of it.

mod checkpoint;
mod config;
mod describe;
mod drop;
mod gate;
mod hint;
mod host;
mod inputs;
mod manifest;
mod network;
mod output;
mod outputs;
mod plan;
mod progress;
mod quarantine;
mod reader;
mod run;
mod selected;
mod summary;
mod task;
mod times;
mod worker;
mod writer;

pub use checkpoint::ResumeError;
pub use config::{Config, ConfigError, TextForm};
pub use drop::{DropReason, FailureKind};
pub use hint::crawl_charset;
pub use host::Host;
pub use inputs::{Input, InputError, expand, select};
pub use output::{Choice, Destination, Encoding, Output, OutputError};
pub use plan::Plan;
pub use progress::{Progress, State};
pub use run::{RunError, run};
pub use summary::{DamageReport, FileReport, Outcome, PageTimes, Summary};
pub use times::Slowest;
pub use worker::Extract;
