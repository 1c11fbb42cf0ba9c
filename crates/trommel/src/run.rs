//! Processes whole archives: sources, workers, ordered output and counts.
//!
//! Archives are read side by side, each in a lane: one thread reads its records in order, workers turn them into
//! encoded documents, and another thread writes those in the order of the records. [`run`] writes files; [`Run`] gives
//! the events to its caller.

mod counts;
mod environment;
mod error;
mod events;
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
mod stream;
mod work;
mod write;

pub use counts::clock::{Clock, Stage};
pub use counts::drop_reason::{DropReason, FailureKind};
pub use counts::progress::{Progress, ProgressState};
pub use counts::summary::{DamageReport, FileReport, Outcome, PageTimes, SumMismatch, Summary};
pub use counts::times::Slowest;
pub use environment::Environment;
pub use error::{BucketError, NameError, ResumeError, RunError};
pub use events::{RunEvent, RunPosition, TakeEvent};
pub use execution::run;
pub use inputs::packed::{Packed, PackedOptions};
pub use inputs::pages::PageFiles;
pub use inputs::unpack::unpack;
pub use inputs::{ConfigError, Input, InputError, expand, load_config, select};
pub use plan::Plan;
pub use plan::existing::Existing;
pub use plan::follow::{Follow, FollowError};
pub use plan::named_files::NamedFiles;
pub use plan::output::{Destination, DestinationError, Encoding, Output};
pub use plan::recipe::BUILD;
pub use plan::request::{FollowTimes, PreparedRun, RequestError, RunRequest};
pub use plan::set_aside::{HardPages, SetAside, SetAsideError};
pub use plan::share::InputShare;
pub use read::crawl_metadata::crawl_charset;
pub use read::place::{record_at, record_in};
pub use read::records::open_input;
pub use sites::{RunSites, SitesError, count_pages, counting_plan, load_sites, save_sites};
pub use stream::Run;
pub use work::label::RecordLabel;
pub use work::record::Extract;
pub use work::single::{RecordOutcome, SingleRecords};
pub use write::bucket::Bucket;

/// Of inputs behind URLs.
pub use trommel_sources::{NetworkOptions, Remote, RemoteReader, StopFlag, is_url, redacted};
