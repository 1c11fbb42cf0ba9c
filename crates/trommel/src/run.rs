//! Processes whole archives: sources, workers, ordered output and counts.
//!
//! Archives are read side by side, each in a lane: one thread reads its records in order, workers turn them into
//! encoded documents, and another thread writes those in the order of the records. [`run`] writes files; [`Run`] gives
//! the events to its caller.

mod counts;
mod error;
mod execution;
#[cfg(fuzzing)]
#[doc(hidden)]
#[path = "../../../fuzz/src/saved_state.rs"]
pub mod fuzzing;
mod inputs;
mod plan;
mod read;
mod sites;
mod state;
mod work;
mod write;

pub use crate::run::counts::reasons::{DropReason, FailureKind};
pub use crate::run::counts::summary::Slowest;
pub use crate::run::inputs::found::PageFiles;
pub use crate::run::plan::prepared::BUILD;
pub use crate::run::plan::request::InputShare;
pub use crate::run::read::revisits::{crawl_charset, record_at, record_in};
pub use crate::run::read::selected::open_input;
pub use crate::run::work::record::{RecordOutcome, SingleRecords};
pub use crate::run::work::task::RecordLabel;
pub use counts::summary::{DamageReport, FileReport, Outcome, PageTimes, SumMismatch, Summary};
pub use counts::{Clock, Progress, ProgressState, Stage};
pub use error::{BucketError, NameError, ResumeError, RunError, RunEvent, RunPosition, TakeEvent};
pub use execution::{Environment, Run, run};
pub use inputs::packed::{Packed, PackedOptions};
pub use inputs::unpack::unpack;
pub use inputs::{ConfigError, Input, InputError, expand, load_config, select};
pub use plan::existing::Existing;
pub use plan::output::{Destination, DestinationError, Encoding, Output};
pub use plan::request::{FollowTimes, PreparedRun, RequestError, RunRequest};
pub use plan::{Follow, FollowError, HardPages, NamedFiles, Plan, SetAside, SetAsideError};
pub use sites::{RunSites, SitesError, count_pages, counting_plan, load_sites, save_sites};
pub use work::record::Extract;
pub use write::bucket::Bucket;

/// Of inputs behind URLs.
pub use trommel_sources::{NetworkOptions, Remote, RemoteReader, StopFlag, is_url, redacted};
