//! The valid beginning of a file: its length and checksum.

use std::io::{self, Read};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::digest_of;

/// Bytes of a file from its beginning on, and their checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Bytes that count.
    pub length: u64,
    /// SHA-256 of them.
    sha256: [u8; 32],
}

impl Default for Extent {
    /// Creates the extent of an empty file.
    fn default() -> Self {
        Self::new(0, Sha256::new())
    }
}

impl Extent {
    /// Creates the extent of a file of `length` bytes with the state of its digest.
    pub fn new(length: u64, digest: Sha256) -> Self {
        Self { length, sha256: digest.finalize().into() }
    }

    /// The checksum in hexadecimal digits.
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.sha256)
    }

    /// Reads the bytes that count, and gives their digest, which more may be added to.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if there are fewer, [`io::ErrorKind::InvalidData`] if they are others,
    /// and those of reading.
    pub fn check(&self, file: impl Read) -> io::Result<Sha256> {
        let (length, digest) = digest_of(file.take(self.length))?;
        if length < self.length {
            let what = format!("has {length} bytes, not {}", self.length);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        if digest.clone().finalize() != self.sha256 {
            let what = "its bytes are not those that were written";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(digest)
    }

    /// Like [`check`](Self::check), of all bytes of a file.
    ///
    /// # Errors
    /// As for [`check`](Self::check), and if there are more bytes.
    pub fn check_all(&self, mut file: impl Read) -> io::Result<()> {
        self.check(&mut file)?;
        match file.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("has more than {} bytes", self.length))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_are_known() {
        let extent = Extent::new(3, Sha256::new_with_prefix("abc"));
        assert_eq!(extent.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(extent.check(&b"abcd"[..]).is_ok() && extent.check_all(&b"abc"[..]).is_ok());
        for (bytes, kind) in [
            ("ab", io::ErrorKind::UnexpectedEof),
            ("abd", io::ErrorKind::InvalidData),
            ("abcd", io::ErrorKind::InvalidData),
        ] {
            assert_eq!(extent.check_all(bytes.as_bytes()).unwrap_err().kind(), kind, "{bytes}");
        }
        assert!(Extent::default().check_all(&b""[..]).is_ok());
    }
}
