//! Why an entry cannot be written.

/// Why an entry cannot be turned into bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SinkError {
    /// The JSON writer refused the entry.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The MessagePack writer refused the entry.
    #[error("MessagePack: {0}")]
    Msgpack(#[from] rmp_serde::encode::Error),
    /// The WARC writer, the compressor or the disk refused it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The format is never compressed this way.
    #[error("{format} cannot be compressed with {compression}")]
    Compression {
        /// The format.
        format: crate::Format,
        /// The compression asked for.
        compression: crate::Compression,
    },
}
