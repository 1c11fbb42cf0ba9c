//! Detects the compression of a file.

use std::{io, sync::Arc};

use memchr::memmem;

use crate::error::ArchiveError;
use crate::gzip::Gzip;
use crate::lz4::Lz4;
use crate::signature::FileSignature;
use crate::source::Source;
use crate::start::{HEAD, is_warc};
use crate::stream::Codec;
use crate::zst::Zst;

/// Finds the compression by the first bytes.
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
