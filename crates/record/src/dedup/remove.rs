//! Copies outputs without the duplicates in them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use crate::{Assemble, OutputCopy, RecordReader};

use crate::dedup::{DedupError, Duplicate, SignedFile, shard::shard_name, signature_file::lines};

/// Rows that are duplicates, by the name of their shard.
#[derive(Debug, Default)]
pub struct Removed(HashMap<String, RemovedRows>);

/// The duplicates of a shard.
#[derive(Debug, Default)]
struct RemovedRows {
    /// The hash of the id of the document in each row.
    ids: HashMap<u64, u64>,
    /// The files that they were found in: one, unless it was signed again between two lists.
    files: Vec<SignedFile>,
}

impl Removed {
    /// Number of rows in all shards.
    pub fn len(&self) -> usize {
        self.0.values().map(|shard| shard.ids.len()).sum()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Adds the duplicates listed in a file of JSON lines, plain or in gzip or zstd.
///
/// # Errors
/// If it cannot be read, or a line is not a duplicate.
pub fn read_duplicates(path: &Path, removed: &mut Removed) -> Result<(), DedupError> {
    for duplicate in lines::<Duplicate>(path)? {
        let Duplicate { place, output, .. } = duplicate?;
        let shard = removed.0.entry(place.shard).or_default();
        shard.ids.insert(place.row, hash(&place.id));
        if let Some(file) = output.filter(|file| !shard.files.contains(file)) {
            shard.files.push(file);
        }
    }
    Ok(())
}

/// Memory for many rows: eight bytes instead of an id.
fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Writes the documents of `output` that are not in `removed` to `target`, in the format and compression of the output;
/// returns the numbers of documents kept and left out. The target appears when it is whole.
///
/// # Errors
/// If the output cannot be read, or is not the one whose duplicates are listed: by its checksum, by a row that it does
/// not have, or by the id there. If its format is Parquet and there is no `assemble` to make it, or if the target cannot
/// be written.
pub fn without(
    output: &Path,
    removed: &Removed,
    target: &Path,
    assemble: Option<&dyn Assemble>,
) -> Result<(u64, u64), DedupError> {
    let shard = shard_name(output).ok_or_else(|| DedupError::Name(output.to_owned()))?;
    let none = RemovedRows::default();
    let RemovedRows { ids, files } = removed.0.get(shard).unwrap_or(&none);
    let changed = |what: String| DedupError::Changed { path: output.to_owned(), what };
    if !files.is_empty() {
        let file = SignedFile::of(output)?;
        if let Some(signed) = files.iter().find(|signed| **signed != file) {
            return Err(changed(match signed.bytes == file.bytes {
                true => "it has another checksum".to_owned(),
                false => format!("it has {} bytes, not {}", file.bytes, signed.bytes),
            }));
        }
    }
    let unread = DedupError::of(output);
    let refused = DedupError::of(target);
    let mut copy = OutputCopy::create(output, target, assemble).map_err(DedupError::of(target))?;
    let (mut row, mut left_out) = (0, 0);
    for record in RecordReader::open(output).map_err(&unread)? {
        let record = record.map_err(&unread)?;
        match ids.get(&row) {
            Some(id) if *id == hash(&record.id) => left_out += 1,
            Some(_) => return Err(changed(format!("its row {row} is {}", record.id))),
            None => copy.add(&record).map_err(&refused)?,
        }
        row += 1;
    }
    if let Some(&missing) = ids.keys().filter(|&&known| known >= row).min() {
        return Err(DedupError::Missing { path: output.to_owned(), row: missing });
    }
    copy.finish().map_err(&refused)?;
    Ok((row - left_out, left_out))
}
