//! Keeps or drops documents, each drop with its [`Reason`].
//!
//! What needs one page only is a [`Filter`]: it has no state, so workers ask it in any order. What
//! compares a page with earlier ones is an [`OrderedFilter`]: it is asked in the order of the records,
//! about a [`Fingerprint`] that the workers made. [`Filters`] holds the stages that [`FilterSettings`] ask for.

mod c4;
mod capture;
mod duplicates;
mod filter;
mod filters;
mod fingerprint;
mod gopher;
mod language;
mod length;
mod memory;
mod page;
mod reason;
mod repetition;
mod robots;
mod settings;
mod signals;
mod status;

pub use capture::Capture;
pub use duplicates::{Duplicates, DuplicatesState};
pub use filter::{Filter, OrderedFilter};
pub use filters::Filters;
pub use fingerprint::Fingerprint;
pub use memory::MemoryState;
pub use reason::Reason;
pub use settings::{DuplicateSettings, FilterSettings, RobotsRule, StatusRange, TextRule, UnknownWord};
pub use signals::TextSignals;
