//! Finds duplicates among the documents of many runs.
//!
//! A run compares documents only with earlier ones of the same run. This module compares the outputs of many runs, the
//! shards. [`sign`] writes a [`Signature`] for each document: its place and its keys. [`Finder`] groups the signatures
//! of all shards by their keys. [`without`] copies a shard without its duplicates, unless the shard differs from the
//! signed file.
//!
//! The rule needs no order of work and no state. A document is a duplicate of the first document, by name of shard and
//! row, that has a key in common with it. So programs can divide the keys among them, and the union of their lists is
//! complete. The filter of a run may keep other documents: it compares only with the documents that it kept, and it
//! forgets old ones.
//!
//! A signature names its shard, and the size and checksum of the signed output, so that a changed output is noticed.

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

/// Error of signing or comparing outputs, or of removing duplicates from them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DedupError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system or of the file's format.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A line of a file of signatures, or of a file of listed duplicates, cannot be parsed.
    #[error("{path}: line {line}: {source}")]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line in the file, from 1.
        line: u64,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// Two signatures have the same shard (output file) and row: two files have the same name, or one was signed twice.
    #[error("{shard}: row {row} is there twice: give each output a name of its own, and its signatures once")]
    Twice {
        /// Name of the shard: the output file without its suffix.
        shard: String,
        /// Index of the document in the shard, from 0.
        row: u64,
    },
    /// A document that is listed as a duplicate is not in the output file.
    #[error(
        "{path}: has no row {row}, which is listed as a duplicate: it is another output than the one that was signed"
    )]
    Missing {
        /// Path of the output file.
        path: PathBuf,
        /// Index of the missing document in the output file, from 0.
        row: u64,
    },
    /// The output file differs from the one whose duplicates are listed.
    #[error("{path}: was made again after it was signed ({what}): sign it again, and find the duplicates again")]
    Changed {
        /// Path of the output file.
        path: PathBuf,
        /// Description of the difference, for the message.
        what: String,
    },
    /// The file name does not determine a format from which documents can be read back.
    #[error("{0}: is no output of JSON lines, MessagePack or Parquet by its name")]
    Name(PathBuf),
}

impl DedupError {
    /// Returns a function for `map_err` that turns an error into a [`DedupError`] with the path of the file.
    pub(crate) fn of<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source: source.into() }
    }
}

/// Signature of a document: its keys for finding duplicates, and its place. It is written as a JSON line, which any
/// query engine can read as a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Name of the shard (the output file without its suffix) that contains the document.
    pub shard: String,
    /// Size and checksum of the output file that was signed; `None` in signatures made by other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<SignedFile>,
    /// Index of the document in its shard, from 0.
    pub row: u64,
    /// Id of the document.
    pub id: String,
    /// Hash of the document's words in lower case, as 32 hexadecimal digits; `None` for a text without words.
    #[serde(with = "exact_key")]
    pub exact: Option<u128>,
    /// MinHash keys, as 16 hexadecimal digits each; near duplicates share one. Empty for fewer than five words.
    #[serde(with = "near_keys")]
    pub near: Vec<u64>,
}

/// Serializes a 128-bit key as hexadecimal digits, as JSON has no integers of this size.
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

/// Serializes a list of 64-bit keys as hexadecimal digits.
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
/// their number. The target is a file of JSON lines compressed with zstd, and appears when it is complete. The same
/// documents give the same bytes.
///
/// # Errors
/// Fails if the output cannot be read, or the target cannot be written.
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

/// Returns whether the signatures in `target` belong to the current contents of `output`.
///
/// # Errors
/// Fails if the output cannot be read.
pub fn is_signed(output: &Path, target: &Path) -> Result<bool, DedupError> {
    let Some(Ok(first)) = lines::<Signature>(target).ok().and_then(|mut lines| lines.next()) else { return Ok(false) };
    Ok(first.output == Some(SignedFile::of(output)?))
}

/// Reads the signatures in a file of JSON lines, plain or compressed with gzip or zstd, made by this or another
/// program.
///
/// # Errors
/// Fails if the file cannot be opened. An item is an error if reading fails or a line is not a signature.
pub fn read_signatures(path: &Path) -> Result<impl Iterator<Item = Result<Signature, DedupError>>, DedupError> {
    lines(path)
}

/// Reads a file of JSON lines and iterates over their values; an item is an error if its line is not a `T`.
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

/// Size and checksum of an output file at the time when its documents were signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedFile {
    /// Size of the output file in bytes.
    pub bytes: u64,
    /// SHA-256 of the output file, as 64 hexadecimal digits.
    pub sha256: String,
}

impl SignedFile {
    /// Reads a file and computes its size and checksum.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn of(path: &Path) -> Result<Self, DedupError> {
        let read = File::open(path).and_then(digest_of);
        let (bytes, digest) = read.map_err(DedupError::of(path))?;
        Ok(Self { bytes, sha256: HEXLOWER.encode(&digest.finalize()) })
    }
}

/// Returns the shard name of an output file: the file name without folder and without the suffixes of format and
/// compression. Returns `None` if documents cannot be read back from the format.
pub fn shard_name(path: &Path) -> Option<&str> {
    readable_name(path).map(|(stem, ..)| stem)
}
