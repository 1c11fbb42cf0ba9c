//! Checksums of files.

use std::io::{self, BufReader, Read, Write};

use sha2::{Digest, Sha256};

/// Computes the SHA-256 of the bytes that are written to it.
#[derive(Clone, Debug, Default)]
pub struct DigestWriter(pub Sha256);

impl Write for DigestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Number and SHA-256 of all bytes of a reader.
///
/// # Errors
/// Those of reading.
pub fn digest_of(bytes: impl Read) -> io::Result<(u64, Sha256)> {
    let mut writer = DigestWriter::default();
    // In pieces: outputs are larger than memory.
    let length = io::copy(&mut BufReader::with_capacity(1 << 17, bytes), &mut writer)?;
    Ok((length, writer.0))
}
