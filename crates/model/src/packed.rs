//! Packs model files with zstd, and unpacks them.

use std::borrow::Cow;
use std::io::Read;

use crate::error::ModelError;

/// First bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
// The numbers of a model take a quarter of their bytes at this level; files are packed once and read often.
const LEVEL: i32 = 19;
/// Bytes of an unpacked file that are read at most.
// Six times the largest built-in model. An empty name takes one byte here and 24 in memory, and a small file must not
// take all of it.
const MAX_UNPACKED: u64 = 8 << 20;

/// The bytes of a file as a zstd frame.
///
/// # Errors
/// Only if memory runs out.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, ModelError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(ModelError::Zstd)
}

/// The bytes of a file, unpacked if they are a zstd frame.
///
/// # Errors
/// If the frame is damaged or holds too much.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ModelError> {
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    let decoder = zstd::Decoder::with_buffer(bytes).map_err(ModelError::Zstd)?;
    decoder.take(MAX_UNPACKED + 1).read_to_end(&mut unpacked).map_err(ModelError::Zstd)?;
    if unpacked.len() as u64 > MAX_UNPACKED {
        return Err(ModelError::Unsound { part: "size" });
    }
    Ok(Cow::Owned(unpacked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_come_back_and_plain_ones_stay() {
        let bytes = b"\x8aa model".repeat(100);
        let packed = pack(&bytes).unwrap();
        assert!(packed.len() < bytes.len() / 4, "{} bytes", packed.len());
        assert_eq!(*unpack(&packed).unwrap(), *bytes);
        assert!(matches!(unpack(&bytes).unwrap(), Cow::Borrowed(plain) if plain == bytes));
    }

    #[test]
    fn damaged_frames_are_refused() {
        let packed = pack(&b"\x8aa model".repeat(100)).unwrap();
        let half = &packed[..packed.len() / 2];
        assert!(matches!(unpack(half), Err(ModelError::Zstd(_))));
    }

    #[test]
    fn small_files_cannot_take_all_memory() {
        let zeros = std::io::repeat(0).take(MAX_UNPACKED + 1);
        let mut packed = Vec::new();
        zstd::stream::copy_encode(zeros, &mut packed, 1).unwrap();
        assert!(packed.len() < 100_000);
        assert!(matches!(unpack(&packed), Err(ModelError::Unsound { part: "size" })));
    }
}
