//! Reads archives behind `http(s)://`, `s3://`, `gs://`, `az://` and `hf://`, and single records of archives that an index
//! names.
//!
//! [`Remote`] gives an object as a blocking reader. [`RecordSelection`] gives the stored bytes of the records
//! that an index names, from files or objects. A runtime inside [`Remote`] does all waiting for the network,
//! so the reader stays a plain thread.
//!
//! **Stopping.** A program that opens sources makes one [`StopFlag`] (or wraps the `Arc<AtomicBool>` that its
//! signal handler sets). It puts the flag into [`NetworkOptions::stop`] and passes it to [`interruptible`]
//! for standard input and named pipes. Once the flag is set, every waiting read fails with
//! [`SourceError::Stopped`] within a fifth of a second.
//!
//! **Secrets.** User information of `http(s)://` URLs is sent as basic authorization, and queries are sent
//! unchanged. Neither is shown. [`redacted`] is the form of a URL for people, logs and outputs, and
//! [`Location`] displays it.

mod bytes;
mod error;
mod index;
mod location;
mod network_options;
#[cfg_attr(not(feature = "remote"), path = "no_remote.rs")]
mod remote;
mod selection;

pub use bytes::{ArchiveBytes, OpenBytes};
pub use error::{RecordIndexError, SourceError};
pub use location::{Location, Scheme, is_url, redacted, split_container};
pub use network_options::{NetworkOptions, StopFlag, Stoppable, interruptible};
pub use remote::{Remote, RemoteReader};
pub use selection::{BadLines, RecordSelection, SelectOptions, StatedRecord, WantedRecord};
