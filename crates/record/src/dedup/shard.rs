//! The names of shards.

use std::path::Path;

use crate::readable_name;

/// Name of the shard that an output is: its file name without folder and format. None of a file whose name
/// tells no format that is read back.
pub fn shard_name(path: &Path) -> Option<&str> {
    readable_name(path).map(|(stem, ..)| stem)
}
