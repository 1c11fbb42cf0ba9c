//! Files that are compressed in frames and appear under their names only when they are complete.

mod files;
mod frames;
mod shard;

pub use files::{
    AtomicFile, Disk, DiskFile, LocalDisk, create_locked, create_new, hidden, open_in_place, open_own, read_own,
    replace, replaceable,
};
pub use frames::Frames;
pub use shard::{Assemble, DigestWriter, Extent, Shard, digest_of, discard, publish};

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::{fs, path::Path};

    use crate::Compression;

    /// The names in a folder, sorted.
    pub(super) fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The bytes before compression.
    pub(super) fn plain(compression: Compression, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match compression {
            Compression::None => out.extend_from_slice(bytes),
            Compression::Gzip => drop(flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out).unwrap()),
            Compression::Zstd => out = zstd::stream::decode_all(bytes).unwrap(),
        }
        out
    }
}
