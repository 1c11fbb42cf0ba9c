//! Settings of the encoding of outputs, with their defaults.

use serde::{Deserialize, Serialize};
use trommel_record::{Compression, Format};
use trommel_text::{ByteSize, Share};

/// Encoding of outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OutputSettings {
    /// Output formats. Several need a folder. Default: by the name of the output, otherwise jsonl.
    pub format: Vec<Format>,
    /// Compression, for the formats that can have one. Default: by the name of the output, otherwise none for standard
    /// output, zst for jsonl and msgpack, and gz for the rest.
    pub compress: Option<Compression>,
    /// Divide each output into parts (NAME-00000.SUFFIX and so on) of at most this size before compression (WET:
    /// after). An index is not divided.
    pub split_size: Option<ByteSize>,
    /// Bytes of documents between saved states. This is also the size of the frames of compressed outputs.
    pub checkpoint: ByteSize,
    /// Share of the pages to copy with `--hard-to`, those of which the model is least sure. It is the share of labelled
    /// pages below the same confidence; that of a crawl differs [default: 5%].
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub hard_share: Option<Share>,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { format: Vec::new(), compress: None, split_size: None, checkpoint: ByteSize(4 << 20), hard_share: None }
    }
}
