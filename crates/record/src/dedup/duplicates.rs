//! Groups the signatures of all shards by their keys, and copies outputs without their duplicates.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::{path::Path, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::dedup::{DedupError, Signature, SignedFile, lines, shard_name};
use crate::{Assemble, OutputCopy, RecordReader};

/// Place of a document in the outputs of runs: shard, row and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentPlace {
    /// Name of the shard, an output file, that contains the document.
    pub shard: String,
    /// Index of the document in its shard, from 0.
    pub row: u64,
    /// Id of the document.
    pub id: String,
}

/// Kind of a duplicate: exact or near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateReason {
    /// The document has the same words as an earlier document.
    ExactDuplicate,
    /// The document shares a MinHash key with an earlier document. Most pairs with three quarters of their phrases in
    /// common share one.
    NearDuplicate,
}

/// Document that repeats an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Place of the duplicate document.
    #[serde(flatten)]
    pub place: DocumentPlace,
    /// Size and checksum of the output file that contains the duplicate; `None` in lists made by other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<SignedFile>,
    /// Kind of the duplicate.
    pub reason: DuplicateReason,
    /// Place of the first document that shares a key with the duplicate.
    pub of: DocumentPlace,
}

/// One of several equal parts, such as `2/8` (the second of eight), into which keys or other numbers are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyShare {
    number: u64,
    of: u64,
}

impl Default for KeyShare {
    /// Returns the part that contains all keys, `1/1`.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl FromStr for KeyShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected I/N with I from 1 to N, such as 2/8".to_owned()),
        }
    }
}

impl KeyShare {
    /// Returns whether a key belongs to this part of all keys.
    pub fn takes(self, key: u64) -> bool {
        key % self.of == self.number - 1
    }
}

/// Finder of duplicates, which collects signatures in any order and compares their keys. A document takes about 250
/// bytes of memory, less if only a part of the keys is compared.
#[derive(Debug, Default)]
pub struct Finder {
    share: KeyShare,
    shards: HashMap<String, Arc<Shard>>,
    documents: Vec<Document>,
    exact: Vec<(u128, u32)>,
    near: Vec<(u64, u32)>,
}

#[derive(Debug)]
struct Shard {
    name: String,
    file: Option<SignedFile>,
}

#[derive(Debug)]
struct Document {
    shard: Arc<Shard>,
    row: u64,
    id: String,
}

impl Document {
    /// Returns the name of the shard and the row, by which documents are sorted.
    fn rank(&self) -> (&str, u64) {
        (&self.shard.name, self.row)
    }

    fn place(&self) -> DocumentPlace {
        DocumentPlace { shard: self.shard.name.clone(), row: self.row, id: self.id.clone() }
    }
}

impl Finder {
    /// Creates a finder that compares only the keys in `share`, a part of all keys.
    pub fn new(share: KeyShare) -> Self {
        Self { share, ..Self::default() }
    }

    /// Returns the number of documents that were added.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether no document was added.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Adds the signature of a document to those to compare.
    pub fn add(&mut self, signature: Signature) {
        let Signature { shard: name, output: file, row, id, exact, near } = signature;
        let shard = self.shards.entry(name.clone()).or_insert_with(|| Arc::new(Shard { name, file })).clone();
        let number = self.documents.len() as u32;
        self.documents.push(Document { shard, row, id });
        let share = self.share;
        // The low half of a hash is a hash.
        let exact = exact.filter(|&key| share.takes(key as u64));
        self.exact.extend(exact.map(|key| (key, number)));
        let near = near.into_iter().filter(|&key| share.takes(key));
        self.near.extend(near.map(|key| (key, number)));
    }

    /// Returns the duplicates among the added documents, sorted by name of shard and row. The order in which documents
    /// were added does not matter.
    ///
    /// # Errors
    /// [`DedupError::Twice`] if two documents have the same place.
    pub fn duplicates(self) -> Result<Vec<Duplicate>, DedupError> {
        let mut order: Vec<(&Document, usize)> = self.documents.iter().zip(0..).collect();
        order.sort_unstable_by_key(|(document, _)| document.rank());
        if let Some(pair) = order.windows(2).find(|pair| pair[0].0.rank() == pair[1].0.rank()) {
            let Document { shard, row, .. } = pair[0].0;
            return Err(DedupError::Twice { shard: shard.name.clone(), row: *row });
        }
        let mut position = vec![0_u32; order.len()];
        for (at, (_, number)) in (0..).zip(&order) {
            position[*number] = at;
        }
        // By position: in which way, and of which document. The first document wins; an exact one of it.
        let mut found: Vec<Option<(u32, DuplicateReason)>> = vec![None; order.len()];
        let mut note = |document: u32, first: u32, reason: DuplicateReason| {
            let known = &mut found[document as usize];
            let new = (first, reason);
            *known = Some(known.map_or(new, |old| old.min(new)));
        };
        let exact = self.exact.iter().map(|&(key, number)| (key, position[number as usize]));
        grouped(exact.collect(), |document, first| note(document, first, DuplicateReason::ExactDuplicate));
        let near = self.near.iter().map(|&(key, number)| (key, position[number as usize]));
        grouped(near.collect(), |document, first| note(document, first, DuplicateReason::NearDuplicate));
        let duplicates = found.iter().zip(&order).filter_map(|(found, (document, _))| {
            let (first, reason) = (*found)?;
            let of = order.get(first as usize)?.0.place();
            Some(Duplicate { place: document.place(), output: document.shard.file.clone(), reason, of })
        });
        Ok(duplicates.collect())
    }
}

/// Calls `note(document, first)`, with indices, for each document with the same key as an earlier document, the
/// `first`.
fn grouped<K: Ord + Copy>(mut keys: Vec<(K, u32)>, mut note: impl FnMut(u32, u32)) {
    keys.sort_unstable();
    for group in keys.chunk_by(|one, other| one.0 == other.0) {
        let Some((&(_, first), others)) = group.split_first() else { continue };
        for &(_, document) in others {
            if document != first {
                note(document, first);
            }
        }
    }
}

/// Documents to remove from the outputs as duplicates, by shard (output file) and row.
#[derive(Debug, Default)]
pub struct Removed(HashMap<String, RemovedRows>);

/// Rows (documents) to remove as duplicates from one shard (output file).
#[derive(Debug, Default)]
struct RemovedRows {
    /// Maps each row to remove to the hash of its document's id.
    ids: HashMap<u64, u64>,
    /// Sizes and checksums of the signed files with these duplicates: one, unless a file was signed again meanwhile.
    files: Vec<SignedFile>,
}

impl Removed {
    /// Returns the number of rows to remove from all shards.
    pub fn len(&self) -> usize {
        self.0.values().map(|shard| shard.ids.len()).sum()
    }

    /// Returns whether there is no row to remove.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads duplicates from a file of JSON lines, plain or compressed with gzip or zstd, and adds them to `removed`.
///
/// # Errors
/// Fails if the file cannot be read, or if a line is not a duplicate.
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

/// Hashes the id of a document to eight bytes, which take less memory than the id.
fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Writes a copy of `output` without the documents listed in `removed` to `target`, in the same format and compression.
/// Returns the numbers of documents kept and left out. The target appears when it is complete.
///
/// # Errors
/// Fails if the output cannot be read or the target cannot be written. Fails if the output is not the one whose
/// duplicates are listed, by its checksum, its number of rows or an id. Fails if the format is Parquet and there is no
/// `assemble` to write it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(shard: &str, row: u64, exact: u128, near: &[u64]) -> Signature {
        let (shard, id, near) = (shard.to_owned(), format!("{shard}{row}"), near.to_vec());
        Signature { shard, output: None, row, id, exact: Some(exact), near }
    }

    fn some() -> Vec<Signature> {
        vec![
            signature("b", 0, 1, &[10, 11]),
            signature("b", 1, 2, &[20, 21]),
            signature("a", 5, 3, &[30, 11]),
            signature("a", 2, 2, &[20, 22]),
            signature("c", 0, 4, &[40, 21]),
            signature("c", 1, 5, &[50, 51]),
            signature("c", 2, 5, &[50, 51]),
        ]
    }

    fn found(signatures: Vec<Signature>, share: KeyShare) -> Vec<(String, DuplicateReason, String)> {
        let mut finder = Finder::new(share);
        signatures.into_iter().for_each(|signature| finder.add(signature));
        let told = finder.duplicates().unwrap().into_iter();
        told.map(|duplicate| (duplicate.place.id, duplicate.reason, duplicate.of.id)).collect()
    }

    #[test]
    fn the_first_by_shard_and_row_is_kept_in_any_order() {
        use DuplicateReason::{ExactDuplicate, NearDuplicate};
        let expected: Vec<(String, DuplicateReason, String)> = [
            ("b0", NearDuplicate, "a5"),
            ("b1", ExactDuplicate, "a2"),
            // Of a document that is a duplicate itself.
            ("c0", NearDuplicate, "b1"),
            ("c2", ExactDuplicate, "c1"),
        ]
        .map(|(id, reason, of)| (id.to_owned(), reason, of.to_owned()))
        .into();
        assert_eq!(found(some(), KeyShare::default()), expected);
        let mut turned = some();
        turned.reverse();
        assert_eq!(found(turned, KeyShare::default()), expected);
    }

    #[test]
    fn shares_of_the_keys_find_together_what_one_finds() {
        let whole: Vec<String> = found(some(), KeyShare::default()).into_iter().map(|(id, ..)| id).collect();
        let mut parts: Vec<String> = (1..=3)
            .flat_map(|number| found(some(), format!("{number}/3").parse().unwrap()))
            .map(|(id, ..)| id)
            .collect();
        parts.sort();
        parts.dedup();
        assert_eq!(parts, whole);
        assert!("0/3".parse::<KeyShare>().is_err() && "3".parse::<KeyShare>().is_err());
    }

    #[test]
    fn a_place_that_is_there_twice_is_an_error() {
        let mut finder = Finder::default();
        for signature in some().into_iter().chain([signature("a", 5, 9, &[])]) {
            finder.add(signature);
        }
        let error = finder.duplicates().unwrap_err().to_string();
        assert!(error.starts_with("a: row 5 is there twice"), "{error}");
    }
}
