//! The step from an entry to bytes.

use crate::{Compression, Entry, Format, Jsonl, Msgpack, SinkError, Wet};

/// What is known of an output before its first entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head<'a> {
    /// Name of the output file without folders.
    pub name: &'a str,
    /// Block of the source archive's warcinfo record.
    pub info: Option<&'a [u8]>,
    /// WARC-Date of the source archive's first record.
    pub date: Option<&'a str>,
    /// Seconds since 1970 that stand for the time of the run (`SOURCE_DATE_EPOCH`); without them
    /// nothing of the output depends on when it was made.
    pub epoch: Option<i64>,
}

/// Turns entries into bytes. Pure: the same entry gives the same bytes on any thread and in any order.
pub trait Encode: Send + Sync {
    /// Appends to `out` what stands before the first entry of an output.
    ///
    /// # Errors
    /// If the head cannot be written in this format; `out` is then to be thrown away.
    fn head(&self, head: &Head<'_>, out: &mut Vec<u8>) -> Result<(), SinkError>;

    /// Appends one entry to `out`. False, with nothing appended, if the format has no place for it:
    /// WET has none for a document without text.
    ///
    /// # Errors
    /// If the entry cannot be written in this format; `out` is then to be thrown away.
    fn entry(&self, entry: &Entry<'_>, out: &mut Vec<u8>) -> Result<bool, SinkError>;
}

/// The encoder of a format, and the compression that is left to the [`Stream`](crate::Stream): WET
/// compresses record by record and leaves none.
///
/// # Errors
/// [`SinkError::Compression`] if the format is never compressed that way.
pub fn encoder(
    format: Format,
    compression: Compression,
) -> Result<(Box<dyn Encode>, Compression), SinkError> {
    Ok(match (format, compression) {
        (Format::Jsonl, _) => (Box::new(Jsonl), compression),
        (Format::Msgpack, _) => (Box::new(Msgpack), compression),
        (Format::Wet, Compression::None) => (Box::new(Wet { gzip: false }), Compression::None),
        (Format::Wet, Compression::Gzip) => (Box::new(Wet { gzip: true }), Compression::None),
        (Format::Wet, Compression::Zstd) => {
            return Err(SinkError::Compression {
                format,
                compression,
            });
        }
    })
}
