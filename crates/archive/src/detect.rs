//! Tells the compression of a file.

use std::{io, sync::Arc};

use memchr::memmem;

use crate::{
    error::ArchiveError,
    gzip::Gzip,
    lz4::{self, Lz4},
    reader::HEAD,
    source::Source,
    start::is_warc,
    stream::Codec,
    zst::{self, Zst},
};

/// Finds the compression by the first bytes.
pub(crate) fn detect(file: &Arc<str>, source: &mut Source) -> Result<Codec, ArchiveError> {
    let io = |source: io::Error| ArchiveError::Io {
        file: file.clone(),
        offset: 0,
        source,
    };
    let head = source.peek(8).map_err(io)?;
    let unsupported = |what| {
        Err(ArchiveError::Unsupported {
            file: file.clone(),
            what,
        })
    };
    match head {
        [] => return Err(ArchiveError::Empty { file: file.clone() }),
        [0x1f, 0x8b, ..] => return Ok(Codec::Gzip(Box::new(Gzip::new()))),
        head if head.starts_with(&lz4::MAGIC) => return Ok(Codec::Lz4(Box::new(Lz4::new()))),
        head if head.starts_with(&lz4::LEGACY_MAGIC) => return unsupported("legacy lz4"),
        [b'B', b'Z', b'h', ..] => return unsupported("bzip2"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => return unsupported("xz"),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => return unsupported("zip (WACZ)"),
        head if head.starts_with(&zst::MAGIC) || zst::is_skippable(head) => {
            return Ok(Codec::Zst(Box::new(Zst::new().map_err(io)?)));
        }
        head if is_warc(head) => return Ok(Codec::Plain),
        _ => {}
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
            if codec.begins(head.get(at..).unwrap_or_default(), is_warc) {
                return Ok(codec);
            }
        }
    }
    Ok(Codec::Plain)
}
