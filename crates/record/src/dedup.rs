//! Finds duplicates among the documents of many runs.
//!
//! A run compares documents only with earlier ones of the same run. This crate compares the outputs of many
//! runs, the shards. [`sign`] writes a [`Signature`] for each document: its place and its keys. [`Finder`]
//! groups those of all shards by their keys. [`without`] copies a shard without its duplicates, unless it is another
//! file than the one that was signed.
//!
//! The rule needs no order of work and no state. A document is a duplicate of the first document, by name of
//! shard and row, that has a key in common with it. So programs can divide the keys among them, and the union
//! of their lists is complete. The filter of a run may keep other documents: it compares only with those that
//! it kept, and it forgets old ones.
//!
//! Errors of signing, comparing and rewriting outputs.
//!
//! Signs documents: writes files of their places and the keys by which duplicates are found, and reads them.
//!
//! A signature names its shard. It also tells an output that was made again from the one that was signed.

mod duplicates;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::{error::Error, fs::File};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::Digest as _;
use trommel_text::TextStats;

use crate::filters::duplicates::{exact, near};
use crate::{AtomicFile, Compression, Frames, RecordReader, digest_of, open_plain, readable_name};

pub use duplicates::{DocumentPlace, Duplicate, DuplicateReason, Finder, KeyShare, Removed, read_duplicates, without};

/// The error that outputs cannot be signed, compared or written without duplicates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DedupError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system or of its format.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A line is not a signature, or not a duplicate.
    #[error("{path}: line {line}: {source}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// The error of the JSON reader.
        source: serde_json::Error,
    },
    /// Two documents have one place: two shards have the same name, or one was signed twice.
    #[error("{shard}: row {row} is there twice: give each output a name of its own, and its signatures once")]
    Twice {
        /// Name of the shard.
        shard: String,
        /// Number of the document in it.
        row: u64,
    },
    /// A duplicate that the output does not have.
    #[error(
        "{path}: has no row {row}, which is listed as a duplicate: it is another output than the one that was signed"
    )]
    Missing {
        /// The output.
        path: PathBuf,
        /// The row.
        row: u64,
    },
    /// An output that is not the one whose duplicates are listed.
    #[error("{path}: was made again after it was signed ({what}): sign it again, and find the duplicates again")]
    Changed {
        /// The output.
        path: PathBuf,
        /// The difference.
        what: String,
    },
    /// A name that tells no format in which documents are read back.
    #[error("{0}: is no output of JSON lines, MessagePack or Parquet by its name")]
    Name(PathBuf),
}

impl DedupError {
    /// Returns a function for `map_err` that adds the name of the file to an error.
    pub(crate) fn of<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source: source.into() }
    }
}

/// The signature of a document: its keys for finding duplicates, and its place. It is written as a JSON line, which any
/// engine can read as a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Name of the shard (the output without suffix) that holds the document.
    pub shard: String,
    /// Size and checksum of the output that was signed; `None` in signatures of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<SignedFile>,
    /// Number of the document in its shard, from 0.
    pub row: u64,
    /// Id of the document.
    pub id: String,
    /// Hash of the document's words in lower case, 32 hexadecimal digits; `None` without words.
    #[serde(with = "exact_key")]
    pub exact: Option<u128>,
    /// MinHash keys, 16 hexadecimal digits each; near duplicates have one in common. Empty with fewer than five words.
    #[serde(with = "near_keys")]
    pub near: Vec<u64>,
}

/// Hexadecimal digits, as JSON has no integers of that size.
mod exact_key {
    use super::*;

    pub(super) fn serialize<S: Serializer>(key: &Option<u128>, to: S) -> Result<S::Ok, S::Error> {
        key.map(|key| format!("{key:032x}")).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u128>, D::Error> {
        let text: Option<String> = Option::deserialize(from)?;
        text.map(|text| u128::from_str_radix(&text, 16)).transpose().map_err(D::Error::custom)
    }
}

/// The same of lists.
mod near_keys {
    use super::*;

    pub(super) fn serialize<S: Serializer>(keys: &[u64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(keys.iter().map(|key| format!("{key:016x}")))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        let keys = texts.iter().map(|text| u64::from_str_radix(text, 16));
        keys.collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

/// Writes the signatures of the documents in `output` (JSON lines, MessagePack or Parquet) to `target`, and returns
/// their number. The target is JSON lines under zstd, and appears when it is complete. The same documents give the same
/// bytes.
///
/// # Errors
/// If the output cannot be read, or the target not be written.
pub fn sign(output: &Path, target: &Path) -> Result<u64, DedupError> {
    let shard = shard_name(output).ok_or_else(|| DedupError::Name(output.to_owned()))?;
    let unread = DedupError::of(output);
    let signed = SignedFile::of(output)?;
    let file = AtomicFile::create(target).map_err(DedupError::of(target))?;
    let mut stream = Frames::new(file, Compression::Zstd, false);
    let mut row = 0;
    for record in RecordReader::open(output).map_err(&unread)? {
        let record = record.map_err(&unread)?;
        let stats = TextStats::new(&record.text);
        let signature = Signature {
            shard: shard.to_owned(),
            output: Some(signed.clone()),
            row,
            id: record.id,
            exact: exact(&stats),
            near: near(&stats),
        };
        let mut line = serde_json::to_vec(&signature).map_err(DedupError::of(target))?;
        line.push(b'\n');
        stream.write_all(&line).map_err(DedupError::of(target))?;
        row += 1;
    }
    stream.finish().map_err(DedupError::of(target))?.finish().map_err(DedupError::of(target))?;
    Ok(row)
}

/// Returns whether the signatures in `target` were made of `output` as it is now.
///
/// # Errors
/// If the output cannot be read.
pub fn is_signed(output: &Path, target: &Path) -> Result<bool, DedupError> {
    let Some(Ok(first)) = lines::<Signature>(target).ok().and_then(|mut lines| lines.next()) else { return Ok(false) };
    Ok(first.output == Some(SignedFile::of(output)?))
}

/// Reads the signatures in a file of JSON lines, plain or in gzip or zstd, by this or another program.
///
/// # Errors
/// Fails if the file cannot be opened. An item is an error if the file cannot be read on, or a line is not a signature.
pub fn read_signatures(path: &Path) -> Result<impl Iterator<Item = Result<Signature, DedupError>>, DedupError> {
    lines(path)
}

/// Reads the objects of a file of JSON lines.
pub(crate) fn lines<T: for<'de> Deserialize<'de>>(
    path: &Path,
) -> Result<impl Iterator<Item = Result<T, DedupError>>, DedupError> {
    let input = open_plain(path).map_err(DedupError::of(path))?;
    let path = path.to_owned();
    Ok((1..).zip(input.lines()).map(move |(line, text)| {
        let text = text.map_err(DedupError::of(&path))?;
        serde_json::from_str(&text).map_err(|source| DedupError::Line { path: path.clone(), line, source })
    }))
}

/// Size and checksum of an output when its documents were signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedFile {
    /// Size of the output in bytes.
    pub bytes: u64,
    /// SHA-256 of the output, 64 hexadecimal digits.
    pub sha256: String,
}

impl SignedFile {
    /// Reads a file and computes its size and checksum.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(path: &Path) -> Result<Self, DedupError> {
        let read = File::open(path).and_then(digest_of);
        let (bytes, digest) = read.map_err(DedupError::of(path))?;
        Ok(Self { bytes, sha256: HEXLOWER.encode(&digest.finalize()) })
    }
}

/// Returns the name of an output's shard: its file name without folder, format and compression. `None` if the format
/// cannot be read back.
pub fn shard_name(path: &Path) -> Option<&str> {
    readable_name(path).map(|(stem, ..)| stem)
}
