//! Encodes documents in one of the formats of a run.

use trommel_record::{Compression, Encode, Format, encoder};

use crate::run::error::RunError;
use crate::run::plan::output::Encoding;

/// The encoder of documents for one output.
pub(crate) struct Encoder {
    pub(crate) encode: Box<dyn Encode>,
    pub(crate) encoding: Encoding,
    /// The compression that the encoder leaves to the file.
    // WET compresses each record by itself, so its file must not be compressed again.
    pub(crate) compression: Compression,
}

impl Encoder {
    /// One for each encoding, in their order.
    pub(crate) fn all(encodings: &[Encoding]) -> Result<Vec<Self>, RunError> {
        encodings
            .iter()
            .map(|&encoding| {
                // Until it is assembled.
                let format = if encoding.by_page { Format::Msgpack } else { encoding.format };
                let (encode, compression) = encoder(format, encoding.compression)?;
                Ok(Self { encode, encoding, compression })
            })
            .collect()
    }
}
