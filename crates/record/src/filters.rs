//! Keeps or drops documents, each drop with its [`Reason`].
//!
//! A [`Filter`] needs only one page. It has no state, so workers apply it in any order. An [`OrderedFilter`]
//! compares a page with earlier ones. It is applied in the order of the records, to a [`Fingerprint`] from
//! the workers. [`Filters`] holds the stages that [`FilterSettings`] choose.

mod address;
mod c4;
mod capture;
mod duplicates;
mod filter;
mod gopher;
mod language;
mod length;
mod memory;
mod minhash;
mod page;
mod reason;
mod repetition;
mod robots;
mod settings;
mod signals;
mod stages;
mod status;

pub use address::{Hosts, UrlPattern};
pub use capture::Capture;
pub use duplicates::{Duplicates, DuplicatesState};
pub use filter::{Filter, OrderedFilter};
pub use memory::MemoryState;
pub use minhash::{Fingerprint, PageText};
pub use reason::Reason;
pub use settings::{DuplicateSettings, FilterSettings, RobotsRule, StatusRange, TextRule, UnknownWord};
pub use signals::TextSignals;
pub use stages::Filters;
