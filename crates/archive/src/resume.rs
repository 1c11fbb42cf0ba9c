//! The state of a reader between two items. Another reader can continue from it.

use serde::{Deserialize, Serialize};

use crate::stream::{StreamCodec, StreamPosition};

/// State of a [`Reader`](crate::Reader) between two items, a few numbers that can be stored.
///
/// A reader that resumes there, over the same bytes and with the same options, gives the items that
/// the other would have given, equal in every field. It decodes again from the start of the
/// compressed member at hand, and may read the last items again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// State of the reader; none at the start of the file.
    pub(crate) state: Option<ReaderState>,
    /// Items that come after the state and have been given.
    pub(crate) items: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReaderState {
    pub(crate) compression: StreamCodec,
    pub(crate) stand: StreamPosition,
    pub(crate) arc: bool,
    pub(crate) given: u64,
    pub(crate) accounted: MemberAccount,
    pub(crate) wrong_lengths: u32,
    pub(crate) finished: bool,
}

/// The account of the stored bytes of a member so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MemberAccount {
    /// Stored offset of the member.
    pub(crate) member: u64,
    /// Stored offset up to which its bytes gave whole records or were reported; the start of the
    /// member, or before it, if there is none.
    pub(crate) until: u64,
    /// Bytes that the last record's block lacks; None if the record is whole.
    pub(crate) missing: Option<u64>,
}

impl ResumePoint {
    /// The point after a number of items from the start, for a source of items that is not a file.
    pub fn after(items: u64) -> Self {
        Self { state: None, items }
    }

    /// Items from the state, or from the start, that have been given.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Stored offset from which a resuming reader decodes; of a zstd file it reads the head as well.
    pub fn offset(&self) -> u64 {
        self.state.map_or(0, |state| state.stand.offset)
    }
}
