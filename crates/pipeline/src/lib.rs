//! Sources, workers, ordered output and counts for whole archives.
//!
//! One thread reads records in order, workers turn them into encoded documents, and the calling
//! thread writes those in the order of the records. [`run`] is the whole of it.

mod config;
mod drop;
mod gate;
mod hint;
mod inputs;
mod output;
mod progress;
mod reader;
mod run;
mod summary;
mod task;
mod worker;
mod writer;

pub use config::{Config, ConfigError, TextForm};
pub use drop::{DropReason, FailureKind};
pub use hint::crawl_charset;
pub use inputs::{Input, InputError, expand};
pub use output::{Choice, Destination, Output, OutputError};
pub use progress::{Progress, State};
pub use run::{Plan, RunError, run};
pub use summary::{DamageReport, FileReport, Outcome, Summary};
pub use worker::Extract;
