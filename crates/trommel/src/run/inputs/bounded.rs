//! Bounds what is read of manifests, configurations and indexes.

use std::io::{self, Read};

/// Bytes of a manifest: a million paths.
pub(super) const MAX_MANIFEST: u64 = 128 << 20;
/// Bytes of a configuration behind a URL.
pub(super) const MAX_CONFIG: u64 = 4 << 20;
/// Bytes of an index behind a URL, which is copied to a temporary file.
// The parts of Common Crawl's index have a gigabyte.
pub(super) const MAX_INDEX: u64 = 4 << 30;

/// Wraps `input` so that reading fails if it has more than `most` bytes.
pub(super) fn bounded<R: Read>(input: R, most: u64) -> Bounded<R> {
    Bounded { input, left: most, most }
}

/// The reader that [`bounded`] returns.
pub(super) struct Bounded<R> {
    input: R,
    left: u64,
    most: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(format!("has more than {} MiB", self.most >> 20))),
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_an_error() {
        let mut bytes = Vec::new();
        bounded([7; 100].as_slice(), 100).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), 100);
        let error = bounded(io::repeat(0), 3 << 20).read_to_end(&mut bytes).unwrap_err();
        assert_eq!(error.to_string(), "has more than 3 MiB");
    }
}
