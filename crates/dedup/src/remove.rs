//! Copies outputs without the duplicates in them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use trommel_output::{Assemble, OutputCopy, RecordReader};

use crate::{DedupError, Duplicate, shard::shard_name, signature_file::lines};

/// Rows that are duplicates, by the name of their shard.
#[derive(Debug, Default)]
pub struct Removed(HashMap<String, HashSet<u64>>);

impl Removed {
    /// Number of rows in all shards.
    pub fn len(&self) -> usize {
        self.0.values().map(HashSet::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(HashSet::is_empty)
    }
}

/// Adds the duplicates listed in a file of JSON lines, plain or in gzip or zstd.
///
/// # Errors
/// If it cannot be read, or a line is not a duplicate.
pub fn read_duplicates(path: &Path, removed: &mut Removed) -> Result<(), DedupError> {
    for duplicate in lines::<Duplicate>(path)? {
        let place = duplicate?.place;
        removed.0.entry(place.shard).or_default().insert(place.row);
    }
    Ok(())
}

/// Writes the documents of `output` that are not in `removed` to `target`, in the format and compression of the
/// output; gives the numbers of documents kept and left out. The target appears when it is whole.
///
/// # Errors
/// If the output cannot be read or does not have a row that is to be left out, if its format is Parquet and there is no
/// `assemble` to make it, or if the target cannot be written.
pub fn without(
    output: &Path,
    removed: &Removed,
    target: &Path,
    assemble: Option<&dyn Assemble>,
) -> Result<(u64, u64), DedupError> {
    let shard = shard_name(output).ok_or_else(|| DedupError::Name(output.to_owned()))?;
    let none = HashSet::new();
    let rows = removed.0.get(shard).unwrap_or(&none);
    let unread = DedupError::of(output);
    let refused = DedupError::of(target);
    let mut copy = OutputCopy::create(output, target, assemble).map_err(DedupError::of(target))?;
    let (mut row, mut left_out) = (0, 0);
    for record in RecordReader::open(output).map_err(&unread)? {
        let record = record.map_err(&unread)?;
        if rows.contains(&row) {
            left_out += 1;
        } else {
            copy.add(&record).map_err(&refused)?;
        }
        row += 1;
    }
    if let Some(&missing) = rows.iter().filter(|&&known| known >= row).min() {
        return Err(DedupError::Missing { path: output.to_owned(), row: missing });
    }
    copy.finish().map_err(&refused)?;
    Ok((row - left_out, left_out))
}
