//! Encodes a record as bytes.

use crate::{
    Annotations, Anserini, Bulk, Compression, Format, Jsonl, Msgpack, OutputError, OutputRecord, Printed, Trec, Wet,
};

/// Facts about an output before its first record.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutputHead<'a> {
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

/// Turns records into bytes. Pure: the same record gives the same bytes on any thread and in any order.
pub trait Encode: Send + Sync {
    /// Appends the head of an output to `out`; most formats have none.
    ///
    /// # Errors
    /// If the head cannot be written in this format; `out` is then to be thrown away.
    fn head(&self, _: &OutputHead<'_>, _: &mut Vec<u8>) -> Result<(), OutputError> {
        Ok(())
    }

    /// Appends one record to `out`. False, with nothing appended, if the format has no place for it:
    /// WET has none for a document without text.
    ///
    /// # Errors
    /// If the record cannot be written in this format; `out` is then to be thrown away.
    fn record(&self, record: &OutputRecord, out: &mut Vec<u8>) -> Result<bool, OutputError>;
}

/// The encoder of a format, and the compression that is left to the `CompressedStream`: WET
/// compresses record by record and leaves none. What is assembled is MessagePack
/// until then.
///
/// # Errors
/// [`OutputError::Compression`] if the format is never compressed that way.
pub fn encoder(format: Format, compression: Compression) -> Result<(Box<dyn Encode>, Compression), OutputError> {
    if !format.can_be(compression) {
        return Err(OutputError::Compression { format, compression });
    }
    let encoder: Box<dyn Encode> = match format {
        Format::Jsonl => Box::new(Jsonl),
        Format::Msgpack | Format::Parquet | Format::Tantivy => Box::new(Msgpack),
        Format::Annotations => Box::new(Annotations),
        Format::Wet => {
            let gzip = compression == Compression::Gzip;
            return Ok((Box::new(Wet { gzip }), Compression::None));
        }
        Format::Anserini => Box::new(Anserini),
        Format::Trec => Box::new(Trec),
        Format::Bulk => Box::new(Bulk),
        Format::Text => Box::new(Printed::Text),
        Format::Markdown => Box::new(Printed::Markdown),
    };
    Ok((encoder, compression))
}
