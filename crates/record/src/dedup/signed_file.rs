//! Tells an output that was made again from the one that was signed.

use std::fs::File;
use std::path::Path;

use crate::digest_of;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use crate::dedup::DedupError;

/// Size and checksum of an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedFile {
    /// Its bytes.
    pub bytes: u64,
    /// Their SHA-256, 64 hexadecimal digits.
    pub sha256: String,
}

impl SignedFile {
    /// Reads a file whole.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(path: &Path) -> Result<Self, DedupError> {
        let read = File::open(path).and_then(digest_of);
        let (bytes, digest) = read.map_err(DedupError::of(path))?;
        Ok(Self { bytes, sha256: HEXLOWER.encode(&digest.finalize()) })
    }
}
