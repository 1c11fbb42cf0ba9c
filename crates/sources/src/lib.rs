//! Archives behind `http(s)://`, `s3://`, `gs://`, `az://` and `hf://`, and single records of archives named by an index.
//!
//! [`Remote`] gives an object as a blocking reader; [`RecordSelection`] gives the stored bytes of the records
//! that an index names, from files or objects. All waiting for a network is done on a runtime of
//! [`Remote`]'s own; whoever reads stays a plain thread.
//!
//! **Stopping.** Whoever opens sources makes one [`StopFlag`] (or wraps the `Arc<AtomicBool>` that a handler
//! of signals sets), puts it into [`NetworkOptions::stop`] and gives it to [`interruptible`] for standard
//! input and to [`open_file`] for files. Once it is set, every read that waits fails with
//! [`SourceError::Stopped`] within a fifth of a second.
//!
//! **Secrets.** User information of `http(s)://` URLs is sent as basic authorization, queries are sent as
//! they are; neither is shown. [`redacted`] is the form of a URL for people, logs and outputs, and what
//! [`Location`] displays.

mod condition;
mod error;
mod index;
mod location;
mod network;
mod redact;
#[cfg(feature = "remote")]
mod remote;
mod scheme;
mod selection;

pub use condition::{ConditionError, RowCondition};
pub use error::{RecordIndexError, SourceError};
pub use location::{Base, Location, is_url};
pub use network::{NetworkOptions, StopFlag, Stoppable, interruptible, open_file, stoppable};
pub use redact::redacted;
#[cfg(feature = "remote")]
pub use remote::{CallError, Http, HttpAnswer, Remote, RemoteReader, SeekableObject};
pub use scheme::{Scheme, split_container};
pub use selection::{BadLines, FoundRecord, RecordSelection, SelectOptions, StoredRecord, WantedRecord};
