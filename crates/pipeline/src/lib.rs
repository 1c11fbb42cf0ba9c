//! Sources, workers, ordered output and counts for whole archives.
//!
//! One thread reads records in order, workers turn them into encoded documents, and the calling
//! thread writes those in the order of the records. [`run`] is the whole of it.

#[cfg_attr(not(feature = "remote"), path = "no_bucket.rs")]
mod bucket;
mod checkpoint;
mod clock;
mod crawl_metadata;
mod describe;
mod drop_reason;
mod dropped_list;
mod environment;
mod error;
mod existing;
mod follow;
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod id;
mod identity;
mod inputs;
mod journal;
mod live;
mod lock;
mod manifest;
mod network;
mod output;
mod outputs;
mod packed;
mod panic;
mod place;
mod plan;
mod progress;
mod quarantine;
mod reader;
mod recipe;
mod request;
mod revisits;
mod run;
mod selected;
mod set_aside;
mod share;
mod side_names;
mod side_output;
mod single;
mod sites;
mod summary;
mod task;
mod times;
mod unpack;
mod worker;
mod writer;

pub use bucket::Bucket;
pub use checkpoint::ResumeError;
pub use clock::{Clock, Stage};
pub use crawl_metadata::crawl_charset;
pub use drop_reason::{DropReason, FailureKind};
pub use environment::{Environment, TakeDocument};
pub use error::{BucketError, RunError};
pub use existing::Existing;
pub use follow::{Follow, FollowError};
pub use inputs::{Input, InputError, expand, select};
pub use output::{Destination, DestinationError, Encoding, Output};
pub use packed::{Packed, PackedOptions};
pub use place::{record_at, record_in};
pub use plan::Plan;
pub use progress::{Progress, ProgressState};
pub use recipe::BUILD;
pub use request::{FollowTimes, LastStep, PreparedRun, RequestError, RunRequest};
pub use run::{run, stream};
pub use set_aside::{SetAside, SetAsideError};
pub use share::InputShare;
pub use side_names::NameError;
pub use single::{RecordOutcome, SingleRecords};
pub use sites::{
    NamedFiles, RunSites, SitesError, count_pages, counting_plan, load_sites, save_sites,
};
pub use summary::{DamageReport, FileReport, Outcome, PageTimes, SumMismatch, Summary};
pub use times::Slowest;
pub use unpack::unpack;
pub use worker::Extract;

/// Lower level: duplicates among the outputs of many runs.
pub use trommel_dedup as dedup;
/// Lower level: the Tantivy index of documents.
#[cfg(feature = "index")]
pub use trommel_index as index;
/// Lower level: counts and times as Prometheus reads them.
pub use trommel_metrics as metrics;
/// Lower level: bytes behind URLs, and indexes of records.
pub use trommel_sources as sources;
/// Lower level: WACZ containers.
pub use trommel_wacz as wacz;
