//! The two kinds of filter.

use std::fmt::Debug;

use trommel_extract::Document;
use trommel_text::TextStats;

use crate::filters::{Capture, Fingerprint, Reason};

/// Judges one page by itself. Pure: the same page gives the same verdict on any thread.
pub trait Filter: Debug + Send + Sync {
    /// The stage with its settings, in one line.
    fn describe(&self) -> String;

    /// Reason why the record is dropped by its URL alone; none if it stays.
    fn url(&self, _: Option<&str>) -> Option<Reason> {
        None
    }

    /// Reason why the page is dropped before its text is taken out; none if it stays.
    fn capture(&self, _: &Capture<'_>) -> Option<Reason> {
        None
    }

    /// Reason why the document is dropped; none if it stays. `stats` are those of its text, the same for every filter,
    /// so that the text is divided into words once.
    fn document(&self, _: &Document, _: &TextStats<'_>) -> Option<Reason> {
        None
    }
}

/// Judges documents by those before them, so it must be asked in the order of the records.
pub trait OrderedFilter: Debug + Send {
    /// Reason why the document is dropped; none if it stays, and is then remembered.
    fn judge(&mut self, fingerprint: &Fingerprint) -> Option<Reason>;
}
