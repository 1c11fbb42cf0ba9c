//! Bounds what is read of manifests, configurations and indexes.

use std::io::{self, Read, Write};

/// Bytes of a manifest: a million paths.
pub(super) const MAX_MANIFEST: u64 = 128 << 20;
/// Bytes of a configuration behind a URL.
pub(super) const MAX_CONFIG: u64 = 4 << 20;
/// Bytes of an index behind a URL, which is copied to a temporary file.
// The parts of Common Crawl's index have a gigabyte.
pub(super) const MAX_INDEX: u64 = 4 << 30;

/// Copies all of an input, which may have `most` bytes.
pub(super) fn copy_bounded(input: impl Read, most: u64, to: &mut impl Write) -> io::Result<()> {
    match io::copy(&mut input.take(most.saturating_add(1)), to)? > most {
        true => Err(io::Error::other(format!("has more than {} MiB", most >> 20))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_an_error() {
        let mut bytes = Vec::new();
        copy_bounded([7; 100].as_slice(), 100, &mut bytes).unwrap();
        assert_eq!(bytes.len(), 100);
        let error = copy_bounded(io::repeat(0), 3 << 20, &mut bytes).unwrap_err();
        assert_eq!(error.to_string(), "has more than 3 MiB");
    }
}
