//! Settings of bounds on documents, bytes and memory, with their defaults.

use std::num::{NonZeroU64, NonZeroUsize};

use serde::{Deserialize, Serialize};
use trommel_text::ByteSize;

use super::bounds;

/// Bounds on documents, bytes and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LimitSettings {
    /// Maximum number of documents. The run ends after the last of them.
    pub limit: Option<NonZeroU64>,
    /// Number of worker threads. It does not change the output [default: processor cores].
    #[serde(deserialize_with = "bounds::jobs")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub jobs: Option<NonZeroUsize>,
    /// Maximum bytes of one record; the rest is skipped.
    pub max_record: ByteSize,
    /// Maximum bytes of one decoded page; the rest is skipped.
    pub max_payload: ByteSize,
    /// Maximum memory for records and pages in progress. It lowers max_record to a twenty-fourth and max_payload to a
    /// forty-eighth of it.
    pub max_memory: Option<ByteSize>,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            limit: None,
            jobs: None,
            max_record: ByteSize(64 << 20),
            max_payload: ByteSize(64 << 20),
            max_memory: None,
        }
    }
}
