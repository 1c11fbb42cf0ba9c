//! Facts about a batch of blocks.

use super::levels::{LEVELS, LevelColumns, NO_PARTS};
use crate::features::scratch::Scratch;

/// Facts about a batch of blocks.
pub(crate) struct Batch {
    /// Facts about the elements at each level above each block, if a group needs them.
    pub levels: Scratch<LevelColumns>,
}

impl Default for Batch {
    fn default() -> Self {
        Self { levels: Scratch::stale(LEVELS.len(), NO_PARTS) }
    }
}
