//! Files that are compressed in frames and appear under their names only when they are complete.

mod atomic;
mod create;
mod digest;
mod disk;
mod extent;
mod frames;
mod hidden;
mod shard;
mod stream;

pub use atomic::AtomicFile;
pub use create::{create_new, open_in_place, open_own, read_own, replaceable};
pub use digest::{DigestWriter, digest_of};
pub use disk::{Disk, DiskFile, LocalDisk};
pub use extent::Extent;
pub use frames::Frames;
pub use hidden::hidden;
pub use shard::{Assemble, Shard, discard, publish};
pub use stream::CompressedStream;

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
