//! Archives behind `http(s)://` and `s3://`, and single records of archives named by an index.
//!
//! [`Remote`] gives an object as a blocking reader; [`Selection`] gives the stored bytes of the records
//! that an index names, from files or objects. All waiting for a network is done on a runtime of
//! [`Remote`]'s own; whoever reads stays a plain thread.

mod error;
mod index;
mod location;
#[cfg(feature = "remote")]
mod remote;
mod selection;

pub use error::{IndexError, SourceError};
pub use location::{Base, Location, is_url};
#[cfg(feature = "remote")]
pub use remote::{Remote, RemoteReader};
pub use selection::{Found, Row, Selection, Stored};
