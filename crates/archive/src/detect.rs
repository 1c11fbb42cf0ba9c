//! Tells the compression of a file.

use std::{io, sync::Arc};

use memchr::memmem;

use crate::{
    error::ArchiveError,
    gzip::{self, Gzip},
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
        [0x04, 0x22, 0x4d, 0x18, ..] => return unsupported("lz4"),
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
    let mut plain = [0; 64];
    let mut probe = Gzip::new();
    for at in memmem::find_iter(head, &gzip::MAGIC) {
        let made = probe.probe(head.get(at..).unwrap_or_default(), &mut plain);
        if made.and_then(|made| plain.get(..made)).is_some_and(is_warc) {
            return Ok(Codec::Gzip(Box::new(probe)));
        }
    }
    Ok(Codec::Plain)
}
