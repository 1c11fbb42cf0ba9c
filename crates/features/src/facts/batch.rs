//! Facts about a batch of blocks.

use trommel_html::NONE;

use super::levels::{LEVELS, Levels};
use crate::columns::LANES;

/// Facts about a batch of blocks.
pub(crate) struct Batch {
    /// The elements at each level above each block, if a group needs them.
    pub levels: [Levels; LANES],
}

impl Default for Batch {
    fn default() -> Self {
        Self { levels: [[NONE; LEVELS.len()]; LANES] }
    }
}
