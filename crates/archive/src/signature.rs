//! Recognises file formats by their first bytes, regardless of file names.

/// The first bytes of every gzip member.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of a gzip member compressed by deflate, the only method in use.
pub const GZIP_DEFLATE: [u8; 3] = [0x1f, 0x8b, 0x08];
/// The first bytes of a Zstandard frame.
pub const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of an LZ4 frame.
pub const LZ4: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// The first bytes of an LZ4 frame in the format used before 2013, which has no checksums and no end mark.
pub const LZ4_LEGACY: [u8; 4] = [0x02, 0x21, 0x4c, 0x18];
/// The first bytes of a bzip2 file.
pub const BZIP2: [u8; 3] = *b"BZh";
/// The first bytes of an xz file.
pub const XZ: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// The first bytes of a ZIP archive that begins with a file.
pub const ZIP: [u8; 4] = *b"PK\x03\x04";
/// The first bytes of a ZIP archive without files.
pub const ZIP_EMPTY: [u8; 4] = *b"PK\x05\x06";
/// The first four bytes and the last four bytes of a Parquet file.
pub const PARQUET: [u8; 4] = *b"PAR1";

/// Pairs of the first bytes of a payload that is not a page, and its media type.
pub(crate) const MEDIA_TYPES: [(&[u8], &str); 33] = [
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"\0\0\x02\0", "image/x-icon"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"ID3\x02", "audio/mpeg"),
    (b"ID3\x03", "audio/mpeg"),
    (b"ID3\x04", "audio/mpeg"),
    (b"OggS\0", "application/ogg"),
    (b"MThd\0\0\0\x06", "audio/midi"),
    (b"fLaC\0", "audio/flac"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"FLV\x01", "video/x-flv"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO\0", "font/otf"),
    (b"\0\x01\0\0", "font/ttf"),
    (b"ttcf\0", "font/collection"),
    (&GZIP_DEFLATE, "application/gzip"),
    (&BZIP2, "application/x-bzip2"),
    (&XZ, "application/x-xz"),
    (&ZSTD, "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
    (b"\0asm", "application/wasm"),
    (b"\x7fELF", "application/x-elf"),
];

/// File format that is recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileSignature {
    /// A gzip file.
    Gzip,
    /// A Zstandard file. A frame that decoders skip counts as well, because `.warc.zst` begins with one. The LZ4 frame
    /// format has the same skippable frames.
    Zstd,
    /// A file of LZ4 frames.
    Lz4,
    /// A file in the LZ4 format used before 2013.
    Lz4Legacy,
    /// A bzip2 file.
    Bzip2,
    /// An xz file.
    Xz,
    /// A ZIP archive.
    Zip,
    /// A Parquet file.
    Parquet,
    /// A file that begins with an uncompressed WARC record.
    Warc,
}

impl FileSignature {
    /// Returns the format of a file from its first eight bytes; `None` if the format is unknown.
    pub fn of(head: &[u8]) -> Option<Self> {
        let known: [(&[u8], Self); 9] = [
            (&GZIP, Self::Gzip),
            (&ZSTD, Self::Zstd),
            (&LZ4, Self::Lz4),
            (&LZ4_LEGACY, Self::Lz4Legacy),
            (&BZIP2, Self::Bzip2),
            (&XZ, Self::Xz),
            (&ZIP, Self::Zip),
            (&ZIP_EMPTY, Self::Zip),
            (&PARQUET, Self::Parquet),
        ];
        let found = known.into_iter().find(|(start, _)| head.starts_with(start));
        match found {
            Some((_, signature)) => Some(signature),
            None if is_skippable(head) => Some(Self::Zstd),
            None if crate::record_start::is_warc(head) => Some(Self::Warc),
            None => None,
        }
    }
}

/// Returns whether `magic` begins a frame that Zstandard and LZ4 decoders skip.
pub(crate) fn is_skippable(magic: &[u8]) -> bool {
    matches!(magic, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_eight_bytes() {
        for (head, expected) in [
            (&b"\x1f\x8b\x08\0\0\0\0\0"[..], Some(FileSignature::Gzip)),
            (b"\x28\xb5\x2f\xfd\0\0\0\0", Some(FileSignature::Zstd)),
            (b"\x5d\x2a\x4d\x18\0\0\0\0", Some(FileSignature::Zstd)),
            (b"\x04\x22\x4d\x18\0\0\0\0", Some(FileSignature::Lz4)),
            (b"\x02\x21\x4c\x18\0\0\0\0", Some(FileSignature::Lz4Legacy)),
            (b"BZh91AY&", Some(FileSignature::Bzip2)),
            (b"\xfd7zXZ\0\0\0", Some(FileSignature::Xz)),
            (b"PK\x03\x04\x14\0\0\0", Some(FileSignature::Zip)),
            (b"PK\x05\x06\0\0\0\0", Some(FileSignature::Zip)),
            (b"PAR1\x15\0\0\0", Some(FileSignature::Parquet)),
            (b"WARC/1.0", Some(FileSignature::Warc)),
            (b"PK is it", None),
            (b"<html>\n\n", None),
            (b"\x1f", None),
            (b"", None),
        ] {
            assert_eq!(FileSignature::of(head), expected, "{head:?}");
        }
    }
}
