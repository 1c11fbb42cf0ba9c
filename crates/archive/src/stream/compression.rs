//! Compressions of archives, with their decoders, and the detection of a file's compression.

use std::{io, sync::Arc};

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::PROBE_BYTES;
use crate::record_start::{HEAD, is_warc};
use crate::{
    error::ArchiveError, gzip::Gzip, lz4::Lz4, signature, signature::FileSignature, stored_bytes::Source, zst::Zst,
};

/// Number of decompressed bytes that are examined to test whether a member begins at an offset.
const PROBE_PLAIN: usize = 1024;

/// Decoder for the compression of an archive: plain, gzip, zstd or LZ4.
pub(crate) enum Codec {
    Plain,
    Gzip(Box<Gzip>),
    Zst(Box<Zst>),
    Lz4(Box<Lz4>),
}

impl Codec {
    /// Returns the first bytes of every compressed member; empty for a plain file.
    pub(crate) fn magic(&self) -> &'static [u8] {
        match self {
            Codec::Plain => &[],
            Codec::Gzip(_) => &signature::GZIP_DEFLATE,
            Codec::Zst(_) => &signature::ZSTD,
            Codec::Lz4(_) => &signature::LZ4,
        }
    }

    /// Returns whether a compressed member begins at `stored` and its decompressed bytes pass `is_start`. Examines only
    /// [`PROBE_BYTES`] stored bytes.
    pub(crate) fn member_begins(&mut self, stored: &[u8], is_start: impl Fn(&[u8]) -> bool) -> bool {
        let stored = stored.get(..PROBE_BYTES).unwrap_or(stored);
        let mut plain = [0; PROBE_PLAIN];
        let made = match self {
            Codec::Plain => None,
            Codec::Gzip(gzip) => gzip.probe(stored, &mut plain),
            Codec::Zst(zst) => zst.probe(stored, &mut plain),
            Codec::Lz4(_) => Lz4::probe(stored, &mut plain),
        };
        made.and_then(|made| plain.get(..made)).is_some_and(is_start)
    }
}

/// Compression of an archive: plain, gzip, zstd or LZ4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StreamCodec {
    Plain,
    Gzip,
    Zst,
    Lz4,
}

impl StreamCodec {
    /// Creates the decoder of the compression. For zstd, loads the dictionary at the start of the file if there is one.
    pub(crate) fn codec(self, head: &mut Source) -> io::Result<Codec> {
        Ok(match self {
            StreamCodec::Plain => Codec::Plain,
            StreamCodec::Gzip => Codec::Gzip(Box::new(Gzip::new())),
            StreamCodec::Lz4 => Codec::Lz4(Box::new(Lz4::new())),
            StreamCodec::Zst => {
                let mut zst = Zst::new()?;
                // Reads the dictionary, if there is one.
                zst.begin(head)?;
                Codec::Zst(Box::new(zst))
            }
        })
    }
}

/// Determines the compression of an archive from its first bytes.
pub(crate) fn detect(file: &Arc<str>, source: &mut Source) -> Result<Codec, ArchiveError> {
    let io = |source: io::Error| ArchiveError::Io { file: file.clone(), offset: 0, source };
    let head = source.peek(8).map_err(io)?;
    let unsupported = |what| Err(ArchiveError::Unsupported { file: file.clone(), what });
    match FileSignature::of(head) {
        None if head.is_empty() => return Err(ArchiveError::Empty { file: file.clone() }),
        None => {}
        Some(FileSignature::Gzip) => return Ok(Codec::Gzip(Box::new(Gzip::new()))),
        Some(FileSignature::Zstd) => return Ok(Codec::Zst(Box::new(Zst::new().map_err(io)?))),
        Some(FileSignature::Lz4) => return Ok(Codec::Lz4(Box::new(Lz4::new()))),
        Some(FileSignature::Warc) => return Ok(Codec::Plain),
        Some(FileSignature::Lz4Legacy) => return unsupported("legacy lz4"),
        Some(FileSignature::Bzip2) => return unsupported("bzip2"),
        Some(FileSignature::Xz) => return unsupported("xz"),
        Some(FileSignature::Zip) => return unsupported("zip (WACZ)"),
        Some(FileSignature::Parquet) => return unsupported("Parquet"),
    }
    // The head may be damaged: a member that holds a record tells the compression as well.
    let head = source.peek(HEAD).map_err(io)?;
    let codecs = [
        Codec::Gzip(Box::new(Gzip::new())),
        Codec::Zst(Box::new(Zst::new().map_err(io)?)),
        Codec::Lz4(Box::new(Lz4::new())),
    ];
    for mut codec in codecs {
        for at in memmem::find_iter(head, codec.magic()) {
            if codec.member_begins(head.get(at..).unwrap_or_default(), is_warc) {
                return Ok(codec);
            }
        }
    }
    Ok(Codec::Plain)
}
