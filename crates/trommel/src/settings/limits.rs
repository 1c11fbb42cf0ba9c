//! Settings of bounds on bytes and memory, with their defaults.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use trommel_text::ByteSize;

use super::bounds;

/// Bounds on bytes and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LimitSettings {
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
        Self { jobs: None, max_record: ByteSize(64 << 20), max_payload: ByteSize(64 << 20), max_memory: None }
    }
}
